// y = alpha A x + beta y for CSR with uneven rows, sorted by length: launching the kernels of
// csr_binned.cl.
#include <array>

#include "csr_kernel.hpp"
#include "device.hpp"
#include "lanes.hpp"
#include "operations.hpp"

namespace switchyard::opencl {
namespace {

// As in csr_binned.cl.
constexpr Index bins = 7;
constexpr Index header_words = bins + 1;
constexpr Index rows_per_item = 128;
constexpr Index elements_per_item = 4;

/// Entries are counted in 32 bits, and rows in 48.
constexpr Index most_entries = std::numeric_limits<std::uint32_t>::max();

template <Element T, class Offset>
ProgramKey program_of(const Array<Offset>& offsets) {
  return {"csr_binned", precision_of<T>, width_of(offsets)};
}

Index lower_half(std::uint64_t word) { return static_cast<Index>(word & UINT32_MAX); }
Index upper_half(std::uint64_t word) { return static_cast<Index>(word >> 32U); }

/// What is kept beside a matrix, made now if it is not there. That waits for the device, once.
template <Element T, class Offset>
Derived& kept_beside(Device& device, Index rows, const Array<Offset>& offsets) {
  DerivedData& derived = device.derived();
  if (Derived* const kept = derived.find(offsets.handle(), DerivedKind::Bins)) return *kept;
  const ProgramKey program = program_of<T>(offsets);
  const Index chunks = divided_up(rows, rows_per_item);
  Array<std::uint32_t> counts(bins * chunks, device.memory());
  Array<std::uint64_t> header(header_words, device.memory());
  Kernel& count = device.kernel(program, "count_bins");
  device.launch(count, divided_up(chunks, count.group), rows, chunks, offsets, counts);
  device.launch(device.kernel(program, "order_bins"), 1, chunks, counts, header);

  std::array<std::uint64_t, header_words> known{};
  device.memory()->copy_out(known.data(), header.handle(), 0, sizeof known);
  const Index entries = lower_half(known[bins]);
  const Index groups = upper_half(known[bins]);
  const Index pieces = lower_half(known[1]);
  const Index each_piece = 1 + sizeof(T) / 4;
  Array<std::uint64_t> words(header_words + 2 * entries + each_piece * pieces, device.memory());
  Kernel& fill = device.kernel(program, "fill_bins");
  device.launch(fill, divided_up(chunks, fill.group), rows, chunks, offsets, counts, header, words);
  return derived.keep(offsets.handle(), DerivedKind::Bins, std::move(words), groups, pieces);
}

/// Finishes the rows that are cut, by a launch of its own.
template <Element T, class Offset>
void finish_rows(Device& device, const Derived& kept, const Array<Offset>& offsets,
                 const MultiplyArguments<T>& arguments, cl_uint number) {
  try {
    device.launch(device.kernel(program_of<T>(offsets), "binned_finish"), kept.pieces,
                  arguments.alpha, arguments.beta, arguments.y, kept.array, number);
  } catch (const Error& error) {
    // Half of the product stands where the old y was: nobody may take it for either.
    device.health().lose(error.what());
  }
}

}  // namespace

template <Element T>
void multiply_csr_binned(const MultiplyArguments<T>& arguments) {
  const auto launch = [&](Device& device, Kernel& kernel, const Csr<T>& a, const auto& offsets) {
    if (a.rows + a.nnz / (kernel.group * elements_per_item) > most_entries) {
      return multiply_csr_merge(arguments);
    }
    Derived& kept = kept_beside<T>(device, a.rows, offsets);
    // Another call in between would overwrite what this one's second launch reads.
    const std::lock_guard lock(kept.mutex);
    const cl_uint number = ++kept.launches;
    device.launch(kernel, kept.groups, a.columns, a.values, arguments.alpha, arguments.x,
                  arguments.beta, arguments.y, kept.array, number);
    if (kept.pieces == 0 || device.groups_can_wait()) return;
    finish_rows(device, kept, offsets, arguments, number);
  };
  with_csr_kernel(arguments, {"csr_binned", "csr_binned"}, launch);
}

template void multiply_csr_binned(const MultiplyArguments<float>&);
template void multiply_csr_binned(const MultiplyArguments<double>&);

}  // namespace switchyard::opencl
