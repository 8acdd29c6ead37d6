// Maps of several sparse matrices on a device: counting, scanning the counts, and filling.
#include "device.hpp"
#include "lanes.hpp"
#include "matrix_skeletons.hpp"
#include "recorded_launch.hpp"
#include "scan.hpp"

namespace switchyard::opencl {
namespace {

OffsetWidth width_of_all(const Offsets& offsets) {
  return std::visit([](const auto& array) { return width_of(array); }, offsets);
}

/// Throws `Error(Unsupported)` unless offsets are so wide: a kernel knows one type of them.
void require(OffsetWidth found, OffsetWidth wanted) {
  if (found == wanted) return;
  throw Error(ErrorCode::Unsupported, "matrices with offsets of 32 and of 64 bits");
}

/// An uninitialised result with offsets of that width, which may be more than it needs.
template <Element T>
Csr<T> sized(Index rows, Index cols, Index nnz, OffsetWidth width,
             const std::shared_ptr<MemorySpace>& memory) {
  auto result = Csr<T>::sized(rows, cols, nnz, memory);
  if (width == OffsetWidth::Wide) result.offsets = Array<std::int64_t>(rows + 1, memory);
  require(width_of_all(result.offsets), width);
  return result;
}

/// The arrays of all operands and the function's constants, as both kernels take them.
template <Element T>
MoreArguments arguments_of(const ElementFunction<T>& function, std::span<const Csr<T>* const> in) {
  MoreArguments more;
  for (const Csr<T>* const matrix : in) {
    std::visit([&](const auto& offsets) { more.add_array(offsets); }, matrix->offsets);
    more.add_array(matrix->columns);
    more.add_array(matrix->values);
  }
  more.add_constants(*function.recorded);
  return more;
}

}  // namespace

template <Element T>
Csr<T> merge(Executor& executor, const ElementFunction<T>& function,
             std::span<const Csr<T>* const> in) {
  Device& device = device_of(executor);
  const Index rows = in.front()->rows;
  const OffsetWidth width = width_of_all(in.front()->offsets);
  for (const Csr<T>* const matrix : in) require(width_of_all(matrix->offsets), width);
  const RecordedProgram program{.skeleton = "merge",
                                .function = function.recorded,
                                .operands = in.size(),
                                .takes_values = true};
  const MoreArguments more = arguments_of(function, in);

  const Array<std::uint32_t> counts(rows, device.memory());
  if (rows > 0) {
    Kernel& kernel = device.kernel(program, precision_of<T>, "merge_count", width);
    device.launch_with(kernel, divided_up(rows, kernel.group), more.all(), rows, counts);
  }
  const ChunkSums sums = sum_chunks(device, precision_of<T>, rows, counts);
  Csr<T> result = sized<T>(rows, in.front()->cols, total_of(device, sums), width, device.memory());
  std::visit(
      [&](const auto& offsets) {
        write_offsets(device, precision_of<T>, rows, 1, counts, sums, offsets, offsets);
        if (result.nnz == 0) return;
        Kernel& kernel = device.kernel(program, precision_of<T>, "merge_fill", width);
        device.launch_with(kernel, divided_up(rows, kernel.group), more.all(), rows, offsets,
                           result.columns, result.values);
      },
      result.offsets);
  return result;
}

template Csr<float> merge(Executor&, const ElementFunction<float>&,
                          std::span<const Csr<float>* const>);
template Csr<double> merge(Executor&, const ElementFunction<double>&,
                           std::span<const Csr<double>* const>);

}  // namespace switchyard::opencl
