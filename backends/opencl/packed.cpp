// y = alpha A x + beta y for packed CSR on a device.
#include "packed.hpp"

#include "csr_lanes.hpp"
#include "device.hpp"
#include "packed_arrays.hpp"

namespace switchyard::opencl {
namespace {

/// Launches a multiplication; `first` are the arguments before the arrays.
template <Element T, class... First>
void launch_multiply(const MultiplyArguments<T>& arguments, Device& device, Kernel& kernel,
                     Index groups, const First&... first) {
  with_arrays(std::get<Packed<T>>(arguments.matrix), [&](const auto& arrays) {
    std::apply(
        [&](const auto&... array) {
          device.launch(kernel, groups, first..., array..., arguments.alpha, arguments.x,
                        arguments.beta, arguments.y);
        },
        arrays);
  });
}

template <Element T>
Kernel& multiply_kernel(Device& device, const Packed<T>& a, std::string_view name) {
  const OffsetWidth width =
      std::visit([](const auto& offsets) { return width_of(offsets); }, a.offsets);
  return device.kernel({packed_programs(a.format).multiply, precision_of<T>, width}, name);
}

/// Elements that an item of packed_wide reads at once (PORTION in the kernels).
constexpr Index wide_portion = 4;
/// The items that share a row in packed_wide: the 16 bits of a head reach over the heads of so
/// many.
constexpr Index most_wide_lanes = 256;

}  // namespace

template <Element T>
void multiply_packed_scalar(const MultiplyArguments<T>& arguments) {
  Device& device = device_of(arguments.executor);
  const auto& a = std::get<Packed<T>>(arguments.matrix);
  if (a.rows == 0) return;
  Kernel& kernel = multiply_kernel(device, a, "packed_scalar");
  launch_multiply(arguments, device, kernel, divided_up(a.rows, kernel.group), a.rows);
}

template <Element T>
void multiply_packed_vector(const MultiplyArguments<T>& arguments) {
  Device& device = device_of(arguments.executor);
  const auto& a = std::get<Packed<T>>(arguments.matrix);
  if (a.rows == 0) return;
  Kernel& kernel = multiply_kernel(device, a, "packed_vector");
  const Index lanes = csr_lanes<T>(device, kernel.group, a);
  launch_multiply(arguments, device, kernel, groups_for(a.rows, lanes, kernel.group), a.rows,
                  static_cast<cl_uint>(lanes));
}

template <Element T>
void multiply_packed_wide(const MultiplyArguments<T>& arguments) {
  Device& device = device_of(arguments.executor);
  const auto& a = std::get<Packed<T>>(arguments.matrix);
  if (a.rows == 0) return;
  Kernel& kernel = multiply_kernel(device, a, "packed_wide");
  const Index most = std::min(kernel.group, most_wide_lanes);
  const Index mean = divided_up(a.nnz, a.rows);
  const Index to_fill = std::min(lanes_to_fill(device.facts(), a.rows), mean / wide_portion);
  Index wanted = std::max(mean / device.tuning().packed_elements_per_lane, to_fill);
  // Items of a team take a head each: more teams than that have nothing to do.
  const bool by_heads = a.coding().columns == ColumnCoding::Blocked8;
  if (by_heads) {
    wanted = std::min(wanted, a.heads.size() / words_of_head(a.cols) / a.rows);
  }
  const Tuning& tuning = device.tuning();
  const Index in_warp = std::max(lanes_for(mean / tuning.packed_elements_in_warp, nvidia_warp),
                                 tuning.fewest_packed_lanes);
  const Index fewest = by_heads ? nvidia_warp : in_warp;
  const Index lanes = lanes_for(std::max(wanted, fewest), most);
  launch_multiply(arguments, device, kernel, groups_for(a.rows, lanes, kernel.group), a.rows,
                  static_cast<cl_uint>(lanes));
}

template void multiply_packed_scalar(const MultiplyArguments<float>&);
template void multiply_packed_scalar(const MultiplyArguments<double>&);
template void multiply_packed_vector(const MultiplyArguments<float>&);
template void multiply_packed_vector(const MultiplyArguments<double>&);
template void multiply_packed_wide(const MultiplyArguments<float>&);
template void multiply_packed_wide(const MultiplyArguments<double>&);

}  // namespace switchyard::opencl
