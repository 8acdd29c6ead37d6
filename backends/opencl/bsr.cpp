// y = alpha A x + beta y for BSR, and its conversions from and to CSR, on a device.
#include "bsr.hpp"

#include "device.hpp"
#include "lanes.hpp"
#include "offset_arguments.hpp"
#include "room.hpp"
#include "scan.hpp"

namespace switchyard::opencl {
namespace {

/// The programs of a format, as `defined_programs` names them.
struct BsrPrograms {
  std::string_view multiply;
  std::string_view convert;
};
constexpr BsrPrograms programs_of(Format format) {
  if (format == Format::Bsr2) return {"bsr2_multiply", "bsr2_convert"};
  if (format == Format::Bsr3) return {"bsr3_multiply", "bsr3_convert"};
  return {"bsr4_multiply", "bsr4_convert"};
}

/// Blocks that repay what an item costs before and after them. A guess, not measured.
constexpr Index blocks_per_lane = 2;

/// Items for each block row: for the mean one, and up to a warp.
template <Element T>
Index lanes_of_blocks(const Bsr<T>& a, Index group) {
  const Index block_lanes = a.block() == 2 ? 2 : 4;  // BLOCK_LANES, a power of two
  const Index mean = divided_up(a.columns.size(), a.block_rows());
  const Index most = std::min<Index>(nvidia_warp, group);
  return lanes_for(block_lanes * std::max<Index>(divided_up(mean, blocks_per_lane), 1), most);
}

/// Turns counts into offsets, one more than counts. Returns the sums, from which the total can be
/// asked for.
template <Element T>
ChunkSums scan_into(Device& device, const Array<std::uint32_t>& counts, const Offsets& offsets) {
  ChunkSums sums = sum_chunks(device, precision_of<T>, counts.size(), counts);
  std::visit(
      [&](const auto& to) {
        write_offsets(device, precision_of<T>, counts.size(), 1, counts, sums, to, to);
      },
      offsets);
  return sums;
}

}  // namespace

template <Element T>
void multiply_bsr(const MultiplyArguments<T>& arguments) {
  Device& device = device_of(arguments.executor);
  const auto& a = std::get<Bsr<T>>(arguments.matrix);
  if (a.rows == 0) return;
  std::visit(
      [&](const auto& offsets) {
        const ProgramKey key{programs_of(a.format).multiply, precision_of<T>, width_of(offsets)};
        Kernel& kernel = device.kernel(key, "bsr_blocks");
        const Index lanes = lanes_of_blocks(a, kernel.group);
        device.launch(kernel, groups_for(a.block_rows(), lanes, kernel.group), a.rows, a.cols,
                      static_cast<cl_uint>(lanes), offsets, a.columns, a.masks, a.values,
                      arguments.alpha, arguments.x, arguments.beta, arguments.y);
      },
      a.offsets);
}

template <Element T, Format format>
Storage<T> convert_csr_to_bsr(Executor& executor, const Storage<T>& matrix) {
  constexpr Index b = bsr_block(format);
  Device& device = device_of(executor);
  const auto& from = std::get<Csr<T>>(matrix);
  auto to =
      Bsr<T>::sized({format, from.rows, from.cols, from.nnz, {}, {}, {}, {}}, device.memory());
  const Index block_rows = to.block_rows();
  const Array<std::uint32_t> counts(block_rows, device.memory());
  std::visit(
      [&](const auto& offsets) {
        const ProgramKey key{programs_of(format).convert, precision_of<T>, width_of(offsets)};
        Kernel& count = device.kernel(key, "count_blocks");
        if (block_rows > 0) {
          device.launch(count, divided_up(block_rows, count.group), from.rows, offsets,
                        from.columns, counts);
        }
        const Index blocks = total_of(device, scan_into<T>(device, counts, to.offsets));
        require_room(device, blocks, b * b, sizeof(T));
        to.add_blocks(blocks, device.memory());
        if (blocks == 0) return;
        Kernel& fill = device.kernel(key, "fill_blocks");
        device.launch(fill, divided_up(block_rows, fill.group), from.rows, offsets, from.columns,
                      from.values, offsets32(to.offsets), offsets64(to.offsets), to.columns,
                      to.masks, to.values);
      },
      from.offsets);
  return to;
}

template <Element T>
Storage<T> convert_bsr_to_csr(Executor& executor, const Storage<T>& matrix) {
  Device& device = device_of(executor);
  const auto& from = std::get<Bsr<T>>(matrix);
  auto to = Csr<T>::sized(from.rows, from.cols, from.nnz, device.memory());
  const Array<std::uint32_t> lengths(from.rows, device.memory());
  std::visit(
      [&](const auto& offsets) {
        const ProgramKey key{programs_of(from.format).convert, precision_of<T>, width_of(offsets)};
        Kernel& count = device.kernel(key, "lengths_of_rows");
        if (from.rows > 0) {
          device.launch(count, divided_up(from.rows, count.group), from.rows, offsets, from.masks,
                        lengths);
        }
        scan_into<T>(device, lengths, to.offsets);
        if (from.nnz == 0) return;
        Kernel& fill = device.kernel(key, "fill_rows");
        device.launch(fill, divided_up(from.rows, fill.group), from.rows, offsets, from.columns,
                      from.masks, from.values, offsets32(to.offsets), offsets64(to.offsets),
                      to.columns, to.values);
      },
      from.offsets);
  return to;
}

template void multiply_bsr(const MultiplyArguments<float>&);
template void multiply_bsr(const MultiplyArguments<double>&);
template Storage<float> convert_csr_to_bsr<float, Format::Bsr2>(Executor&, const Storage<float>&);
template Storage<double> convert_csr_to_bsr<double, Format::Bsr2>(Executor&,
                                                                  const Storage<double>&);
template Storage<float> convert_csr_to_bsr<float, Format::Bsr3>(Executor&, const Storage<float>&);
template Storage<double> convert_csr_to_bsr<double, Format::Bsr3>(Executor&,
                                                                  const Storage<double>&);
template Storage<float> convert_csr_to_bsr<float, Format::Bsr4>(Executor&, const Storage<float>&);
template Storage<double> convert_csr_to_bsr<double, Format::Bsr4>(Executor&,
                                                                  const Storage<double>&);
template Storage<float> convert_bsr_to_csr(Executor&, const Storage<float>&);
template Storage<double> convert_bsr_to_csr(Executor&, const Storage<double>&);

}  // namespace switchyard::opencl
