// y = alpha A x + beta y for diagonals, and their conversion to CSR, on a device.
#include "dia.hpp"

#include "device.hpp"
#include "lanes.hpp"
#include "scan.hpp"

namespace switchyard::opencl {

template <Element T>
void multiply_dia(const MultiplyArguments<T>& arguments) {
  Device& device = device_of(arguments.executor);
  const auto& a = std::get<Dia<T>>(arguments.matrix);
  if (a.rows == 0) return;
  Kernel& kernel =
      device.kernel({"dia_multiply", precision_of<T>, OffsetWidth::Narrow}, "dia_rows");
  device.launch(kernel, divided_up(a.rows, kernel.group), a.rows, a.diagonals.size(), a.diagonals,
                a.masks, a.values, arguments.alpha, arguments.x, arguments.beta, arguments.y);
}

template <Element T>
Storage<T> convert_dia_to_csr(Executor& executor, const Storage<T>& matrix) {
  Device& device = device_of(executor);
  const auto& from = std::get<Dia<T>>(matrix);
  auto to = Csr<T>::sized(from.rows, from.cols, from.nnz, device.memory());
  std::visit(
      [&](const auto& offsets) {
        const ProgramKey key{"dia_convert", precision_of<T>, width_of(offsets)};
        const Array<std::uint32_t> lengths(from.rows, device.memory());
        if (from.rows > 0) {
          Kernel& count = device.kernel(key, "dia_lengths");
          device.launch(count, divided_up(from.rows, count.group), from.rows, from.diagonals.size(),
                        from.masks, lengths);
        }
        const ChunkSums sums = sum_chunks(device, precision_of<T>, from.rows, lengths);
        write_offsets(device, precision_of<T>, from.rows, 1, lengths, sums, offsets, offsets);
        if (from.nnz == 0) return;
        Kernel& fill = device.kernel(key, "fill_csr_from_dia");
        device.launch(fill, divided_up(from.rows, fill.group), from.rows, from.diagonals.size(),
                      from.diagonals, from.masks, from.values, offsets, to.columns, to.values);
      },
      to.offsets);
  return to;
}

template void multiply_dia(const MultiplyArguments<float>&);
template void multiply_dia(const MultiplyArguments<double>&);
template Storage<float> convert_dia_to_csr(Executor&, const Storage<float>&);
template Storage<double> convert_dia_to_csr(Executor&, const Storage<double>&);

}  // namespace switchyard::opencl
