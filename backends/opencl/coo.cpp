// y = alpha A x + beta y for coordinates, and their conversions from and to CSR, on a device.
#include "coo.hpp"

#include "device.hpp"
#include "lanes.hpp"

namespace switchyard::opencl {
namespace {

template <Element T, class RowIndex>
ProgramKey program_of(const Array<RowIndex>& row_indices) {
  return {"coo_multiply", precision_of<T>, width_of(row_indices)};
}

/// What is kept beside a matrix, made now if it is not there: see coo_multiply.cl.
template <Element T, class RowIndex>
Derived& kept_beside(Device& device, Index tiles, const Array<RowIndex>& row_indices) {
  DerivedData& derived = device.derived();
  const void* const source = row_indices.handle();
  if (Derived* const kept = derived.find(source, DerivedKind::CooTiles)) return *kept;
  const Index published = sizeof(T) / 4;
  const Index head = device.groups_can_wait() ? 0 : 1;
  Array<std::uint64_t> words(tiles * (published + head), device.memory());
  Kernel& kernel = device.kernel(program_of<T>(row_indices), "coo_clear");
  device.launch(kernel, divided_up(words.size(), kernel.group), words.size(), words);
  return derived.keep(source, DerivedKind::CooTiles, std::move(words));
}

/// Finishes the rows that lie in several tiles, by a launch of its own.
template <Element T, class RowIndex>
void finish_rows(Device& device, Index tiles, const Array<RowIndex>& row_indices,
                 const MultiplyArguments<T>& arguments, const Derived& kept) {
  try {
    device.launch(device.kernel(program_of<T>(row_indices), "coo_finish"), tiles, tiles,
                  row_indices.size(), row_indices, arguments.alpha, arguments.beta, arguments.y,
                  kept.array, cl_uint{kept.launches});
  } catch (const Error& error) {
    // Half of the product stands where the old y was: nobody may take it for either.
    device.health().lose(error.what());
  }
}

/// Whether row indices have 64 bits, as coo_convert.cl takes it.
template <class RowIndex>
cl_uint is_wide(const Array<RowIndex>& /*row_indices*/) {
  return sizeof(RowIndex) == sizeof(std::int64_t) ? 1 : 0;
}

}  // namespace

template <Element T>
void multiply_coo(const MultiplyArguments<T>& arguments) {
  Device& device = device_of(arguments.executor);
  const auto& a = std::get<Coo<T>>(arguments.matrix);
  if (a.rows == 0) return;
  std::visit(
      [&](const auto& row_indices) {
        Kernel& kernel = device.kernel(program_of<T>(row_indices), "coo_tiles");
        const Index tile = kernel.group * device.tuning().merge_items;
        const Index tiles = std::max<Index>(divided_up(a.nnz, tile), 1);
        const auto launch = [&](const Array<std::uint64_t>& kept, cl_uint number) {
          device.launch(kernel, tiles, a.rows, a.nnz, row_indices, a.columns, a.values,
                        arguments.alpha, arguments.x, arguments.beta, arguments.y, kept, number);
        };
        if (tiles == 1) return launch({}, 0);
        Derived& kept = kept_beside<T>(device, tiles, row_indices);
        // Another call in between would overwrite what this one's second launch reads.
        const std::lock_guard lock(kept.mutex);
        launch(kept.array, ++kept.launches);
        if (device.groups_can_wait()) return;
        finish_rows(device, tiles, row_indices, arguments, kept);
      },
      a.row_indices);
}

template <Element T>
Storage<T> convert_csr_to_coo(Executor& executor, const Storage<T>& matrix) {
  Device& device = device_of(executor);
  const auto& from = std::get<Csr<T>>(matrix);
  auto to = Coo<T>::sized(from.rows, from.cols, from.nnz, device.memory());
  if (from.nnz == 0) return to;
  std::visit(
      [&](const auto& offsets, const auto& row_indices) {
        Kernel& kernel =
            device.kernel({"coo_convert", precision_of<T>, width_of(offsets)}, "coo_from_csr");
        device.launch(kernel, divided_up(from.nnz, kernel.group), from.rows, from.nnz,
                      is_wide(row_indices), offsets, from.columns, from.values, row_indices,
                      to.columns, to.values);
      },
      from.offsets, to.row_indices);
  return to;
}

template <Element T>
Storage<T> convert_coo_to_csr(Executor& executor, const Storage<T>& matrix) {
  Device& device = device_of(executor);
  const auto& from = std::get<Coo<T>>(matrix);
  auto to = Csr<T>::sized(from.rows, from.cols, from.nnz, device.memory());
  std::visit(
      [&](const auto& row_indices, const auto& offsets) {
        Kernel& kernel =
            device.kernel({"coo_convert", precision_of<T>, width_of(offsets)}, "csr_from_coo");
        device.launch(kernel, divided_up(std::max(from.rows + 1, from.nnz), kernel.group),
                      from.rows, from.nnz, is_wide(row_indices), row_indices, from.columns,
                      from.values, offsets, to.columns, to.values);
      },
      from.row_indices, to.offsets);
  return to;
}

template void multiply_coo(const MultiplyArguments<float>&);
template void multiply_coo(const MultiplyArguments<double>&);
template Storage<float> convert_csr_to_coo(Executor&, const Storage<float>&);
template Storage<double> convert_csr_to_coo(Executor&, const Storage<double>&);
template Storage<float> convert_coo_to_csr(Executor&, const Storage<float>&);
template Storage<double> convert_coo_to_csr(Executor&, const Storage<double>&);

}  // namespace switchyard::opencl
