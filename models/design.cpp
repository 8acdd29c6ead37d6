// The design matrix of a fit, and the weights that take the spikes out of it.
#include "design.hpp"

#include <algorithm>
#include <cmath>
#include <switchyard/containers/robust_statistics.hpp>

#include "infinity.hpp"

namespace switchyard {

namespace {

/// Residuals below this are all the same to the fit of absolute values.
constexpr double smallest_residual = 0.02;
/// Measurements and polynomials agree no better than this: without a lower limit, a majority that
/// fits perfectly would declare everybody else a spike.
constexpr double smallest_deviation = 0.1;
/// Tukey's constant: 95 % efficiency on normal errors.
constexpr double biweight_reach = 4.685;
constexpr int reweightings = 15;

/// |log(predicted / measured)|, no more than log(1e6) where nothing is predicted.
double residual(double ratio) { return std::abs(std::log(std::clamp(ratio, 1e-6, 1e6))); }

double total_residual(const Eigen::VectorXd& ratios) {
  double sum = 0;
  for (const double ratio : ratios) sum += residual(ratio);
  return sum;
}

/// The best fit of one column by the median of what each row asks for: a start that no minority
/// can spoil.
Eigen::VectorXd median_start(const Design& design) {
  Eigen::VectorXd best = Eigen::VectorXd::Ones(design.rows.rows());
  double least = infinity;
  for (Eigen::Index k = 0; k < design.rows.cols(); ++k) {
    const Eigen::VectorXd column = design.rows.col(k);
    if (!(column.minCoeff() > 0)) continue;
    const double typical = median({column.begin(), column.end()});
    const double total = total_residual(column / typical);
    if (total >= least) continue;
    least = total;
    best = column / typical;
  }
  return best;
}

/// The weight that makes a least-squares step lower the absolute logarithm.
double absolute_weight(double ratio) {
  const double at = std::clamp(ratio, 1e-6, 1e6);
  return 1 / (at * std::max(std::abs(at - 1), smallest_residual * at));
}

/// Predicted / measured of the fit with the smallest total of absolute logarithms that was met.
Eigen::VectorXd least_absolute_fit(const Design& design) {
  Eigen::VectorXd best = median_start(design);
  Eigen::VectorXd current = best;
  double least = total_residual(best);
  for (int round = 0; round < reweightings; ++round) {
    NormalEquations equations(design.rows.cols());
    for (Eigen::Index i = 0; i < design.rows.rows(); ++i) {
      equations.add(design.rows.row(i), absolute_weight(current[i]));
    }
    current = ratios(design, nonnegative_least_squares(equations.gram, equations.right));
    const double total = total_residual(current);
    if (total >= least) continue;
    const bool settled = total > least * 0.9999;
    least = total;
    best = current;
    if (settled) break;
  }
  return best;
}

}  // namespace

Design design_of(std::span<const Sample> samples, std::span<const Term> candidates) {
  const auto rows = static_cast<Eigen::Index>(samples.size());
  const auto cols = static_cast<Eigen::Index>(candidates.size());
  Design design{{rows, cols}, Coefficients::Zero(cols)};
  for (Eigen::Index i = 0; i < rows; ++i) {
    const Sample& sample = samples[static_cast<std::size_t>(i)];
    for (Eigen::Index k = 0; k < cols; ++k) {
      const Term& term = candidates[static_cast<std::size_t>(k)];
      design.rows(i, k) = term.monomial(sample.features) / sample.seconds;
    }
  }
  for (Eigen::Index k = 0; k < cols; ++k) {
    const double largest = design.rows.col(k).maxCoeff();
    if (!(largest > 0)) continue;
    design.rows.col(k) /= largest;
    design.column_scale[k] = 1 / largest;
  }
  return design;
}

Eigen::VectorXd ratios(const Design& design, const Coefficients& coefficients) {
  return design.rows * coefficients;
}

std::vector<double> robust_weights(const Design& design) {
  std::vector<double> residuals;
  for (const double ratio : least_absolute_fit(design)) residuals.push_back(residual(ratio));
  // 1.4826 x the median absolute deviation is the standard deviation of a normal distribution.
  const double deviation = std::max(smallest_deviation, 1.4826 * median(residuals));
  std::vector<double> weights;
  for (const double value : residuals) {
    const double reach = value / (biweight_reach * deviation);
    weights.push_back(reach < 1 ? (1 - reach * reach) * (1 - reach * reach) : 0.0);
  }
  return weights;
}

}  // namespace switchyard
