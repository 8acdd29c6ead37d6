// Drawing the rows of a power-law matrix.
#include "power_law.hpp"

#include <algorithm>
#include <cmath>

namespace switchyard {
namespace {

constexpr std::uint64_t row_stream = 1;
constexpr std::uint64_t column_stream = 2;

double fourth_root(double x) { return std::sqrt(std::sqrt(x)); }

/// x^(3/4)
double three_quarters(double x) { return std::sqrt(x) * fourth_root(x); }

/// The sum of r^(-3/4) for r from 1 to n (Euler and Maclaurin; the constant is Riemann's zeta
/// of 3/4).
double harmonic(double n) { return 4 * fourth_root(n) - 3.4412853869 + 0.5 / three_quarters(n); }

/// The scale at which rows of min(cols, scale * r^(-3/4)) have this mean.
double scale_for(double rows, double cols, double mean) {
  const double scale = mean * rows / harmonic(rows);
  if (scale <= cols) return scale;
  // The first `full` rows are full; the more of them, the larger the total.
  double low = 1;
  double high = rows;
  for (int i = 0; i < 64; ++i) {
    const double full = (low + high) / 2;
    const double rest = 4 * (fourth_root(rows) - fourth_root(full));
    const double total = cols * (full + three_quarters(full) * rest);
    (total < mean * rows ? low : high) = full;
  }
  return cols * three_quarters(high);
}

}  // namespace

PowerLaw::PowerLaw(Index rows, Index cols, double density, std::uint64_t seed)
    : cols_(cols),
      scale_(scale_for(static_cast<double>(rows), static_cast<double>(cols),
                       density * static_cast<double>(cols))),
      row_ranks_(rows, Random(seed, row_stream, 0)),
      column_places_(cols, Random(seed, column_stream, 0)) {}

void PowerLaw::append(Index row, Random& random, std::vector<Column>& columns) const {
  const Index length = draw_length(row, random);
  // Nearly full rows would go on drawing the popular columns for ever: they choose evenly.
  constexpr Index evenly = 8;
  if (length < cols_ / evenly) {
    draw_distinct(length, random, columns);
    return;
  }
  const double density = static_cast<double>(length) / static_cast<double>(cols_);
  for (Index j = 0; j < cols_; ++j) {
    if (random.chance(density)) columns.push_back(static_cast<Column>(j));
  }
}

Index PowerLaw::draw_length(Index row, Random& random) const {
  const auto rank = static_cast<double>(row_ranks_(row) + 1);
  const double mean = std::min(scale_ / three_quarters(rank), static_cast<double>(cols_));
  const double whole = std::floor(mean);
  return static_cast<Index>(whole) + (random.chance(mean - whole) ? 1 : 0);
}

void PowerLaw::draw_distinct(Index length, Random& random, std::vector<Column>& columns) const {
  const Index begin = std::ssize(columns);
  constexpr int most_rounds = 16;
  for (int round = 0; round < most_rounds && std::ssize(columns) < begin + length; ++round) {
    while (std::ssize(columns) < begin + length) {
      // The fourth power of an even fraction has a density in proportion to its -3/4th power.
      const std::uint64_t fraction = random.next();
      const std::uint64_t square = high_product(fraction, fraction);
      const std::uint64_t fourth = high_product(square, square);
      const auto rank = high_product(fourth, static_cast<std::uint64_t>(cols_));
      columns.push_back(static_cast<Column>(column_places_(static_cast<Index>(rank))));
    }
    std::sort(columns.begin() + begin, columns.end());
    columns.erase(std::unique(columns.begin() + begin, columns.end()), columns.end());
  }
}

}  // namespace switchyard
