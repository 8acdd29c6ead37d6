// y = alpha A x + beta y for SELL, and its conversions from and to CSR, on a device.
#include "sell.hpp"

#include "device.hpp"
#include "lanes.hpp"
#include "room.hpp"
#include "scan.hpp"

namespace switchyard::opencl {
namespace {

constexpr std::string_view convert_program = "sell_convert";

/// C and sigma as kernels take them.
struct DeviceShape {
  cl_uint height;
  cl_uint window;
};
template <Element T>
DeviceShape device_shape(const Sell<T>& matrix) {
  const SellShape shape = matrix.shape();
  return {static_cast<cl_uint>(shape.height), static_cast<cl_uint>(shape.window)};
}

/// Orders the rows and writes where slices start; waits for the number of slots of a row in all
/// slices together, and returns it.
template <Element T, class Offset>
Index order_rows(Device& device, const Array<Offset>& offsets, Sell<T>& to) {
  const ProgramKey key{convert_program, precision_of<T>, width_of(offsets)};
  const auto [height, window] = device_shape(to);
  const Array<std::uint32_t> widths(to.slices(), device.memory());
  if (to.rows > 0) {
    device.launch(device.kernel(key, "sell_order"), divided_up(to.rows, Index{window}), to.rows,
                  height, window, offsets, to.order, to.lengths, widths);
  }
  const ChunkSums sums = sum_chunks(device, precision_of<T>, to.slices(), widths);
  write_offsets(device, precision_of<T>, to.slices(), 1, widths, sums, to.starts, to.starts);
  return total_of(device, sums);
}

}  // namespace

template <Element T>
void multiply_sell(const MultiplyArguments<T>& arguments) {
  Device& device = device_of(arguments.executor);
  const auto& a = std::get<Sell<T>>(arguments.matrix);
  if (a.rows == 0) return;
  const auto [height, window] = device_shape(a);
  Kernel& kernel =
      device.kernel({"sell_multiply", precision_of<T>, OffsetWidth::Narrow}, "sell_slices");
  device.launch(kernel, divided_up(a.rows, kernel.group), a.rows, height, window, a.starts, a.order,
                a.lengths, a.columns, a.values, arguments.alpha, arguments.x, arguments.beta,
                arguments.y);
}

template <Element T, Format format>
Storage<T> convert_csr_to_sell(Executor& executor, const Storage<T>& matrix) {
  Device& device = device_of(executor);
  const auto& from = std::get<Csr<T>>(matrix);
  auto to =
      Sell<T>::sized({format, from.rows, from.cols, from.nnz, {}, {}, {}, {}, {}}, device.memory());
  std::visit(
      [&](const auto& offsets) {
        const Index widths = order_rows(device, offsets, to);
        const auto [height, window] = device_shape(to);
        require_room(device, widths, Index{height}, sizeof(T) + sizeof(Column));
        to.add_slots(widths, device.memory());
        if (widths == 0) return;
        const ProgramKey key{convert_program, precision_of<T>, width_of(offsets)};
        Kernel& kernel = device.kernel(key, "fill_sell");
        const Index positions = to.lengths.size();
        device.launch(kernel, divided_up(positions, kernel.group), positions, height, window,
                      offsets, from.columns, from.values, to.starts, to.order, to.lengths,
                      to.columns, to.values);
      },
      from.offsets);
  return to;
}

template <Element T>
Storage<T> convert_sell_to_csr(Executor& executor, const Storage<T>& matrix) {
  Device& device = device_of(executor);
  const auto& from = std::get<Sell<T>>(matrix);
  const DeviceShape shape = device_shape(from);
  auto to = Csr<T>::sized(from.rows, from.cols, from.nnz, device.memory());
  std::visit(
      [&](const auto& offsets) {
        const ProgramKey key{convert_program, precision_of<T>, width_of(offsets)};
        const Array<std::uint32_t> lengths(from.rows, device.memory());
        if (from.rows > 0) {
          Kernel& kernel = device.kernel(key, "lengths_by_row");
          device.launch(kernel, divided_up(from.rows, kernel.group), from.rows, shape.window,
                        from.order, from.lengths, lengths);
        }
        const ChunkSums sums = sum_chunks(device, precision_of<T>, from.rows, lengths);
        write_offsets(device, precision_of<T>, from.rows, 1, lengths, sums, offsets, offsets);
        if (from.nnz == 0) return;
        Kernel& kernel = device.kernel(key, "fill_csr_from_sell");
        device.launch(kernel, divided_up(from.rows, kernel.group), from.rows, shape.height,
                      shape.window, from.starts, from.order, from.lengths, from.columns,
                      from.values, offsets, to.columns, to.values);
      },
      to.offsets);
  return to;
}

template void multiply_sell(const MultiplyArguments<float>&);
template void multiply_sell(const MultiplyArguments<double>&);
template Storage<float> convert_csr_to_sell<float, Format::Sell8>(Executor&, const Storage<float>&);
template Storage<double> convert_csr_to_sell<double, Format::Sell8>(Executor&,
                                                                    const Storage<double>&);
template Storage<float> convert_csr_to_sell<float, Format::Sell32>(Executor&,
                                                                   const Storage<float>&);
template Storage<double> convert_csr_to_sell<double, Format::Sell32>(Executor&,
                                                                     const Storage<double>&);
template Storage<float> convert_sell_to_csr(Executor&, const Storage<float>&);
template Storage<double> convert_sell_to_csr(Executor&, const Storage<double>&);

}  // namespace switchyard::opencl
