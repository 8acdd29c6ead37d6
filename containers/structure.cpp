// Gathering what is known of a matrix: row lengths, and how far apart its columns lie.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <switchyard/containers/formats.hpp>
#include <switchyard/containers/threads.hpp>

#include "also_avx2.hpp"

namespace switchyard {
namespace {

constexpr Index most_sampled_rows = 256;
constexpr Index line_bytes = 64;
constexpr Index stretch = 1024;          // elements of a dense row looked at in one go
constexpr Index small_matrix = 1 << 12;  // elements below which sampling saves nothing
constexpr Index longest_head = 256;      // columns of a sparse row that are looked at
// Where a loop is worth waking the threads: a few microseconds' work.
constexpr Index rows_worth_threads = 1 << 14;
constexpr Index columns_worth_threads = 1 << 11;
constexpr Index elements_worth_threads = 1 << 16;

/// Sums over row lengths.
struct RowSums {
  Index nnz = 0;
  Index longest = 0;
  Index empty = 0;
  Index changes = 0;
  double squares = 0;
  Index first = -1;  ///< the length of the first row; -1 before there is one
  Index last = -1;

  /// Of the rows that follow.
  void add(const RowSums& other) {
    if (other.first < 0) return;
    changes += other.changes + (last < 0 || last == other.first ? 0 : 1);
    if (first < 0) first = other.first;
    last = other.last;
    nnz += other.nnz;
    longest = std::max(longest, other.longest);
    empty += other.empty;
    squares += other.squares;
  }
};

/// Those of one row at least, all of whose lengths fit a `Length`: narrow ones become vector
/// instructions everywhere.
template <class Length>
SWITCHYARD_ALSO_AVX2 RowSums sums_of(const Index* at, std::size_t count) {
  // In variables of their own, all of one type, without which no compiler makes vectors of it.
  Length changes = 0;
#pragma omp simd reduction(+ : changes)
  for (std::size_t i = 1; i < count; ++i) {
    changes += static_cast<Length>(at[i]) == static_cast<Length>(at[i - 1]) ? 0 : 1;
  }
  Index sum = 0;
  Length longest = 0;
  Length empty = 0;
  double squares = 0;
#pragma omp simd reduction(+ : sum, empty, squares) reduction(max : longest)
  for (std::size_t i = 0; i < count; ++i) {
    const auto length = static_cast<Length>(at[i]);
    const auto number = static_cast<double>(length);
    sum += length;
    longest = longest > length ? longest : length;
    empty += length == 0 ? 1 : 0;
    squares += number * number;
  }
  return {.nnz = sum,
          .longest = longest,
          .empty = empty,
          .changes = changes,
          .squares = squares,
          .first = at[0],
          .last = at[count - 1]};
}

void fill_row_facts(Structure& structure, const RowSums& lengths) {
  structure.nnz = lengths.nnz;
  structure.longest_row = lengths.longest;
  structure.empty_rows = lengths.empty;
  structure.length_changes = static_cast<double>(lengths.changes);
  if (structure.rows == 0) return;
  const double mean = structure.mean_row();
  const double variance = lengths.squares / static_cast<double>(structure.rows) - mean * mean;
  structure.row_deviation = std::sqrt(std::max(variance, 0.0));
}

double expected_length_changes(const Structure& structure) {
  return static_cast<double>(structure.rows) *
         chance_of_length_change(structure.row_deviation * structure.row_deviation);
}

/// Whether a row is short enough for the first cache to hold its lines of x until the next one.
constexpr Index longest_remembered = 2048;

/// Distinct lines of x in one row of ascending columns, without those that the row before touched.
Index new_lines_in(std::span<const Column> columns, std::span<const Column> before,
                   Index element_bytes) {
  const int shift = std::countr_zero(static_cast<std::uint64_t>(line_bytes / element_bytes));
  Index lines = 0;
  Index last = -1;
  auto known = before.begin();
  for (const Column column : columns) {
    const Index line = column >> shift;
    if (line == last) continue;
    last = line;
    while (known != before.end() && *known >> shift < line) ++known;
    lines += known == before.end() || *known >> shift != line ? 1 : 0;
  }
  return lines;
}

/// Looked at in the heads of evenly spaced rows. A column costs some 5 ns here and at most 0.5 ns
/// in a multiplication, so that few are looked at: one in 64, and never more than 4096.
double sampled_lines_per_nonzero(const RowView& matrix, const Structure& known) {
  if (matrix.rows == 0) return 1.0;
  const Index wanted = std::clamp<Index>(known.nnz / 64, 64, 4096);
  const auto head = static_cast<Index>(std::clamp(known.mean_row(), 1.0, double{longest_head}));
  const Index rows = std::min(std::clamp<Index>(wanted / head, 4, most_sampled_rows), matrix.rows);
  const Index step = matrix.rows / rows;
  std::atomic<Index> lines{0};
  std::atomic<Index> seen{0};
  const auto look_at = [&](Index k) {
    // NOLINTBEGIN(cppcoreguidelines-pro-type-member-init): written before they are read
    std::array<Column, longest_head> head_of_row;
    std::array<Column, longest_remembered + 1> head_before;
    // NOLINTEND(cppcoreguidelines-pro-type-member-init)
    // The first row has none before it, unlike all it would stand for.
    const Index row = k * step + step / 2;
    const auto columns = matrix.columns(row, head_of_row);
    auto before = row > 0 ? matrix.columns(row - 1, head_before) : std::span<const Column>{};
    if (static_cast<Index>(before.size()) > longest_remembered) before = {};
    lines += new_lines_in(columns, before, matrix.element_bytes);
    seen += static_cast<Index>(columns.size());
  };
  share_out_steps(rows, wanted > columns_worth_threads, look_at);
  return seen > 0 ? static_cast<double>(lines) / static_cast<double>(seen) : 1.0;
}

template <Element T>
Index count_nonzeros(const T* values, Index count) {
  Index nonzeros = 0;
#pragma omp simd reduction(+ : nonzeros)
  for (Index j = 0; j < count; ++j) nonzeros += values[j] != T{0} ? 1 : 0;
  return nonzeros;
}

/// The same where nonzeros are spread evenly over the columns.
template <Element T>
double expected_lines_per_nonzero(double density, Index cols) {
  constexpr double per_line = static_cast<double>(line_bytes) / sizeof(T);
  if (density <= 0) return 1.0;
  const double touched = 1 - std::pow(1 - std::min(density, 1.0), per_line);
  const bool remembered = density * static_cast<double>(cols) <= longest_remembered;
  return (remembered ? touched * (1 - touched) : touched) / (per_line * density);
}

/// Rows are read in blocks: few at a time where there are few, as dense rows may be long.
RowSums summed(const RowView& matrix, bool worth_threads) {
  constexpr Index most_in_block = 512;
  constexpr Index fewest_blocks = 64;
  const Index block = std::clamp<Index>(matrix.rows / fewest_blocks, 1, most_in_block);
  const Index blocks = (matrix.rows + block - 1) / block;
  const Shares shares = all_threads(worth_threads);
  std::array<RowSums, most_threads> of_parts;
  share_out(shares, [&](int part) {
    RowSums& sums = of_parts[static_cast<std::size_t>(part)];
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): written before it is read
    std::array<Index, most_in_block> buffer;
    const Index end = part_begin(blocks, part + 1, shares.parts);
    for (Index b = part_begin(blocks, part, shares.parts); b < end; ++b) {
      const Index first = b * block;
      const std::span lengths(buffer.data(),
                              static_cast<std::size_t>(std::min(block, matrix.rows - first)));
      matrix.lengths(first, lengths);
      if (matrix.cols <= std::numeric_limits<Column>::max()) {
        sums.add(sums_of<Column>(lengths.data(), lengths.size()));
      } else {
        sums.add(sums_of<Index>(lengths.data(), lengths.size()));
      }
    }
  });
  // In the order of the parts, so that the same matrix has the same structure.
  RowSums sums;
  for (const RowSums& part : std::span(of_parts).first(static_cast<std::size_t>(shares.parts))) {
    sums.add(part);
  }
  return sums;
}

}  // namespace

Structure structure_of_rows(const RowView& rows) {
  Structure structure{.rows = rows.rows, .cols = rows.cols};
  fill_row_facts(structure, summed(rows, rows.rows > rows_worth_threads));
  structure.lines_per_nonzero = sampled_lines_per_nonzero(rows, structure);
  structure.distinct_values = count_distinct_values(rows, structure.nnz);
  complete(structure, &rows);
  return structure;
}

template <Element T>
Structure structure_of(const Dense<T>& matrix) {
  Structure structure{.rows = matrix.rows, .cols = matrix.cols};
  const RowView rows = rows_of_matrix(matrix);
  fill_row_facts(structure, summed(rows, matrix.slots() > elements_worth_threads));
  structure.lines_per_nonzero = expected_lines_per_nonzero<T>(structure.density(), matrix.cols);
  structure.distinct_values = count_distinct_values(rows, matrix.slots(), {.without_zeros = true});
  complete(structure);
  return structure;
}

template <Element T>
Structure sampled_structure_of(const Dense<T>& matrix) {
  const Index elements = matrix.rows * matrix.cols;
  if (elements <= small_matrix) return structure_of(matrix);

  const Index width = std::min(matrix.cols, stretch);
  const Index wanted = std::max(elements / 100, stretch);
  const Index samples = std::clamp<Index>(wanted / width, 16, most_sampled_rows);
  double sum = 0;
  double squares = 0;
  Index longest = 0;
  for (Index s = 0; s < samples; ++s) {
    // Rows evenly spaced; within a row the stretch moves on by the golden ratio, so that no
    // regular pattern of columns is always hit or always missed.
    const Index row = s * (matrix.rows - 1) / std::max<Index>(samples - 1, 1);
    const double turn = std::fmod(static_cast<double>(s) * 0.6180339887498949, 1.0);
    const auto start = static_cast<Index>(turn * static_cast<double>(matrix.cols - width));
    const Index found = count_nonzeros(matrix.values.data() + row * matrix.cols + start, width);
    const double share = static_cast<double>(found) / static_cast<double>(width);
    sum += share;
    squares += share * share;
    longest = std::max(longest, static_cast<Index>(share * static_cast<double>(matrix.cols)));
  }
  const auto n = static_cast<double>(samples);
  const double density = sum / n;
  const double variance = std::max(squares / n - density * density, 0.0);

  Structure structure{.rows = matrix.rows, .cols = matrix.cols};
  structure.exact = false;
  structure.nnz = static_cast<Index>(std::llround(density * static_cast<double>(elements)));
  structure.longest_row = std::max(longest, structure.nnz / std::max<Index>(matrix.rows, 1));
  structure.row_deviation = std::sqrt(variance) * static_cast<double>(matrix.cols);
  structure.length_changes = expected_length_changes(structure);
  structure.lines_per_nonzero = expected_lines_per_nonzero<T>(density, matrix.cols);
  // Samples that all agree still leave room: with none of N found, up to 3 / N may be there (the
  // rule of three), and likewise with all of them.
  const double looked_at = n * static_cast<double>(width);
  const double interval = std::max(1.96 * std::sqrt(variance / n), 3 / looked_at);
  structure.nnz_error = interval * static_cast<double>(elements);
  complete(structure);
  return structure;
}

template <Element T>
Structure even_structure(Index rows, Index cols, double density) {
  Structure structure{.rows = rows, .cols = cols};
  const auto width = static_cast<double>(cols);
  const double mean_row = density * width;
  structure.nnz = static_cast<Index>(std::llround(mean_row * static_cast<double>(rows)));
  structure.row_deviation = std::sqrt(mean_row * (1 - density));
  structure.length_changes = expected_length_changes(structure);
  const double deviations = std::sqrt(2 * std::log(std::max(static_cast<double>(rows), 1.0)));
  const double longest = std::ceil(mean_row + deviations * structure.row_deviation);
  structure.longest_row = structure.nnz > 0 ? static_cast<Index>(std::min(longest, width)) : 0;
  structure.empty_rows =
      static_cast<Index>(std::llround(static_cast<double>(rows) * std::pow(1 - density, width)));
  structure.lines_per_nonzero = expected_lines_per_nonzero<T>(density, cols);
  structure.exact = false;
  complete(structure);
  return structure;
}

double chance_of_length_change(double variance) noexcept {
  // Two rows are equally long with 1 / sqrt(4 pi variance) where the variance is large, and with
  // 1 - 2 variance where it is small.
  constexpr double of_large = 4 * std::numbers::pi;
  constexpr double of_small = 4;
  constexpr double between = 0.1;
  const double large = (of_large - of_small) * variance * variance / (variance + between);
  return 1 - 1 / std::sqrt(1 + of_small * variance + large);
}

void complete(Structure& structure, const RowView* rows) {
  for (const FormatFacts& facts : format_table) {
    double& slots = structure.slots[static_cast<std::size_t>(facts.format)];
    if (facts.slots && std::isnan(slots)) slots = facts.slots(structure, rows);
  }
}

template Structure structure_of(const Dense<float>&);
template Structure structure_of(const Dense<double>&);
template Structure sampled_structure_of(const Dense<float>&);
template Structure sampled_structure_of(const Dense<double>&);
template Structure even_structure<float>(Index, Index, double);
template Structure even_structure<double>(Index, Index, double);

}  // namespace switchyard
