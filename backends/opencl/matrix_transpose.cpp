// The transpose of a matrix on a device, made by copying there.
#include "device.hpp"
#include "lanes.hpp"
#include "matrix_skeletons.hpp"

namespace switchyard::opencl {
namespace {

template <Element T>
constexpr ProgramKey transpose_program{"transpose", precision_of<T>, OffsetWidth::Narrow};

/// A copy within the device.
template <Element T, class Copied>
Array<Copied> copied(Device& device, const Array<Copied>& from) {
  static_assert(sizeof(Copied) % sizeof(cl_uint) == 0);
  Array<Copied> to(from.size(), device.memory());
  const Index words = from.size() * Index{sizeof(Copied) / sizeof(cl_uint)};
  if (words == 0) return to;
  Kernel& kernel = device.kernel(transpose_program<T>, "copy_words");
  const Index share = kernel.group * device.tuning().elements_per_item;
  device.launch(kernel, divided_up(words, share), words, from, to);
  return to;
}

template <Element T>
Csr<T> copied(Device& device, const Csr<T>& from) {
  Csr<T> to = from.header();
  to.offsets = std::visit(
      [&](const auto& offsets) -> Offsets { return copied<T>(device, offsets); }, from.offsets);
  to.columns = copied<T>(device, from.columns);
  to.values = copied<T>(device, from.values);
  return to;
}

template <Element T>
Dense<T> transpose_of(Device& device, const Dense<T>& matrix) {
  auto result = Dense<T>::sized(matrix.cols, matrix.rows, device.memory());
  if (matrix.values.size() == 0) return result;
  Kernel& kernel = device.kernel(transpose_program<T>, "transpose_dense");
  constexpr Index tile = 32;  // TILE in transpose.cl
  const Index tiles = divided_up(matrix.rows, tile) * divided_up(matrix.cols, tile);
  device.launch(kernel, tiles, matrix.rows, matrix.cols, matrix.values, result.values);
  return result;
}

}  // namespace

template <Element T>
Storage<T> transpose(Executor& executor, const Storage<T>& matrix) {
  Device& device = device_of(executor);
  if (const auto* const dense = std::get_if<Dense<T>>(&matrix)) return transpose_of(device, *dense);
  Csr<T> rows = copied<T>(device, compressed_rows(matrix));
  if (std::holds_alternative<Csc<T>>(matrix)) return rows;
  return Csc<T>{rows.cols, rows.rows, rows.nnz, std::move(rows)};
}

template Storage<float> transpose(Executor&, const Storage<float>&);
template Storage<double> transpose(Executor&, const Storage<double>&);

}  // namespace switchyard::opencl
