// Counting the distinct values of a matrix, as far as a coding could distinguish them.
#include <algorithm>
#include <array>
#include <switchyard/containers/distinct_values.hpp>
#include <switchyard/containers/structure.hpp>

namespace switchyard {
namespace {

/// Values looked at first: of a matrix with many distinct values, more than 256 of them are.
constexpr Index first_look = 320;
/// Of matrices with more values, one in so many is looked at, and about `most_values` at most:
/// looking at one takes some 2 ns.
constexpr Index few_values = 1 << 12;
constexpr Index values_for_one = 32;
constexpr Index most_values = 1 << 16;
/// Neighbouring values that are looked at together.
constexpr std::size_t stretch = 64;

/// The distinct values of a sample, and whether there are more than a dictionary holds.
struct Found {
  bool without_zeros = false;
  std::uint64_t minus_zero = 0;  ///< its bits in the matrix's element type
  DistinctValues values = {};
  bool too_many = false;

  void add(std::uint64_t bits) noexcept {
    if (without_zeros && (bits == 0 || bits == minus_zero)) return;
    too_many |= values.code_of(bits) == DistinctValues::no_code;
  }

  [[nodiscard]] Index count() const noexcept {
    return too_many ? most_distinct_values : values.size();
  }
};

/// Looks at every `step`-th row, at most `most` values of each, until there are too many.
void look_at_rows(const RowView& rows, Index step, Index most, Found& found) {
  std::array<std::uint64_t, stretch> bits;
  for (Index row = step / 2; row < rows.rows && !found.too_many; row += step) {
    for (Index begin = 0; begin < most && !found.too_many;) {
      const auto wanted =
          static_cast<std::size_t>(std::min<Index>(most - begin, static_cast<Index>(stretch)));
      const auto values = rows.values(row, std::span(bits).first(wanted), begin);
      for (const std::uint64_t value : values) found.add(value);
      if (values.size() < wanted) break;
      begin += static_cast<Index>(wanted);
    }
  }
}

}  // namespace

Index count_distinct_values(const RowView& rows, Index nnz, DistinctCount count) {
  const bool is_float = rows.element_bytes == sizeof(float);
  Found found{.without_zeros = count.without_zeros,
              .minus_zero = is_float ? bits_of(-0.0F) : bits_of(-0.0)};
  if (nnz == 0) return 0;
  const Index mean = std::max<Index>(nnz / rows.rows, 1);
  // Parts of long rows, and all of some short ones.
  const Index heads = std::clamp(first_look / mean, std::min<Index>(rows.rows, 16), rows.rows);
  look_at_rows(rows, rows.rows / heads, std::max<Index>(first_look / heads, 1), found);
  if (found.too_many) return found.count();
  const Index step = std::max(values_for_one, nnz / most_values);
  if (count.all || nnz <= few_values) {
    look_at_rows(rows, 1, whole_row, found);
  } else if (rows.rows > 4 * step) {
    look_at_rows(rows, step, whole_row, found);
  } else {
    look_at_rows(rows, 1, mean / step + 1, found);
  }
  return found.count();
}

}  // namespace switchyard
