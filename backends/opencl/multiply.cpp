// y = alpha A x + beta y on a device: choosing the launch for each variant.
#include <string_view>

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
  const Index wanted = std::min(device.groups_wanted(), Device::scratch_elements) / rows;
  const Index parts = std::min(wanted, cols / pass);
  if (parts < 2) return {};
  // Whole passes, which also keeps 16-byte loads aligned.
  const Index width = divided_up(divided_up(cols, parts), pass) * pass;
  return {divided_up(cols, width), width};
}

template <Element T>
void multiply_split(Device& device, const Dense<T>& a, Split split, T alpha, const Array<T>& x,
                    T beta, Array<T>& y) {
  Kernel& partial = device.kernel(dense_program<T>, "dense_partial");
  Kernel& combine = device.kernel(dense_program<T>, "dense_combine");
  const auto parts = static_cast<cl_uint>(split.parts);
  const Device::Scratch scratch = device.scratch();
  device.launch(partial, a.rows * split.parts, a.rows, a.cols, parts, split.width, a.values, x,
                scratch.array);
  device.launch(combine, a.rows, parts, scratch.array, alpha, beta, y);
}

/// Items for each row of a dense matrix. What an item costs before and after its loads is paid back
/// by eight loads of 16 bytes (H200, 2^20 x 256 float: 249 us with 8 items a row, 610 with 64).
template <Element T>
Index dense_lanes(Index group, Index cols) {
  const Index loads = cols / (16 / Index{sizeof(T)});
  return lanes_for(loads / 8 + 1, group);
}

/// Items for each row of a CSR matrix: four elements of the mean row to each, up to a warp; more
/// for very long rows, or where rows are too few to fill the device otherwise.
template <Element T>
Index csr_lanes(const Device& device, Index group, const Csr<T>& a) {
  const Index mean = divided_up(a.nnz, a.rows);
  const Index warp = std::min<Index>(32, group);
  if (mean <= 4 * warp) return lanes_for(divided_up(mean, 4), warp);
  const Index to_fill = divided_up(device.groups_wanted() * group, a.rows);
  return lanes_for(std::clamp(std::min(to_fill, mean / 64), warp, group), group);
}

/// Hands `launch` the matrix, its offsets in their own width, and the kernel `name` for that width.
template <Element T, class Launch>
void with_csr_kernel(Executor& executor, const Storage<T>& matrix, std::string_view name,
                     const Launch& launch) {
  Device& device = device_of(executor);
  const auto& a = std::get<Csr<T>>(matrix);
  if (a.rows == 0) return;
  const auto launch_with = [&](const auto& offsets) {
    const ProgramKey key{"csr_multiply", precision_of<T>, width_of(offsets)};
    launch(device, device.kernel(key, name), a, offsets);
  };
  std::visit(launch_with, a.offsets);
}

}  // namespace

template <Element T>
void multiply_dense_scalar(Executor& executor, const Storage<T>& matrix, T alpha, const Array<T>& x,
                           T beta, Array<T>& y) {
  Device& device = device_of(executor);
  const auto& a = std::get<Dense<T>>(matrix);
  if (a.rows == 0) return;
  Kernel& kernel = device.kernel(dense_program<T>, "dense_scalar");
  const Index groups = divided_up(a.rows, kernel.group);
  device.launch(kernel, groups, a.rows, a.cols, a.values, alpha, x, beta, y);
}

template <Element T>
void multiply_dense_group(Executor& executor, const Storage<T>& matrix, T alpha, const Array<T>& x,
                          T beta, Array<T>& y) {
  Device& device = device_of(executor);
  const auto& a = std::get<Dense<T>>(matrix);
  if (a.rows == 0) return;
  Kernel& kernel = device.kernel(dense_program<T>, "dense_group");
  const Split split = split_for<T>(device, kernel.group, a.rows, a.cols);
  if (split.parts > 1) return multiply_split(device, a, split, alpha, x, beta, y);
  const Index lanes = dense_lanes<T>(kernel.group, a.cols);
  device.launch(kernel, groups_for(a.rows, lanes, kernel.group), a.rows, a.cols,
                static_cast<cl_uint>(lanes), a.values, alpha, x, beta, y);
}

template <Element T>
void multiply_csr_scalar(Executor& executor, const Storage<T>& matrix, T alpha, const Array<T>& x,
                         T beta, Array<T>& y) {
  const auto launch = [&](Device& device, Kernel& kernel, const Csr<T>& a, const auto& offsets) {
    device.launch(kernel, divided_up(a.rows, kernel.group), a.rows, offsets, a.columns, a.values,
                  alpha, x, beta, y);
  };
  with_csr_kernel(executor, matrix, "csr_scalar", launch);
}

template <Element T>
void multiply_csr_vector(Executor& executor, const Storage<T>& matrix, T alpha, const Array<T>& x,
                         T beta, Array<T>& y) {
  const auto launch = [&](Device& device, Kernel& kernel, const Csr<T>& a, const auto& offsets) {
    const Index lanes = csr_lanes(device, kernel.group, a);
    device.launch(kernel, groups_for(a.rows, lanes, kernel.group), a.rows,
                  static_cast<cl_uint>(lanes), offsets, a.columns, a.values, alpha, x, beta, y);
  };
  with_csr_kernel(executor, matrix, "csr_vector", launch);
}

template void multiply_dense_scalar(Executor&, const Storage<float>&, float, const Array<float>&,
                                    float, Array<float>&);
template void multiply_dense_scalar(Executor&, const Storage<double>&, double, const Array<double>&,
                                    double, Array<double>&);
template void multiply_dense_group(Executor&, const Storage<float>&, float, const Array<float>&,
                                   float, Array<float>&);
template void multiply_dense_group(Executor&, const Storage<double>&, double, const Array<double>&,
                                   double, Array<double>&);
template void multiply_csr_scalar(Executor&, const Storage<float>&, float, const Array<float>&,
                                  float, Array<float>&);
template void multiply_csr_scalar(Executor&, const Storage<double>&, double, const Array<double>&,
                                  double, Array<double>&);
template void multiply_csr_vector(Executor&, const Storage<float>&, float, const Array<float>&,
                                  float, Array<float>&);
template void multiply_csr_vector(Executor&, const Storage<double>&, double, const Array<double>&,
                                  double, Array<double>&);

}  // namespace switchyard::opencl
