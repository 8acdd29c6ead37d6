// y = alpha A x + beta y for CSR with uneven rows: launching the kernels of csr_merge.cl.
#include "csr_kernel.hpp"
#include "device.hpp"
#include "lanes.hpp"
#include "operations.hpp"

namespace switchyard::opencl {
namespace {

template <Element T, class Offset>
ProgramKey program_of(const Array<Offset>& offsets) {
  return {"csr_merge", precision_of<T>, width_of(offsets)};
}

/// Words of 64 bits beside a matrix: see csr_merge.cl.
template <Element T>
Index words_beside(const Device& device, Index tiles) {
  const Index published = sizeof(T) / 4;
  const Index head = device.groups_can_wait() ? 0 : 1;
  return tiles + 1 + tiles * (published + head);
}

/// What is kept beside a matrix, made now if it is not there.
template <Element T, class Offset>
Derived& kept_beside(Device& device, Index rows, Index tiles, const Array<Offset>& offsets) {
  DerivedData& derived = device.derived();
  if (Derived* const kept = derived.find(offsets.handle(), DerivedKind::MergeTiles)) return *kept;
  Array<std::uint64_t> words(words_beside<T>(device, tiles), device.memory());
  Kernel& kernel = device.kernel(program_of<T>(offsets), "merge_starts");
  device.launch(kernel, divided_up(tiles + 1, kernel.group), rows, tiles, offsets, words);
  return derived.keep(offsets.handle(), DerivedKind::MergeTiles, std::move(words));
}

/// Finishes the rows that lie in several tiles, by a launch of its own.
template <Element T, class Offset>
void finish_rows(Device& device, Index tiles, const Array<Offset>& offsets,
                 const MultiplyArguments<T>& arguments, const Array<std::uint64_t>& words,
                 cl_uint number) {
  device.health().completing([&] {
    device.launch(device.kernel(program_of<T>(offsets), "merge_finish"), tiles, tiles, offsets,
                  arguments.alpha, arguments.beta, arguments.y, words, number);
  });
}

}  // namespace

template <Element T>
void multiply_csr_merge(const MultiplyArguments<T>& arguments) {
  const auto launch = [&](Device& device, Kernel& kernel, const Csr<T>& a, const auto& offsets) {
    const Index tiles = divided_up(a.rows + a.nnz, kernel.group * device.tuning().merge_items);
    Derived& kept = kept_beside<T>(device, a.rows, tiles, offsets);
    // Another call in between would overwrite what this one's second launch reads.
    const std::lock_guard lock(kept.mutex);
    const cl_uint number = ++kept.launches;
    device.launch(kernel, tiles, a.rows, a.nnz, offsets, a.columns, a.values, arguments.alpha,
                  arguments.x, arguments.beta, arguments.y, kept.array, number);
    if (tiles == 1 || device.groups_can_wait()) return;
    finish_rows(device, tiles, offsets, arguments, kept.array, number);
  };
  with_csr_kernel(arguments, {"csr_merge", "csr_merge"}, launch);
}

template void multiply_csr_merge(const MultiplyArguments<float>&);
template void multiply_csr_merge(const MultiplyArguments<double>&);

}  // namespace switchyard::opencl
