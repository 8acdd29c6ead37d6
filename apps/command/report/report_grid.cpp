// Spacing the matrices that a report looks at.
#include "report_grid.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>

namespace switchyard::command::report {
namespace {

constexpr double least_rows = 32;
constexpr double most_rows = 131072;  // 64 GiB in dense form
constexpr double least_density = 1e-5;

/// Numbers of sizes and densities that put powers of two and of ten on the grid, ascending in
/// cells.
struct Fineness {
  int sizes;
  int densities;
};
constexpr std::array finenesses{Fineness{7, 6},   Fineness{7, 11},  Fineness{13, 6},
                                Fineness{13, 11}, Fineness{25, 11}, Fineness{25, 21}};

}  // namespace

Grid report_grid(std::size_t cells) {
  Fineness chosen = finenesses.front();
  for (const Fineness& finer : finenesses) {
    if (static_cast<std::size_t>(finer.sizes) * static_cast<std::size_t>(finer.densities) <=
        cells) {
      chosen = finer;
    }
  }
  Grid grid;
  for (int i = 0; i < chosen.sizes; ++i) {
    grid.rows.push_back(
        std::llround(least_rows * std::pow(most_rows / least_rows, i / (chosen.sizes - 1.0))));
  }
  for (int j = 0; j < chosen.densities; ++j) {
    grid.densities.push_back(std::pow(least_density, 1 - j / (chosen.densities - 1.0)));
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
