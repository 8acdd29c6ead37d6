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
  return device.derived().find_or_keep(row_indices.handle(), DerivedKind::CooTiles, [&] {
    const Index published = sizeof(T) / 4;
    const Index head = device.groups_can_wait() ? 0 : 1;
    Array<std::uint64_t> words(tiles * (published + head), device.memory());
    Kernel& kernel = device.kernel(program_of<T>(row_indices), "coo_clear");
    device.launch(kernel, divided_up(words.size(), kernel.group), words.size(), words);
    return words;
  });
}

/// Finishes the rows that lie in several tiles, by a launch of its own.
template <Element T, class RowIndex>
void finish_rows(const MultiplyArguments<T>& arguments, Index tiles,
                 const Array<RowIndex>& row_indices, T beta, const Derived& kept) {
  Device& device = device_of(arguments.executor);
  device.health().completing([&] {
    device.launch(device.kernel(program_of<T>(row_indices), "coo_finish"), tiles, tiles,
                  row_indices.size(), row_indices, arguments.alpha, beta, arguments.y, kept.array,
                  cl_uint{kept.launches});
  });
}

Index tiles_of(const Device& device, const Kernel& kernel, Index elements) {
  return std::max<Index>(divided_up(elements, kernel.group * device.tuning().merge_items), 1);
}

/// y = alpha E x + beta y for elements E of a matrix of so many rows; 0 rows: those without
/// elements are not touched.
template <Element T>
void multiply_elements(const MultiplyArguments<T>& arguments, const CooElements<T>& elements,
                       Index rows, T beta) {
  Device& device = device_of(arguments.executor);
  std::visit(
      [&](const auto& row_indices) {
        Kernel& kernel = device.kernel(program_of<T>(row_indices), "coo_tiles");
        const Index tiles = tiles_of(device, kernel, row_indices.size());
        const auto launch = [&](const Array<std::uint64_t>& kept, cl_uint number) {
          device.launch(kernel, tiles, rows, row_indices.size(), elements.first, row_indices,
                        elements.columns, elements.values, arguments.alpha, arguments.x, beta,
                        arguments.y, kept, number);
        };
        if (tiles == 1) return launch({}, 0);
        Derived& kept = kept_beside<T>(device, tiles, row_indices);
        // Another call in between would overwrite what this one's second launch reads.
        const std::lock_guard lock(kept.mutex);
        launch(kept.array, ++kept.launches);
        if (device.groups_can_wait()) return;
        finish_rows(arguments, tiles, row_indices, beta, kept);
      },
      elements.rows_of);
}

/// Whether row indices have 64 bits, as coo_convert.cl takes it.
template <class RowIndex>
cl_uint is_wide(const Array<RowIndex>& /*row_indices*/) {
  return sizeof(RowIndex) == sizeof(std::int64_t) ? 1 : 0;
}

}  // namespace

template <Element T>
void prepare_coo(Device& device, const Offsets& rows_of) {
  std::visit(
      [&](const auto& row_indices) {
        const Kernel& kernel = device.kernel(program_of<T>(row_indices), "coo_tiles");
        const Index tiles = tiles_of(device, kernel, row_indices.size());
        if (tiles > 1) kept_beside<T>(device, tiles, row_indices);
      },
      rows_of);
}

template <Element T>
void add_coo_elements(const MultiplyArguments<T>& arguments, const CooElements<T>& elements) {
  multiply_elements(arguments, elements, 0, T{1});
}

template <Element T>
void multiply_coo(const MultiplyArguments<T>& arguments) {
  const auto& a = std::get<Coo<T>>(arguments.matrix);
  if (a.rows == 0) return;
  multiply_elements(arguments, CooElements<T>{a.row_indices, 0, a.columns, a.values}, a.rows,
                    arguments.beta);
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

template void prepare_coo<float>(Device&, const Offsets&);
template void prepare_coo<double>(Device&, const Offsets&);
template void add_coo_elements(const MultiplyArguments<float>&, const CooElements<float>&);
template void add_coo_elements(const MultiplyArguments<double>&, const CooElements<double>&);
template void multiply_coo(const MultiplyArguments<float>&);
template void multiply_coo(const MultiplyArguments<double>&);
template Storage<float> convert_csr_to_coo(Executor&, const Storage<float>&);
template Storage<double> convert_csr_to_coo(Executor&, const Storage<double>&);
template Storage<float> convert_coo_to_csr(Executor&, const Storage<float>&);
template Storage<double> convert_coo_to_csr(Executor&, const Storage<double>&);

}  // namespace switchyard::opencl
