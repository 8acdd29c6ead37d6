// y = alpha A x + beta y on a device: choosing the launch for each variant.
#include <algorithm>
#include <bit>

#include "csr_kernel.hpp"
#include "csr_lanes.hpp"
#include "device.hpp"
#include "lanes.hpp"
#include "operations.hpp"

namespace switchyard::opencl {
namespace {

template <Element T>
constexpr ProgramKey dense_program{"dense_multiply", precision_of<T>, OffsetWidth::Narrow};

/// How a few long rows are cut, so that every stretch is a work-group's.
struct Split {
  Index parts = 1;  ///< stretches of a row
  Index width = 0;  ///< columns of each but the last
};

template <Element T>
Split split_for(const Device& device, Index group, Index rows, Index cols) {
  // What a work-group reads in one pass, with four loads of 16 bytes for each item.
  const Index pass = group * (64 / Index{sizeof(T)});
  // Only where whole rows would leave most of the device idle.
  if (rows > device.most_meetings()) return {};
  const Index parts = std::min(device.groups_wanted() / 2 / rows, cols / pass);
  if (parts < 2) return {};
  // Whole passes, which also keeps 16-byte loads aligned.
  const Index width = divided_up(divided_up(cols, parts), pass) * pass;
  return {divided_up(cols, width), width};
}

/// Whether all rows start on 16 bytes and are whole vectors of as many: then there are kernels
/// that need fewer registers.
template <Element T>
bool is_aligned(const Dense<T>& a) {
  return a.cols % (16 / Index{sizeof(T)}) == 0;
}

template <Element T>
void multiply_split(Device& device, const Dense<T>& a, Split split,
                    const MultiplyArguments<T>& arguments) {
  Kernel& partial =
      device.kernel(dense_program<T>, is_aligned(a) ? "dense_partial" : "dense_partial_unaligned");
  const auto parts = static_cast<cl_uint>(split.parts);
  const bool meet = device.groups_can_meet();
  const Device::Scratch scratch = device.scratch(a.rows * split.parts);
  device.launch(partial, a.rows * split.parts, a.rows, a.cols, parts, split.width, a.values,
                arguments.alpha, arguments.x, arguments.beta, arguments.y, scratch.array,
                cl_uint{meet}, scratch.arrivals);
  if (meet) return;
  device.launch(device.kernel(dense_program<T>, "dense_combine"), a.rows, parts, scratch.array,
                arguments.alpha, arguments.beta, arguments.y);
}

/// Items for each row of a dense matrix: each is to have loads enough to repay what it costs,
/// unless other items would be idle (H200, 479 x 479: 5.9 us with 16 items a row, 3.6 with 64).
template <Element T>
Index dense_lanes(const Device& device, Index group, const Dense<T>& a) {
  const Index loads = a.cols / (16 / Index{sizeof(T)});
  const Index to_fill = std::min(loads, lanes_to_fill(device.facts(), a.rows));
  const Index repaid = loads / device.tuning().dense_loads_per_lane;
  const auto to_repay = static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(repaid) | 1U));
  return lanes_for(std::max(to_repay, to_fill), group);
}

/// Many short rows: each work-group takes as many as fit into its local memory.
template <Element T>
void multiply_narrow(Device& device, const Dense<T>& a, const MultiplyArguments<T>& arguments) {
  Kernel& kernel = device.kernel(dense_program<T>, "dense_narrow");
  const Index wide = 16 / Index{sizeof(T)};
  const Index share = kernel.group * device.tuning().narrow_loads * wide / a.cols / wide * wide;
  device.launch(kernel, divided_up(a.rows, share), a.rows, static_cast<cl_uint>(a.cols),
                static_cast<cl_uint>(share), a.values, arguments.alpha, arguments.x, arguments.beta,
                arguments.y);
}

/// Whether there are enough short rows for `multiply_narrow`.
template <Element T>
bool is_narrow(const Device& device, const Dense<T>& a) {
  const Tuning& tuning = device.tuning();
  const Index most = is_aligned(a) ? tuning.narrow_aligned_columns : tuning.narrow_columns;
  return a.cols > 0 && a.cols <= most && a.rows >= device.groups_wanted();
}

/// Rows for each work-group of csr_stream: as many as their nonzeros should fit into local memory,
/// in whole warps, so that y is written in whole lines.
template <Element T>
Index stream_share(const Device& device, Index group, const Csr<T>& a) {
  const Index piece = group * (device.tuning().stream_bytes / Index{sizeof(T)});
  const double mean = static_cast<double>(a.nnz) / static_cast<double>(a.rows);
  const auto fitting = static_cast<Index>(static_cast<double>(piece) / std::max(mean, 1.0));
  return std::clamp<Index>(fitting / 32 * 32, 32, std::max<Index>(32, piece / 2));
}

}  // namespace

template <Element T>
void multiply_dense_scalar(const MultiplyArguments<T>& arguments) {
  Device& device = device_of(arguments.executor);
  const auto& a = std::get<Dense<T>>(arguments.matrix);
  if (a.rows == 0) return;
  Kernel& kernel = device.kernel(dense_program<T>, "dense_scalar");
  const Index groups = divided_up(a.rows, kernel.group);
  device.launch(kernel, groups, a.rows, a.cols, a.values, arguments.alpha, arguments.x,
                arguments.beta, arguments.y);
}

template <Element T>
void multiply_dense_group(const MultiplyArguments<T>& arguments) {
  Device& device = device_of(arguments.executor);
  const auto& a = std::get<Dense<T>>(arguments.matrix);
  if (a.rows == 0) return;
  Kernel& kernel =
      device.kernel(dense_program<T>, is_aligned(a) ? "dense_group" : "dense_group_unaligned");
  if (is_narrow(device, a)) return multiply_narrow(device, a, arguments);
  const Split split = split_for<T>(device, kernel.group, a.rows, a.cols);
  if (split.parts > 1) return multiply_split(device, a, split, arguments);
  const Index lanes = dense_lanes(device, kernel.group, a);
  device.launch(kernel, groups_for(a.rows, lanes, kernel.group), a.rows, a.cols,
                static_cast<cl_uint>(lanes), a.values, arguments.alpha, arguments.x, arguments.beta,
                arguments.y);
}

template <Element T>
void multiply_csr_scalar(const MultiplyArguments<T>& arguments) {
  const auto launch = [&](Device& device, Kernel& kernel, const Csr<T>& a, const auto& offsets) {
    device.launch(kernel, divided_up(a.rows, kernel.group), a.rows, offsets, a.columns, a.values,
                  arguments.alpha, arguments.x, arguments.beta, arguments.y);
  };
  with_csr_kernel(arguments, {"csr_multiply", "csr_scalar"}, launch);
}

template <Element T>
void multiply_csr_vector(const MultiplyArguments<T>& arguments) {
  const auto launch = [&](Device& device, Kernel& kernel, const Csr<T>& a, const auto& offsets) {
    const Index lanes = csr_lanes<T>(device, kernel.group, a);
    device.launch(kernel, groups_for(a.rows, lanes, kernel.group), a.rows,
                  static_cast<cl_uint>(lanes), offsets, a.columns, a.values, arguments.alpha,
                  arguments.x, arguments.beta, arguments.y);
  };
  with_csr_kernel(arguments, {"csr_multiply", "csr_vector"}, launch);
}

template <Element T>
void multiply_csr_stream(const MultiplyArguments<T>& arguments) {
  const auto launch = [&](Device& device, Kernel& kernel, const Csr<T>& a, const auto& offsets) {
    const Index share = stream_share(device, kernel.group, a);
    device.launch(kernel, divided_up(a.rows, share), a.rows, static_cast<cl_uint>(share), offsets,
                  a.columns, a.values, arguments.alpha, arguments.x, arguments.beta, arguments.y);
  };
  with_csr_kernel(arguments, {"csr_stream", "csr_stream"}, launch);
}

template void multiply_dense_scalar(const MultiplyArguments<float>&);
template void multiply_dense_scalar(const MultiplyArguments<double>&);
template void multiply_dense_group(const MultiplyArguments<float>&);
template void multiply_dense_group(const MultiplyArguments<double>&);
template void multiply_csr_scalar(const MultiplyArguments<float>&);
template void multiply_csr_scalar(const MultiplyArguments<double>&);
template void multiply_csr_vector(const MultiplyArguments<float>&);
template void multiply_csr_vector(const MultiplyArguments<double>&);
template void multiply_csr_stream(const MultiplyArguments<float>&);
template void multiply_csr_stream(const MultiplyArguments<double>&);

}  // namespace switchyard::opencl
