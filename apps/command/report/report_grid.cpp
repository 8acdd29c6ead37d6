// Spacing the matrices that a report looks at.
#include "report_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace switchyard::command::report {
namespace {

constexpr double least_rows = 32;
constexpr double most_rows = 131072;  // 64 GiB in dense form
constexpr double least_density = 1e-5;

}  // namespace

Grid report_grid(std::size_t cells) {
  const double side = std::sqrt(static_cast<double>(cells));
  const int sizes = std::clamp(static_cast<int>(std::lround(1.09 * side)), 7, 25);
  const int densities = std::clamp(static_cast<int>(std::lround(0.92 * side)), 6, 21);
  Grid grid;
  for (int i = 0; i < sizes; ++i) {
    grid.rows.push_back(
        std::llround(least_rows * std::pow(most_rows / least_rows, i / (sizes - 1.0))));
  }
  for (int j = 0; j < densities; ++j) {
    grid.densities.push_back(std::pow(least_density, 1 - j / (densities - 1.0)));
  }
  return grid;
}

Structure square_matrix(Index rows, double density, Precision precision) {
  return precision == Precision::Float ? even_structure<float>(rows, rows, density)
                                       : even_structure<double>(rows, rows, density);
}

Json brief(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::strtod(fmt::format("{:.4g}", value).c_str(), nullptr);
}

Json brief(const std::vector<double>& values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(brief(value));
  return json;
}

}  // namespace switchyard::command::report
