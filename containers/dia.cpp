// The diagonal format: sizes, checks and estimates.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <switchyard/containers/dia.hpp>

namespace switchyard {
namespace {

/// Up to so many rows all are looked at; of more, one in 16, and 1024 at most.
constexpr Index fewest_rows = 256;
constexpr Index rows_for_one = 16;
constexpr Index most_sampled_rows = 1024;
/// Counting ends where so many diagonals for each element of a mean row are found, or so many at
/// all: more take too many bytes.
constexpr double most_for_mean_row = 4;
constexpr Index few_diagonals = 16;
constexpr std::size_t most_diagonals = 4096;

[[noreturn]] void refuse(const char* why) {
  throw Error(ErrorCode::InvalidArgument, std::string("a DIA matrix needs ") + why);
}

/// Distinct diagonals, ascending, up to a limit.
class DiagonalSet {
 public:
  explicit DiagonalSet(std::size_t limit) : limit_(std::min(limit, most_diagonals)) {}

  /// Adds those of a row, which has these columns from some element on. Returns whether there are
  /// fewer than the limit.
  bool add(Index row, std::span<const Column> columns) {
    auto* at = known_.begin();
    for (const Column column : columns) {
      auto* const end = known_.begin() + size_;
      const Index diagonal = column - row;
      at = std::lower_bound(at, end, diagonal);
      if (at != end && *at == diagonal) continue;
      if (size_ == limit_) return false;
      std::copy_backward(at, end, end + 1);
      *at = diagonal;
      ++size_;
    }
    return true;
  }
  [[nodiscard]] Index size() const noexcept { return static_cast<Index>(size_); }

 private:
  std::size_t limit_;
  std::size_t size_ = 0;
  std::array<Index, most_diagonals> known_;
};

/// Adds all diagonals of a row. Returns whether there are fewer than the limit.
bool add_row(const RowView& rows, Index row, DiagonalSet& diagonals) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): written before it is read
  std::array<Column, 256> buffer;
  for (Index begin = 0;; begin += std::ssize(buffer)) {
    const auto columns = rows.columns(row, buffer, begin);
    if (!diagonals.add(row, columns)) return false;
    if (columns.size() < buffer.size()) return true;
  }
}

/// Spread over the step that begins with `row`, so that no period of a grid meets always the same
/// rows.
Index sampled_row(Index s, Index step) {
  constexpr std::uint64_t scatter = 0x9E3779B97F4A7C15U;
  const std::uint64_t mixed = static_cast<std::uint64_t>(s) * scatter >> 32U;
  return s * step + static_cast<Index>(mixed % static_cast<std::uint64_t>(step));
}

}  // namespace

template <Element T>
Dia<T> Dia<T>::sized(const Dia& header, Index count, const std::shared_ptr<MemorySpace>& memory) {
  (void)narrow<Column>(header.cols);  // columns must fit
  (void)checked_product(header.rows, header.cols);
  const Index places = checked_product(count, header.rows);
  Dia dia = header.header();
  dia.diagonals = Array<Index>(count, memory);
  dia.masks = Array<std::uint64_t>(checked_product(count, dia.words()), memory);
  dia.values = Array<T>(places, memory);
  return dia;
}

template <Element T>
void Dia<T>::check() const {
  const Index count = diagonals.size();
  if (rows < 0 || cols < 0 || values.size() != checked_product(count, rows) ||
      masks.size() != checked_product(count, words())) {
    refuse("a place for each row and diagonal, and a bit for each place");
  }
  Index elements = 0;
  for (Index d = 0; d < count; ++d) {
    const Index diagonal = diagonals[d];
    if (d > 0 && diagonal <= diagonals[d - 1]) refuse("diagonals that ascend");
    for (Index w = 0; w < words(); ++w) {
      const std::uint64_t mask = masks[d * words() + w];
      if (mask == 0) continue;
      elements += std::popcount(mask);
      const Index first = w * dia_word_rows + std::countr_zero(mask);
      const Index last = w * dia_word_rows + dia_word_rows - 1 - std::countl_zero(mask);
      if (last >= rows || first + diagonal < 0 || last + diagonal >= cols) {
        refuse("elements within its shape");
      }
    }
  }
  if (elements != nnz) refuse("as many bits as it has elements");
}

template <Element T>
void Dia<T>::row_lengths(Index first, std::span<Index> lengths) const noexcept {
  std::ranges::fill(lengths, Index{0});
  for (Index d = 0; d < diagonals.size(); ++d) {
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      lengths[i] += stored(d, first + static_cast<Index>(i)) ? 1 : 0;
    }
  }
}

double dia_slots(const Structure& structure, const RowView* rows) {
  if (structure.nnz == 0 || structure.rows == 0) return 0;
  const auto at_most = static_cast<double>(structure.rows) *
                       static_cast<double>(structure.rows + structure.cols - 1);
  if (!rows) return at_most;
  const Index step =
      structure.rows <= fewest_rows
          ? 1
          : structure.rows /
                std::min(std::max(structure.rows / rows_for_one, fewest_rows), most_sampled_rows);
  const double limit = most_for_mean_row * structure.mean_row() + few_diagonals;
  if (static_cast<double>(structure.longest_row) > limit) return at_most;
  DiagonalSet diagonals(static_cast<std::size_t>(limit));
  for (Index s = 0; s * step < structure.rows; ++s) {
    const Index row = std::min(sampled_row(s, step), structure.rows - 1);
    if (!add_row(*rows, row, diagonals)) return at_most;
  }
  const Index count = std::max(diagonals.size(), structure.longest_row);
  return static_cast<double>(count) * static_cast<double>(structure.rows);
}

double dia_bytes(const Structure& structure, Index element_bytes) {
  if (structure.rows == 0) return 0;
  const double slots = structure.slots[static_cast<std::size_t>(Format::Dia)];
  const double count = slots / static_cast<double>(structure.rows);
  const Index words = (structure.rows + dia_word_rows - 1) / dia_word_rows;
  return slots * static_cast<double>(element_bytes) +
         count * static_cast<double>((words + 1) * Index{sizeof(std::uint64_t)});
}

template struct Dia<float>;
template struct Dia<double>;

}  // namespace switchyard
