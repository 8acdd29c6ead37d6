// The samples of a fit as a matrix: one row a sample, one column a candidate term.
#pragma once

#include <Eigen/Core>
#include <span>
#include <switchyard/models/cost_model.hpp>
#include <vector>

#include "nnls.hpp"

namespace switchyard {

/// Row i, column k: term k at sample i / its measured seconds, so that every row's target is 1 and
/// an error is a relative one. Columns are divided by their largest entry.
struct Design {
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows;
  Coefficients column_scale;  ///< a coefficient in seconds is the fitted one x this
};

[[nodiscard]] Design design_of(std::span<const Sample> samples, std::span<const Term> candidates);

/// Predicted / measured for each row.
[[nodiscard]] Eigen::VectorXd ratios(const Design& design, const Coefficients& coefficients);

/// The normal equations of some rows.
struct NormalEquations {
  Gram gram;
  Coefficients right;
  explicit NormalEquations(Eigen::Index columns)
      : gram(Gram::Zero(columns, columns)), right(Coefficients::Zero(columns)) {}
  /// One more row, whose target is 1.
  void add(const Coefficients& row, double weight) {
    gram.noalias() += weight * row * row.transpose();
    right += weight * row;
  }
};

/// For each row a weight from 0 (a spike) to 1: a fit of all columns to least absolute logarithms
/// of predicted / measured, by iteratively reweighted least squares; then Tukey's biweight on what
/// is left. Stands up to spikes of either sign in a good fifth of the rows.
[[nodiscard]] std::vector<double> robust_weights(const Design& design);

}  // namespace switchyard
