// y = alpha A x + beta y for CSR with uneven rows, sorted by length: launching the kernels of
// csr_binned.cl.
#include "bins.hpp"
#include "csr_kernel.hpp"
#include "operations.hpp"

namespace switchyard::opencl {
namespace {

template <Element T, class Offset>
ProgramKey program_of(const Array<Offset>& offsets) {
  return {"csr_binned", precision_of<T>, width_of(offsets)};
}

/// Finishes the rows that are cut, by a launch of its own.
template <Element T, class Offset>
void finish_rows(Device& device, const Derived& kept, const Array<Offset>& offsets,
                 const MultiplyArguments<T>& arguments, cl_uint number) {
  device.health().completing([&] {
    device.launch(device.kernel(program_of<T>(offsets), "binned_finish"), kept.counts.pieces,
                  arguments.alpha, arguments.beta, arguments.y, kept.array, number);
  });
}

}  // namespace

template <Element T>
void multiply_csr_binned(const MultiplyArguments<T>& arguments) {
  const auto launch = [&](Device& device, Kernel& kernel, const Csr<T>& a, const auto& offsets) {
    if (!fits_bins(kernel.group, a.rows, a.nnz)) return multiply_csr_merge(arguments);
    Derived& kept = bins_beside<T>(device, a.rows, offsets);
    // Another call in between would overwrite what this one's second launch reads.
    const std::lock_guard lock(kept.mutex);
    const cl_uint number = ++kept.launches;
    device.launch(kernel, kept.counts.groups, a.columns, a.values, arguments.alpha, arguments.x,
                  arguments.beta, arguments.y, kept.array, number);
    if (kept.counts.pieces == 0 || device.groups_can_wait()) return;
    finish_rows(device, kept, offsets, arguments, number);
  };
  with_csr_kernel(arguments, {"csr_binned", "csr_binned"}, launch);
}

template void multiply_csr_binned(const MultiplyArguments<float>&);
template void multiply_csr_binned(const MultiplyArguments<double>&);

}  // namespace switchyard::opencl
