// Lawson and Hanson's active-set method on the normal equations.
#include "nnls.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace switchyard {

namespace {

/// In columns of unit length, what rounding makes of a gradient that is zero.
constexpr double gradient_tolerance = 1e-11;
/// The part of a column that the others must leave unexplained, squared.
constexpr double pivot_tolerance = 1e-12;

/// The columns in use, at most `most_columns` of them, in the order of their entry.
struct Passive {
  std::array<int, most_columns> columns{};
  int size = 0;
  void add(int column) { columns[static_cast<std::size_t>(size++)] = column; }
  [[nodiscard]] int operator[](int i) const { return columns[static_cast<std::size_t>(i)]; }
};

/// The unconstrained solution over the columns in use. Nothing if they are dependent.
std::optional<Coefficients> solve(const Gram& gram, const Coefficients& right,
                                  const Passive& passive) {
  Gram part(passive.size, passive.size);
  Coefficients part_right(passive.size);
  for (int i = 0; i < passive.size; ++i) {
    part_right[i] = right[passive[i]];
    for (int j = 0; j < passive.size; ++j) part(i, j) = gram(passive[i], passive[j]);
  }
  const Eigen::LLT<Gram> factor(part);
  if (factor.info() != Eigen::Success) return std::nullopt;
  const double least = factor.matrixLLT().diagonal().minCoeff();
  if (!(least * least > pivot_tolerance)) return std::nullopt;
  const Coefficients solution = factor.solve(part_right);
  if (!solution.allFinite()) return std::nullopt;
  return solution;
}

/// Moves from `x` towards `solution` until the first coefficient reaches zero, and drops it.
void step_to_boundary(Passive& passive, const Coefficients& solution, Coefficients& x) {
  double step = 1;
  int first = -1;
  for (int i = 0; i < passive.size; ++i) {
    if (solution[i] > 0) continue;
    const double here = x[passive[i]];
    const double distance = here > 0 ? here / (here - solution[i]) : 0;
    if (first < 0 || distance < step) {
      step = distance;
      first = i;
    }
  }
  Passive kept;
  for (int i = 0; i < passive.size; ++i) {
    double& value = x[passive[i]];
    value = i == first ? 0 : std::max(0.0, value + step * (solution[i] - value));
    if (i != first) kept.add(passive[i]);
  }
  passive = kept;
}

/// Solves over the columns in use, dropping those that would turn negative. False where the newest
/// column is of no use: dependent on the others, or turning negative itself.
bool settle(const Gram& gram, const Coefficients& right, Passive& passive, Coefficients& x) {
  // Each round drops a column, and never the newest: its coefficient is positive.
  for (;;) {
    const auto solution = solve(gram, right, passive);
    if (!solution || (*solution)[passive.size - 1] <= 0) return false;
    if (solution->minCoeff() > 0) {
      x.setZero();
      for (int i = 0; i < passive.size; ++i) x[passive[i]] = (*solution)[i];
      return true;
    }
    step_to_boundary(passive, *solution, x);
  }
}

/// The column that lowers the error most steeply, or -1.
int steepest(const Coefficients& gradient, const std::array<bool, most_columns>& closed) {
  int best = -1;
  for (int k = 0; k < gradient.size(); ++k) {
    if (closed[static_cast<std::size_t>(k)] || gradient[k] <= gradient_tolerance) continue;
    if (best < 0 || gradient[k] > gradient[best]) best = k;
  }
  return best;
}

Coefficients solve_scaled(const Gram& gram, const Coefficients& right) {
  Coefficients x = Coefficients::Zero(right.size());
  Passive passive;
  std::array<bool, most_columns> useless{};
  for (int round = 0; round < 3 * most_columns; ++round) {
    std::array<bool, most_columns> closed = useless;
    for (int i = 0; i < passive.size; ++i) closed[static_cast<std::size_t>(passive[i])] = true;
    const int entering = steepest(right - gram * x, closed);
    if (entering < 0) break;
    const Passive before = passive;
    const Coefficients x_before = x;
    passive.add(entering);
    if (settle(gram, right, passive, x)) {
      useless.fill(false);  // the error is lower now, so that no set of columns comes twice
    } else {
      passive = before;
      x = x_before;
      useless[static_cast<std::size_t>(entering)] = true;
    }
  }
  return x;
}

}  // namespace

Coefficients nonnegative_least_squares(const Gram& gram, const Coefficients& right) {
  if (right.size() == 0) return right;
  const Coefficients lengths = gram.diagonal().cwiseMax(0.0).cwiseSqrt();
  Coefficients scale(right.size());
  for (Eigen::Index k = 0; k < right.size(); ++k) scale[k] = lengths[k] > 0 ? 1 / lengths[k] : 0;
  const Coefficients scaled_right = right.cwiseProduct(scale);
  const double size = scaled_right.cwiseAbs().maxCoeff();
  if (!(size > 0) || !std::isfinite(size)) return Coefficients::Zero(right.size());
  const Gram scaled = scale.asDiagonal() * gram * scale.asDiagonal();
  return size * solve_scaled(scaled, scaled_right / size).cwiseProduct(scale);
}

}  // namespace switchyard
