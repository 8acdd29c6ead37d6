// y = alpha A x + beta y for ELLPACK, and its conversions from and to CSR, on a device.
#include "ell.hpp"

#include "device.hpp"
#include "lanes.hpp"
#include "room.hpp"
#include "scan.hpp"

namespace switchyard::opencl {
namespace {

constexpr std::string_view convert_program = "ell_convert";

/// Items for each row: more than one only where whole rows would leave a GPU idle.
Index lanes_of(const Device& device, Index group, Index rows, Index width) {
  if (!device.facts().is_gpu) return 1;
  const Index idle = items_at_once(device.facts()) / rows;
  const Index wanted = std::min(idle, width / device.tuning().ell_slots_per_lane);
  const auto lanes = std::bit_floor(static_cast<std::uint64_t>(wanted) | 1U);
  return std::min(static_cast<Index>(lanes), std::min(nvidia_warp, group));
}

/// How the slots of a matrix are shared out to convert them: rows by one item each, cut into parts
/// only where rows are too few to keep the device busy.
struct Share {
  Index groups = 0;
  cl_uint parts = 1;
  Index span = 0;  ///< slots of a part
};
Share share_of(const Device& device, const Kernel& kernel, Index rows, Index width) {
  const Index groups = divided_up(rows, kernel.group);
  const Index most = std::max<Index>(divided_up(width, device.tuning().ell_slots_per_part), 1);
  const Index parts = std::clamp<Index>(device.groups_wanted() / groups, 1, most);
  return {groups * parts, static_cast<cl_uint>(parts), divided_up(width, parts)};
}

/// Fills in the lengths and returns the longest; waits for it.
template <class Offset>
Index write_lengths(Device& device, const ProgramKey& key, const Array<Offset>& offsets,
                    Array<Column>& lengths) {
  std::uint32_t longest = 0;
  const Array<std::uint32_t> there(1, device.memory());
  device.memory()->copy_in(there.handle(), 0, &longest, sizeof longest);
  Kernel& kernel = device.kernel(key, "ell_lengths");
  device.launch(kernel, divided_up(lengths.size(), kernel.group), lengths.size(), offsets, lengths,
                there);
  device.memory()->copy_out(&longest, there.handle(), 0, sizeof longest);
  return Index{longest};
}

}  // namespace

template <Element T>
void multiply_ell_slots(const MultiplyArguments<T>& arguments, const EllSlots<T>& a) {
  Device& device = device_of(arguments.executor);
  const ProgramKey key{"ell_multiply", precision_of<T>, OffsetWidth::Narrow};
  Kernel& shared = device.kernel(key, "ell_lanes");
  const Index lanes = lanes_of(device, shared.group, a.rows, a.width);
  if (lanes > 1) {
    device.launch(shared, groups_for(a.rows, lanes, shared.group), a.rows,
                  static_cast<cl_uint>(lanes), a.lengths, a.columns, a.values, arguments.alpha,
                  arguments.x, arguments.beta, arguments.y);
    return;
  }
  Kernel& kernel = device.kernel(key, "ell_rows");
  device.launch(kernel, divided_up(a.rows, kernel.group), a.rows, a.lengths, a.columns, a.values,
                arguments.alpha, arguments.x, arguments.beta, arguments.y);
}

template <Element T>
void multiply_ell(const MultiplyArguments<T>& arguments) {
  const auto& a = std::get<Ell<T>>(arguments.matrix);
  if (a.rows == 0) return;
  multiply_ell_slots(arguments, EllSlots<T>{a.rows, a.width, a.lengths, a.columns, a.values});
}

template <Element T>
Storage<T> convert_csr_to_ell(Executor& executor, const Storage<T>& matrix) {
  Device& device = device_of(executor);
  const auto& from = std::get<Csr<T>>(matrix);
  if (from.rows == 0) return Ell<T>::sized({0, from.cols, 0, 0, {}, {}, {}}, device.memory());
  return std::visit(
      [&](const auto& offsets) -> Storage<T> {
        const ProgramKey key{convert_program, precision_of<T>, width_of(offsets)};
        Array<Column> lengths(from.rows, device.memory());
        const Index width = write_lengths(device, key, offsets, lengths);
        require_room(device, from.rows, width, sizeof(T) + sizeof(Column));
        Ell<T> to{from.rows, from.cols, from.nnz, width, std::move(lengths), {}, {}};
        to.columns = Array<Column>(checked_product(to.rows, width), device.memory());
        to.values = Array<T>(to.columns.size(), device.memory());
        if (width == 0) return to;
        Kernel& kernel = device.kernel(key, "fill_ell");
        const Share share = share_of(device, kernel, to.rows, width);
        device.launch(kernel, share.groups, to.rows, width, share.parts, share.span, offsets,
                      from.columns, from.values, to.columns, to.values);
        return to;
      },
      from.offsets);
}

template <Element T>
Storage<T> convert_ell_to_csr(Executor& executor, const Storage<T>& matrix) {
  Device& device = device_of(executor);
  const auto& from = std::get<Ell<T>>(matrix);
  auto to = Csr<T>::sized(from.rows, from.cols, from.nnz, device.memory());
  std::visit(
      [&](const auto& offsets) {
        const ChunkSums sums = sum_chunks(device, precision_of<T>, from.rows, from.lengths);
        write_offsets(device, precision_of<T>, from.rows, 1, from.lengths, sums, offsets, offsets);
        if (from.nnz == 0) return;
        const ProgramKey key{convert_program, precision_of<T>, width_of(offsets)};
        Kernel& kernel = device.kernel(key, "fill_csr_from_ell");
        const Share share = share_of(device, kernel, from.rows, from.width);
        device.launch(kernel, share.groups, from.rows, from.width, share.parts, share.span, offsets,
                      from.columns, from.values, to.columns, to.values);
      },
      to.offsets);
  return to;
}

template void multiply_ell_slots(const MultiplyArguments<float>&, const EllSlots<float>&);
template void multiply_ell_slots(const MultiplyArguments<double>&, const EllSlots<double>&);
template void multiply_ell(const MultiplyArguments<float>&);
template void multiply_ell(const MultiplyArguments<double>&);
template Storage<float> convert_csr_to_ell(Executor&, const Storage<float>&);
template Storage<double> convert_csr_to_ell(Executor&, const Storage<double>&);
template Storage<float> convert_ell_to_csr(Executor&, const Storage<float>&);
template Storage<double> convert_ell_to_csr(Executor&, const Storage<double>&);

}  // namespace switchyard::opencl
