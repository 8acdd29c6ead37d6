// Products of CSR with the other operand: launching the kernels of csr_scatter.cl.
#include "csr_kernel.hpp"
#include "lanes.hpp"
#include "operations.hpp"

namespace switchyard::opencl {
namespace {

/// Each stretch of rows has sums of its own: more of them than this take longer to add up than
/// they save.
constexpr Index most_stretches = 256;
/// All sums together take this many bytes at most, unless there is one stretch only.
constexpr Index most_bytes_of_sums = Index{1} << 26;

Index stretches_of(Index rows, Index bytes) {
  const Index room = most_bytes_of_sums / std::max<Index>(bytes, 1);
  return std::clamp<Index>(std::min(room, rows), 1, most_stretches);
}

}  // namespace

template <Element T>
void multiply_csr_scatter(const MultiplyArguments<T>& arguments) {
  Device& device = device_of(arguments.executor);
  const Csr<T>& a = compressed_rows(arguments.matrix);
  const Index width = a.cols * arguments.columns;
  if (width == 0) return;
  const Index stretches = stretches_of(a.rows, width * Index{sizeof(T)});
  const Index bytes = width * stretches * Index{sizeof(T)};
  const Device::Scratch sums = device.scratch(divided_up(bytes, Index{sizeof(double)}));
  std::visit(
      [&](const auto& offsets) {
        const ProgramKey program{"csr_scatter", precision_of<T>, width_of(offsets)};
        device.launch(device.kernel(program, "csr_scatter"), stretches, a.rows, width,
                      arguments.columns, offsets, a.columns, a.values, arguments.x, sums.array);
        Kernel& finish = device.kernel(program, "scatter_finish");
        device.launch(finish, divided_up(width, finish.group), width, stretches, sums.array,
                      arguments.alpha, arguments.beta, arguments.y);
      },
      a.offsets);
}

template void multiply_csr_scatter(const MultiplyArguments<float>&);
template void multiply_csr_scatter(const MultiplyArguments<double>&);

}  // namespace switchyard::opencl
