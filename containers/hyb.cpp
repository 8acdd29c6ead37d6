// The hybrid format: sizes, checks, and how a matrix is split.
#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <numeric>
#include <switchyard/containers/hyb.hpp>
#include <switchyard/containers/threads.hpp>

namespace switchyard {
namespace {

/// Rows whose lengths are read together.
constexpr Index block = 64;
/// Up to so many blocks all are looked at, of more one in so many.
constexpr Index fewest_blocks = 64;
constexpr Index blocks_for_one = 8;
constexpr Index blocks_worth_threads = 1024;
/// The largest width. Longer rows are rather for other formats.
constexpr std::size_t most_slots = 4096;
/// What an estimate assumes, in slots for each element: all of them in coordinates, in float.
constexpr double slots_at_worst = 1.5;

[[noreturn]] void refuse(const char* why) {
  throw Error(ErrorCode::InvalidArgument, std::string("a HYB matrix needs ") + why);
}

/// Rows of each length; longer ones than `most_slots` count as that. Small where all rows are
/// short.
class Histogram {
 public:
  void add(std::size_t length, Index rows = 1) noexcept {
    length = std::min(length, most_slots);
    while (size_ <= length) counts_[size_++] = 0;
    counts_[length] += rows;
  }
  void add(const Histogram& other) noexcept {
    for (std::size_t k = 0; k < other.size_; ++k) add(k, other.counts_[k]);
  }
  /// How many rows of each length.
  [[nodiscard]] std::span<const Index> counts() const noexcept { return {counts_.data(), size_}; }

 private:
  std::size_t size_ = 0;
  std::array<Index, most_slots + 1> counts_;  // the first `size_` are written
};

Histogram row_histogram(const RowView& rows, Index step) {
  std::mutex mutex;
  Histogram all;
  const Index blocks = (rows.rows + block - 1) / block;
  const Index samples = (blocks + step - 1) / step;
  share_out_items(
      all_threads(samples > blocks_worth_threads), samples, 1, [&](Index first, Index last) {
        Histogram own;
        for (Index s = first; s < last; ++s) {
          std::array<Index, block> buffer{};
          const Index row = s * step * block;
          const auto lengths =
              std::span(buffer).first(static_cast<std::size_t>(std::min(block, rows.rows - row)));
          rows.lengths(row, lengths);
          for (const Index length : lengths) own.add(static_cast<std::size_t>(length));
        }
        const std::lock_guard lock(mutex);
        all.add(own);
      });
  return all;
}

double row_index_bytes(Index rows) { return static_cast<double>(offset_bytes(rows)); }

}  // namespace

template <Element T>
Hyb<T> Hyb<T>::sized(const Hyb& header, Index rest, const std::shared_ptr<MemorySpace>& memory) {
  (void)narrow<Column>(header.cols);  // columns and lengths must fit
  const Index slots = checked_product(header.rows, header.width);
  Hyb hyb = header.header();
  hyb.lengths = Array<Column>(header.rows, memory);
  hyb.rest_rows = sized_offsets(rest, header.rows, memory);
  hyb.columns = Array<Column>(slots + rest, memory);
  hyb.values = Array<T>(slots + rest, memory);
  return hyb;
}

template <Element T>
void Hyb<T>::check() const {
  const Index slots_needed = checked_product(rows, width) + rest();
  if (cols < 0 || columns.size() != slots_needed || values.size() != slots_needed) {
    refuse("as many columns and values as rows x width, and one for each element of the rest");
  }
  if (lengths.size() != rows) refuse("a length for each row");
  Index elements = rest();
  for (const Column length : lengths.span()) {
    if (length < 0 || length > width) refuse("lengths of at most its width");
    elements += length;
  }
  if (elements != nnz) refuse("lengths and a rest that add up to its number of elements");
  for (Index r = 0; r < rest(); ++r) {
    const Index i = offset_at(rest_rows, r);
    if (i < 0 || i >= rows || (r > 0 && i < offset_at(rest_rows, r - 1))) {
      refuse("a rest that is sorted by row");
    }
    if (lengths[i] != width) refuse("full slots before any element has none");
  }
}

template <Element T>
void Hyb<T>::row_lengths(Index first, std::span<Index> into) const noexcept {
  std::copy_n(lengths.data() + first, into.size(), into.data());
  std::visit(
      [&](const auto& row_of) {
        const Index last = first + std::ssize(into);
        for (Index r = first_in_row(rest_rows, first); r < rest() && row_of[r] < last; ++r) {
          ++into[static_cast<std::size_t>(row_of[r] - first)];
        }
      },
      rest_rows);
}

HybSplit hyb_split(const RowView& rows, Index step) {
  const Histogram histogram = row_histogram(rows, step);
  const auto counts = histogram.counts();
  const Index seen = std::accumulate(counts.begin(), counts.end(), Index{0});
  if (seen == 0) return {};
  // `longer` rows have at least as many elements as the slot looked at.
  std::size_t width = counts.size() - 1;
  Index longer = counts[width];
  while (width > 0 && 3 * longer < 2 * seen) longer += counts[--width];
  Index in_slots = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    in_slots += counts[k] * static_cast<Index>(std::min(k, width));
  }
  const double scale = static_cast<double>(rows.rows) / static_cast<double>(seen);
  return {static_cast<Index>(width), static_cast<double>(in_slots) * scale};
}

double hyb_slots(const Structure& structure, const RowView* rows) {
  const auto nnz = static_cast<double>(structure.nnz);
  if (!rows) return slots_at_worst * (nnz + structure.nnz_error);
  const Index blocks = (structure.rows + block - 1) / block;
  const HybSplit split = hyb_split(*rows, blocks <= fewest_blocks ? 1 : blocks_for_one);
  const double rest = std::max(nnz - split.in_slots, 0.0);
  const auto slot_bytes = static_cast<double>(rows->element_bytes + Index{sizeof(Column)});
  return static_cast<double>(structure.rows) * static_cast<double>(split.width) +
         rest * (1 + row_index_bytes(structure.rows) / slot_bytes);
}

double hyb_bytes(const Structure& structure, Index element_bytes) {
  constexpr auto column_bytes = Index{sizeof(Column)};
  const double slots = structure.slots[static_cast<std::size_t>(Format::Hyb)] *
                       static_cast<double>(element_bytes + column_bytes);
  return std::round(slots) + static_cast<double>(structure.rows * column_bytes);
}

template struct Hyb<float>;
template struct Hyb<double>;

}  // namespace switchyard
