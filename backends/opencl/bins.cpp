// Bringing rows into the order of their lengths: launching the kernels of csr_binned.cl that do so.
#include "bins.hpp"

#include <array>
#include <limits>

#include "lanes.hpp"

namespace switchyard::opencl {
namespace {

// As in csr_binned.cl and bins.cl.
constexpr Index bins = all_bins;
constexpr Index header_words = bins + 1;
constexpr Index rows_per_item = 128;
constexpr Index elements_per_item = 4;

/// Entries are counted in 32 bits, and rows in 48.
constexpr Index most_entries = std::numeric_limits<std::uint32_t>::max();

Index lower_half(std::uint64_t word) { return static_cast<Index>(word & UINT32_MAX); }
Index upper_half(std::uint64_t word) { return static_cast<Index>(word >> 32U); }

DerivedCounts counts_in(const std::array<std::uint64_t, header_words>& header) {
  DerivedCounts counts{.groups = upper_half(header[bins]), .pieces = lower_half(header[1])};
  for (std::size_t bin = 0; bin < bins; ++bin) {
    counts.in_bins[bin] = lower_half(header[bin + 1]) - lower_half(header[bin]);
  }
  return counts;
}

}  // namespace

bool fits_bins(Index group, Index rows, Index nnz) {
  return rows + nnz / (group * elements_per_item) <= most_entries;
}

template <Element T, class Offset>
Derived& bins_beside(Device& device, Index rows, const Array<Offset>& offsets) {
  DerivedData& derived = device.derived();
  if (Derived* const kept = derived.find(offsets.handle(), DerivedKind::Bins)) return *kept;
  const ProgramKey program{"csr_binned", precision_of<T>, width_of(offsets)};
  const Index chunks = divided_up(rows, rows_per_item);
  Array<std::uint32_t> counts(bins * chunks, device.memory());
  Array<std::uint64_t> header(header_words, device.memory());
  Kernel& count = device.kernel(program, "count_bins");
  device.launch(count, divided_up(chunks, count.group), rows, chunks, offsets, counts);
  device.launch(device.kernel(program, "order_bins"), 1, chunks, counts, header);

  std::array<std::uint64_t, header_words> known{};
  device.memory()->copy_out(known.data(), header.handle(), 0, sizeof known);
  const DerivedCounts counted = counts_in(known);
  constexpr Index each_piece = 1 + sizeof(T) / 4;
  Array<std::uint64_t> words(
      header_words + 2 * lower_half(known[bins]) + each_piece * counted.pieces, device.memory());
  Kernel& fill = device.kernel(program, "fill_bins");
  device.launch(fill, divided_up(chunks, fill.group), rows, chunks, offsets, counts, header, words);
  return derived.keep(offsets.handle(), DerivedKind::Bins, std::move(words), counted);
}

template Derived& bins_beside<float>(Device&, Index, const Array<std::int32_t>&);
template Derived& bins_beside<float>(Device&, Index, const Array<std::int64_t>&);
template Derived& bins_beside<double>(Device&, Index, const Array<std::int32_t>&);
template Derived& bins_beside<double>(Device&, Index, const Array<std::int64_t>&);

}  // namespace switchyard::opencl
