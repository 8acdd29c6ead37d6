// y = alpha A x + beta y for packets, and their conversion to CSR, on a device.
#include "packet.hpp"

#include "csr_lanes.hpp"
#include "device.hpp"
#include "offset_arguments.hpp"

namespace switchyard::opencl {

template <Element T>
void multiply_packets(const MultiplyArguments<T>& arguments) {
  Device& device = device_of(arguments.executor);
  const auto& a = std::get<Packets<T>>(arguments.matrix);
  if (a.rows == 0) return;
  std::visit(
      [&](const auto& offsets) {
        Kernel& kernel =
            device.kernel({"packet_multiply", precision_of<T>, width_of(offsets)}, "packet_rows");
        const Index warp = std::min<Index>(nvidia_warp, kernel.group);
        const Index lanes = std::min(csr_lanes<T>(device, kernel.group, a), warp);
        device.launch(kernel, a.count(), static_cast<cl_uint>(lanes), offsets, a.packets, a.pieces,
                      a.narrow, a.wide, a.values, arguments.alpha, arguments.x, arguments.beta,
                      arguments.y);
      },
      a.offsets);
}

template <Element T>
Storage<T> convert_packets_to_csr(Executor& executor, const Storage<T>& matrix) {
  Device& device = device_of(executor);
  const auto& from = std::get<Packets<T>>(matrix);
  auto to = Csr<T>::sized(from.rows, from.cols, from.nnz, device.memory());
  std::visit(
      [&](const auto& offsets) {
        Kernel& kernel = device.kernel({"packet_convert", precision_of<T>, width_of(offsets)},
                                       "fill_csr_from_packets");
        // Without packets, a group writes the only offset.
        device.launch(kernel, std::max<Index>(from.count(), 1), from.rows, offsets, from.packets,
                      from.pieces, from.narrow, from.wide, from.values, offsets32(to.offsets),
                      offsets64(to.offsets), to.columns, to.values);
      },
      from.offsets);
  return to;
}

template void multiply_packets(const MultiplyArguments<float>&);
template void multiply_packets(const MultiplyArguments<double>&);
template Storage<float> convert_packets_to_csr(Executor&, const Storage<float>&);
template Storage<double> convert_packets_to_csr(Executor&, const Storage<double>&);

}  // namespace switchyard::opencl
