// y = alpha A x + beta y for CSR and packed CSR with uneven rows: launching the kernels of
// csr_merge.cl.
#include <tuple>

#include "device.hpp"
#include "lanes.hpp"
#include "operations.hpp"
#include "packed.hpp"
#include "packed_arrays.hpp"

namespace switchyard::opencl {
namespace {

/// Words of 64 bits beside a matrix, so many for the start of each tile: see csr_merge.cl.
template <Element T>
Index words_beside(const Device& device, Index tiles, Index words_of_start) {
  const Index published = sizeof(T) / 4;
  const Index head = device.groups_can_wait() ? 0 : 1;
  return words_of_start * (tiles + 1) + tiles * (published + head);
}

/// Writes the head of each tile's first element behind the tiles' first rows.
template <class Offset, Element T>
void find_heads(Device& device, const ProgramKey& program, const Packed<T>& a, Index tiles,
                const Array<std::uint64_t>& words) {
  Kernel& kernel = device.kernel(program, "merge_heads");
  device.launch(kernel, divided_up(tiles + 1, kernel.group), a.rows, a.nnz, tiles,
                std::get<Array<Offset>>(a.offsets), std::get<Array<Offset>>(a.first_heads), a.heads,
                static_cast<cl_uint>(words_of_head(a.cols)), words);
}

/// What is kept beside a matrix, made now if it is not there. `blocked`: the matrix, if it has
/// heads.
template <Element T, class Offset>
Derived& kept_beside(Device& device, const ProgramKey& program, Index rows, Index tiles,
                     const Array<Offset>& offsets, const Packed<T>* blocked) {
  // A matrix in CSR may share the offsets, and keeps no heads.
  const auto& source = blocked ? std::get<Array<Offset>>(blocked->first_heads) : offsets;
  return device.derived().find_or_keep(source.handle(), DerivedKind::MergeTiles, [&] {
    Array<std::uint64_t> words(words_beside<T>(device, tiles, blocked ? 2 : 1), device.memory());
    Kernel& kernel = device.kernel(program, "merge_starts");
    device.launch(kernel, divided_up(tiles + 1, kernel.group), rows, tiles, offsets, words);
    if (blocked && blocked->nnz > 0) find_heads<Offset>(device, program, *blocked, tiles, words);
    return words;
  });
}

/// Finishes the rows that lie in several tiles, by a launch of its own.
template <Element T, class Offset>
void finish_rows(Device& device, const ProgramKey& program, Index tiles,
                 const Array<Offset>& offsets, const MultiplyArguments<T>& arguments,
                 const Array<std::uint64_t>& words, cl_uint number) {
  device.health().completing([&] {
    device.launch(device.kernel(program, "merge_finish"), tiles, tiles, offsets, arguments.alpha,
                  arguments.beta, arguments.y, words, number);
  });
}

/// `arrays`: the offsets first, then those of columns and values. `blocked`: the matrix, if it has
/// heads.
template <Element T, class Arrays>
void multiply_by_merge(const MultiplyArguments<T>& arguments, std::string_view program_name,
                       Index rows, Index nnz, const Arrays& arrays,
                       const Packed<T>* blocked = nullptr) {
  if (rows == 0) return;
  Device& device = device_of(arguments.executor);
  const auto& offsets = std::get<0>(arrays);
  const ProgramKey program{program_name, precision_of<T>, width_of(offsets)};
  Kernel& kernel = device.kernel(program, "csr_merge");
  const Index tiles = divided_up(rows + nnz, kernel.group * device.tuning().merge_items);
  Derived& kept = kept_beside<T>(device, program, rows, tiles, offsets, blocked);
  // Another call in between would overwrite what this one's second launch reads.
  const std::lock_guard lock(kept.mutex);
  const cl_uint number = ++kept.launches;
  std::apply(
      [&](const auto&... array) {
        device.launch(kernel, tiles, rows, nnz, array..., arguments.alpha, arguments.x,
                      arguments.beta, arguments.y, kept.array, number);
      },
      arrays);
  if (tiles == 1 || device.groups_can_wait()) return;
  finish_rows(device, program, tiles, offsets, arguments, kept.array, number);
}

}  // namespace

template <Element T>
void multiply_csr_merge(const MultiplyArguments<T>& arguments) {
  const Csr<T>& a = compressed_rows(arguments.matrix);
  std::visit(
      [&](const auto& offsets) {
        multiply_by_merge(arguments, "csr_merge", a.rows, a.nnz,
                          std::tie(offsets, a.columns, a.values));
      },
      a.offsets);
}

template <Element T>
void multiply_packed_merge(const MultiplyArguments<T>& arguments) {
  const auto& a = std::get<Packed<T>>(arguments.matrix);
  const bool is_blocked = a.coding().columns == ColumnCoding::Blocked8;
  with_arrays(a, [&](const auto& arrays) {
    multiply_by_merge(arguments, packed_programs(a.format).merge, a.rows, a.nnz, arrays,
                      is_blocked ? &a : nullptr);
  });
}

template void multiply_csr_merge(const MultiplyArguments<float>&);
template void multiply_csr_merge(const MultiplyArguments<double>&);
template void multiply_packed_merge(const MultiplyArguments<float>&);
template void multiply_packed_merge(const MultiplyArguments<double>&);

}  // namespace switchyard::opencl
