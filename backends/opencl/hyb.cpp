// y = alpha A x + beta y for HYB, and its conversion to CSR, on a device.
#include "hyb.hpp"

#include "coo.hpp"
#include "device.hpp"
#include "ell.hpp"
#include "lanes.hpp"
#include "scan.hpp"

namespace switchyard::opencl {

template <Element T>
void multiply_hyb(const MultiplyArguments<T>& arguments) {
  Device& device = device_of(arguments.executor);
  const auto& a = std::get<Hyb<T>>(arguments.matrix);
  if (a.rows == 0) return;
  // Built before anything is written.
  if (a.rest() > 0) prepare_coo<T>(device, a.rest_rows);
  multiply_ell_slots(arguments, EllSlots<T>{a.rows, a.width, a.lengths, a.columns, a.values});
  if (a.rest() == 0) return;
  device.health().completing([&] {
    add_coo_elements(arguments,
                     CooElements<T>{a.rest_rows, a.slots_of_rows(), a.columns, a.values});
  });
}

template <Element T>
Storage<T> convert_hyb_to_csr(Executor& executor, const Storage<T>& matrix) {
  Device& device = device_of(executor);
  const auto& from = std::get<Hyb<T>>(matrix);
  auto to = Csr<T>::sized(from.rows, from.cols, from.nnz, device.memory());
  std::visit(
      [&]<class RowIndex>(const Array<RowIndex>& rest_rows, const auto& offsets) {
        const ProgramKey key{"hyb_convert", precision_of<T>, width_of(offsets)};
        const cl_uint wide = sizeof(RowIndex) == sizeof(std::int64_t) ? 1 : 0;
        const Array<std::uint32_t> lengths(from.rows, device.memory());
        if (from.rows > 0) {
          Kernel& count = device.kernel(key, "hyb_lengths");
          device.launch(count, divided_up(from.rows, count.group), from.rows, from.width,
                        from.rest(), wide, from.lengths, rest_rows, lengths);
        }
        const ChunkSums sums = sum_chunks(device, precision_of<T>, from.rows, lengths);
        write_offsets(device, precision_of<T>, from.rows, 1, lengths, sums, offsets, offsets);
        if (from.nnz == 0) return;
        Kernel& fill = device.kernel(key, "fill_csr_from_hyb");
        device.launch(fill, divided_up(std::max(from.rows, from.rest()), fill.group), from.rows,
                      from.width, from.rest(), wide, from.lengths, rest_rows, offsets, from.columns,
                      from.values, to.columns, to.values);
      },
      from.rest_rows, to.offsets);
  return to;
}

template void multiply_hyb(const MultiplyArguments<float>&);
template void multiply_hyb(const MultiplyArguments<double>&);
template Storage<float> convert_hyb_to_csr(Executor&, const Storage<float>&);
template Storage<double> convert_hyb_to_csr(Executor&, const Storage<double>&);

}  // namespace switchyard::opencl
