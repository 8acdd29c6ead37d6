// Checking the options of a generated matrix, and where each kind has its nonzeros.
#include "matrix_recipes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "power_law.hpp"
#include "row_buckets.hpp"
#include "scatter.hpp"

namespace switchyard {
namespace {

constexpr double mean_power_law_row = 16;
constexpr double most_nonzeros = 0x1p62;

[[noreturn]] void refuse(const std::string& what, const GenerateOptions& options,
                         ErrorCode code = ErrorCode::InvalidArgument) {
  throw Error(code, what, fmt::format("{} matrix", name(options.kind)));
}

bool is_stencil(MatrixKind kind) {
  return kind == MatrixKind::Poisson2d || kind == MatrixKind::Poisson3d;
}

Index columns_of(const GenerateOptions& options) {
  return options.cols > 0 ? options.cols : options.rows;
}

void check_numbers(const GenerateOptions& options) {
  if (options.rows <= 0) refuse(fmt::format("{} rows are too few", options.rows), options);
  if (options.cols < 0) refuse(fmt::format("{} columns are too few", options.cols), options);
  if (options.density && !(*options.density > 0 && *options.density <= 1)) {
    refuse(fmt::format("the density {} is not in (0, 1]", *options.density), options);
  }
  if (options.bandwidth < 0) refuse("the bandwidth is negative", options);
  if (options.distinct_values < 0 || options.distinct_values > 65'536) {
    refuse("the number of distinct values is not in 0..65536", options);
  }
}

/// Whether an option belongs to the kind.
void check_kind(const GenerateOptions& options) {
  if (options.bandwidth > 0 && options.kind != MatrixKind::Banded) {
    refuse("only a banded matrix has a bandwidth", options);
  }
  if (!is_stencil(options.kind)) return;
  if (options.density) refuse("the density of a stencil cannot be chosen", options);
  if (options.cols != 0 && options.cols != options.rows) {
    refuse("a stencil's matrix is square", options);
  }
}

void check_range(const GenerateOptions& options) {
  if (options.rows > RowBuckets::largest_rows) {
    refuse("there are more rows than 2^42", options, ErrorCode::OutOfRange);
  }
  if (columns_of(options) > std::numeric_limits<Column>::max()) {
    refuse("there are more columns than 2^31-1", options, ErrorCode::OutOfRange);
  }
}

Recipe uniform(Index rows, Index cols, const GenerateOptions& options) {
  const double density = options.density.value_or(0.01);
  return {rows, cols, static_cast<double>(rows) * static_cast<double>(cols) * density,
          [cols, scatter = Scatter(density)](Index, Random& random, std::vector<Column>& columns) {
            scatter.append(0, cols, random, columns);
          }};
}

Recipe banded(Index rows, Index cols, const GenerateOptions& options) {
  const double density = options.density.value_or(1.0);
  const Index wanted = options.bandwidth > 0 ? options.bandwidth : std::max<Index>(2, cols / 100);
  const Index reach = std::min(wanted, std::max(rows, cols));
  const double band = static_cast<double>(std::min(2 * reach + 1, cols));
  return {rows, cols, static_cast<double>(rows) * band * density,
          [cols, reach, scatter = Scatter(density)](Index row, Random& random,
                                                    std::vector<Column>& columns) {
            scatter.append(std::max<Index>(0, row - reach), std::min(cols, row + reach + 1), random,
                           columns);
          }};
}

Recipe power_law(Index rows, Index cols, const GenerateOptions& options) {
  const auto width = static_cast<double>(cols);
  const double density = options.density.value_or(std::min(1.0, mean_power_law_row / width));
  return {rows, cols, static_cast<double>(rows) * width * density,
          [law = PowerLaw(rows, cols, density, options.seed)](Index row, Random& random,
                                                              std::vector<Column>& columns) {
            law.append(row, random, columns);
          }};
}

/// A row's density is spread evenly over half the way to 0 or 1, whichever is nearer, on both sides
/// of the mean. All rows are drawn with the highest density and then thinned.
Recipe pruned(Index rows, Index cols, const GenerateOptions& options) {
  const double density = options.density.value_or(0.3);
  const double spread = std::min(density, 1 - density) / 2;
  const double highest = density + spread;
  return {rows, cols, static_cast<double>(rows) * static_cast<double>(cols) * density,
          [=, scatter = Scatter(highest)](Index, Random& random, std::vector<Column>& columns) {
            const double kept = (density - spread + 2 * spread * random.unit()) / highest;
            const auto begin = std::ssize(columns);
            scatter.append(0, cols, random, columns);
            if (spread == 0) return;
            columns.erase(std::remove_if(columns.begin() + begin, columns.end(),
                                         [&](Column) { return !random.chance(kept); }),
                          columns.end());
          }};
}

/// The largest n with n^power <= rows.
Index grid_side(Index rows, int power) {
  const auto cells = [power](Index n) { return power == 2 ? n * n : n * n * n; };
  auto n = static_cast<Index>(power == 2 ? std::sqrt(static_cast<double>(rows))
                                         : std::cbrt(static_cast<double>(rows)));
  while (cells(n) > rows) --n;
  while (cells(n + 1) <= rows) ++n;
  return n;
}

/// The stencil of -1 for each neighbour along an axis and twice as many axes as diagonal, on a grid
/// of `side` points each way with zero boundaries.
Recipe poisson(const GenerateOptions& options) {
  const int axes = options.kind == MatrixKind::Poisson2d ? 2 : 3;
  const Index side = grid_side(options.rows, axes);
  const Index cells = axes == 2 ? side * side : side * side * side;
  return {cells, cells, static_cast<double>(cells) * (2 * axes + 1),
          [=](Index row, Random&, std::vector<Column>& columns) {
            const std::array<Index, 3> strides{1, side, side * side};
            for (int axis = axes - 1; axis >= 0; --axis) {
              const Index stride = strides[static_cast<std::size_t>(axis)];
              if (row / stride % side > 0) columns.push_back(static_cast<Column>(row - stride));
            }
            columns.push_back(static_cast<Column>(row));
            for (int axis = 0; axis < axes; ++axis) {
              const Index stride = strides[static_cast<std::size_t>(axis)];
              if (row / stride % side < side - 1) {
                columns.push_back(static_cast<Column>(row + stride));
              }
            }
          },
          2.0 * axes};
}

Recipe recipe_of_kind(const GenerateOptions& options) {
  const Index rows = options.rows;
  const Index cols = columns_of(options);
  switch (options.kind) {
    case MatrixKind::Uniform:
      return uniform(rows, cols, options);
    case MatrixKind::Banded:
      return banded(rows, cols, options);
    case MatrixKind::PowerLaw:
      return power_law(rows, cols, options);
    case MatrixKind::Pruned:
      return pruned(rows, cols, options);
    case MatrixKind::Poisson2d:
    case MatrixKind::Poisson3d:
      break;
  }
  return poisson(options);
}

}  // namespace

Recipe recipe_for(const GenerateOptions& options) {
  if (options.kind < MatrixKind::Uniform || options.kind > MatrixKind::Pruned) {
    throw Error(ErrorCode::InvalidArgument, "there is no such kind of matrix");
  }
  check_numbers(options);
  check_kind(options);
  check_range(options);
  Recipe recipe = recipe_of_kind(options);
  if (recipe.expected_nnz > most_nonzeros) {
    refuse("there would be more than 2^62 nonzeros", options, ErrorCode::OutOfRange);
  }
  return recipe;
}

}  // namespace switchyard
