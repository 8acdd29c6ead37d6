// Operations on vectors on a device: launching them, and fetching sums.
#include "vector_operations.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "device.hpp"
#include "lanes.hpp"

namespace switchyard::opencl {
namespace {

template <Element T>
constexpr ProgramKey vector_program{"vector_operations", precision_of<T>, OffsetWidth::Narrow};

/// Work-groups of a reduction at most, each of which leaves one sum: enough to keep a GPU busy, and
/// few to fetch where they cannot meet.
constexpr Index most_sums = 1024;

template <Element T, class... Arguments>
void launch_elementwise(Executor& executor, std::string_view name, const Array<T>& z,
                        const Arguments&... arguments) {
  if (z.size() == 0) return;
  Device& device = device_of(executor);
  Kernel& kernel = device.kernel(vector_program<T>, name);
  const Index share = kernel.group * device.tuning().elements_per_item;
  device.launch(kernel, divided_up(z.size(), share), z.size(), arguments...);
}

/// The sum of the first `count` numbers of type `Sum` that a reduction left.
template <class Sum>
double sum_of(const Array<double>& sums, Index count) {
  std::array<Sum, most_sums> fetched;
  sums.memory()->copy_out(fetched.data(), sums.handle(), 0,
                          static_cast<std::size_t>(count) * sizeof(Sum));
  double total = 0;
  for (Index i = 0; i < count; ++i) total += fetched[static_cast<std::size_t>(i)];
  return total;
}

template <Element T, class... Arrays>
double reduce(Executor& executor, std::string_view name, Index size, const Arrays&... arrays) {
  if (size == 0) return 0;
  Device& device = device_of(executor);
  Kernel& kernel = device.kernel(vector_program<T>, name);
  const Index share = kernel.group * device.tuning().elements_per_item;
  const Index groups = std::min(divided_up(size, share), most_sums);
  // Held until the sums are fetched: the next launch that needs scratch would overwrite them.
  const Device::Scratch scratch = device.scratch(groups);
  const bool meet = device.groups_can_meet();
  device.launch(kernel, groups, size, arrays..., scratch.array, cl_uint{meet}, scratch.arrivals);
  const Index left = meet ? 1 : groups;
  const bool in_double = device.facts().supports_double;
  return in_double ? sum_of<double>(scratch.array, left) : sum_of<float>(scratch.array, left);
}

}  // namespace

template <Element T>
void axpby(Executor& executor, const ElementwiseOperands<T>& operands) {
  const auto& [a, b, x, y, z] = operands;
  launch_elementwise(executor, "axpby", *z, a, *x, b, *z);
}

template <Element T>
void scale(Executor& executor, const ElementwiseOperands<T>& operands) {
  launch_elementwise(executor, "scale_elements", *operands.z, operands.a, *operands.z);
}

template <Element T>
void fill(Executor& executor, const ElementwiseOperands<T>& operands) {
  launch_elementwise(executor, "fill_elements", *operands.z, operands.a, *operands.z);
}

template <Element T>
void add(Executor& executor, const ElementwiseOperands<T>& operands) {
  launch_elementwise(executor, "add_to_elements", *operands.z, operands.a, *operands.z);
}

template <Element T>
void relu(Executor& executor, const ElementwiseOperands<T>& operands) {
  launch_elementwise(executor, "relu_elements", *operands.z, *operands.z);
}

template <Element T>
void multiply_elements(Executor& executor, const ElementwiseOperands<T>& operands) {
  launch_elementwise(executor, "multiply_elements", *operands.z, *operands.x, *operands.y,
                     *operands.z);
}

template <Element T>
double dot(Executor& executor, const Array<T>& x, const Array<T>* y) {
  return reduce<T>(executor, "dot_sums", x.size(), x, *y);
}

template <Element T>
double sum(Executor& executor, const Array<T>& x, const Array<T>*) {
  return reduce<T>(executor, "plain_sums", x.size(), x);
}

template void axpby(Executor&, const ElementwiseOperands<float>&);
template void axpby(Executor&, const ElementwiseOperands<double>&);
template void scale(Executor&, const ElementwiseOperands<float>&);
template void scale(Executor&, const ElementwiseOperands<double>&);
template void fill(Executor&, const ElementwiseOperands<float>&);
template void fill(Executor&, const ElementwiseOperands<double>&);
template void add(Executor&, const ElementwiseOperands<float>&);
template void add(Executor&, const ElementwiseOperands<double>&);
template void relu(Executor&, const ElementwiseOperands<float>&);
template void relu(Executor&, const ElementwiseOperands<double>&);
template void multiply_elements(Executor&, const ElementwiseOperands<float>&);
template void multiply_elements(Executor&, const ElementwiseOperands<double>&);
template double dot(Executor&, const Array<float>&, const Array<float>*);
template double dot(Executor&, const Array<double>&, const Array<double>*);
template double sum(Executor&, const Array<float>&, const Array<float>*);
template double sum(Executor&, const Array<double>&, const Array<double>*);

}  // namespace switchyard::opencl
