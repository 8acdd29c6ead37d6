// Skeletons on the elements of a matrix, on a device: launching kernels made of recorded functions.
#include "matrix_skeletons.hpp"

#include <algorithm>

#include "csr_lanes.hpp"
#include "device.hpp"
#include "lanes.hpp"
#include "recorded_launch.hpp"

namespace switchyard::opencl {
namespace {

template <Element T>
RecordedProgram program_of(std::string_view skeleton, const ElementFunction<T>& function,
                           std::size_t operands) {
  return {.skeleton = skeleton,
          .function = function.recorded,
          .operands = operands,
          .takes_values = true};
}

/// A skeleton that folds, and what its kernels take.
template <class Folded, Element T>
struct FoldLaunch {
  RecordedProgram program;
  MoreArguments more;
  Folded identity;

  FoldLaunch(RecordedProgram of_function, const ElementFold<T>& fold)
      : program(of_function), identity(static_cast<Folded>(fold.fold.identity)) {
    program.fold = fold.recorded;
    program.folded = folded_type(sizeof(Folded) == sizeof(double));
    more.add_constants(*program.function);
    more.add_constants(*program.fold);
  }
};

/// Whether the rows that a kernel sees are columns, as kernels take it.
template <Element T>
cl_uint is_by_columns(const Storage<T>& matrix) {
  return format_of(matrix) == Format::Csc ? 1 : 0;
}

template <class Folded, Element T>
double folded_places(Device& device, const FoldLaunch<Folded, T>& launch, const UserFold<T>& fold,
                     const Storage<T>& storage) {
  const Csr<T>& matrix = compressed_rows(storage);
  return std::visit(
      [&](const auto& offsets) {
        Kernel& kernel =
            device.kernel(launch.program, precision_of<T>, "fold_csr_places", width_of(offsets));
        const Index least = kernel.group * device.tuning().elements_per_item;
        const Index share = std::max(least, divided_up(matrix.nnz, most_groups));
        const Index groups = divided_up(matrix.nnz, share);
        // Held until the numbers are fetched, as in skeletons.cpp.
        const Device::Scratch scratch = device.scratch(groups);
        device.launch_with(kernel, groups, launch.more.all(), matrix.rows, matrix.nnz, share,
                           is_by_columns(storage), launch.identity, offsets, matrix.columns,
                           matrix.values, scratch.array);
        return folded_on_host<Folded>(fold, scratch.array, groups);
      },
      matrix.offsets);
}

template <class Folded, Element T>
void fold_csr(Device& device, const FoldLaunch<Folded, T>& launch, const Csr<T>& matrix,
              const Array<T>& x, Array<T>& y) {
  const auto fold = [&](const auto& offsets) {
    const OffsetWidth width = width_of(offsets);
    // Where items are threads of a processor, long rows are shared out by the many there are.
    if (!device.facts().is_gpu) {
      Kernel& kernel = device.kernel(launch.program, precision_of<T>, "fold_csr_scalar", width);
      return device.launch_with(kernel, divided_up(matrix.rows, kernel.group), launch.more.all(),
                                matrix.rows, launch.identity, offsets, matrix.columns,
                                matrix.values, x, y);
    }
    Kernel& kernel = device.kernel(launch.program, precision_of<T>, "fold_csr_vector", width);
    const Index lanes = csr_lanes<T>(device, kernel.group, matrix);
    device.launch_with(kernel, groups_for(matrix.rows, lanes, kernel.group), launch.more.all(),
                       matrix.rows, static_cast<cl_uint>(lanes), launch.identity, offsets,
                       matrix.columns, matrix.values, x, y);
  };
  std::visit(fold, matrix.offsets);
}

/// A warp takes each row of a dense matrix that is long enough for it; more items, where rows are
/// too few to fill the device otherwise.
template <class Folded, Element T>
void fold_dense(Device& device, const FoldLaunch<Folded, T>& launch, const Dense<T>& matrix,
                const Array<T>& x, Array<T>& y) {
  Kernel& kernel = device.kernel(launch.program, precision_of<T>, "fold_dense_rows");
  const Index wanted = std::max(nvidia_warp, lanes_to_fill(device.facts(), matrix.rows));
  const Index lanes =
      device.facts().is_gpu ? lanes_for(std::min(wanted, matrix.cols), kernel.group) : 1;
  device.launch_with(kernel, groups_for(matrix.rows, lanes, kernel.group), launch.more.all(),
                     matrix.rows, matrix.cols, static_cast<cl_uint>(lanes), launch.identity,
                     matrix.values, x, y);
}

template <class Folded, Element T>
void fold_rows_in(Device& device, const RowFold<T>& work, Array<T>& y) {
  const FoldLaunch<Folded, T> launch(program_of("fold_rows", work.function, 2), work.fold);
  if (const auto* const dense = std::get_if<Dense<T>>(&work.matrix)) {
    return fold_dense(device, launch, *dense, work.x, y);
  }
  fold_csr(device, launch, std::get<Csr<T>>(work.matrix), work.x, y);
}

}  // namespace

template <Element T>
void map_places(Executor& executor, const ElementFunction<T>& function, Storage<T>& storage) {
  const Csr<T>& matrix = compressed_rows(storage);
  if (matrix.nnz == 0) return;
  Device& device = device_of(executor);
  MoreArguments more;
  more.add_constants(*function.recorded);
  const auto map = [&](const auto& offsets) {
    Kernel& kernel = device.kernel(program_of("places", function, 1), precision_of<T>,
                                   "map_csr_places", width_of(offsets));
    const Index share = kernel.group * device.tuning().elements_per_item;
    device.launch_with(kernel, divided_up(matrix.nnz, share), more.all(), matrix.rows, matrix.nnz,
                       is_by_columns(storage), offsets, matrix.columns, matrix.values);
  };
  std::visit(map, matrix.offsets);
}

template <Element T>
double fold_places(Executor& executor, const ElementFunction<T>& function,
                   const ElementFold<T>& fold, const Storage<T>& matrix) {
  if (compressed_rows(matrix).nnz == 0) return fold.fold.identity;
  Device& device = device_of(executor);
  const RecordedProgram program = program_of("places", function, 1);
  return folds_in_double(device, fold.fold)
             ? folded_places(device, FoldLaunch<double, T>(program, fold), fold.fold, matrix)
             : folded_places(device, FoldLaunch<float, T>(program, fold), fold.fold, matrix);
}

template <Element T>
void fold_rows(Executor& executor, const RowFold<T>& work, Array<T>& y) {
  if (y.size() == 0) return;
  Device& device = device_of(executor);
  folds_in_double(device, work.fold.fold) ? fold_rows_in<double>(device, work, y)
                                          : fold_rows_in<float>(device, work, y);
}

template void map_places(Executor&, const ElementFunction<float>&, Storage<float>&);
template void map_places(Executor&, const ElementFunction<double>&, Storage<double>&);
template double fold_places(Executor&, const ElementFunction<float>&, const ElementFold<float>&,
                            const Storage<float>&);
template double fold_places(Executor&, const ElementFunction<double>&, const ElementFold<double>&,
                            const Storage<double>&);
template void fold_rows(Executor&, const RowFold<float>&, Array<float>&);
template void fold_rows(Executor&, const RowFold<double>&, Array<double>&);

}  // namespace switchyard::opencl
