// Forward selection of terms, each step judged on samples that the fit did not see.
#include "tier_fit.hpp"

#include <algorithm>
#include <cmath>

#include "design.hpp"

namespace switchyard {

namespace {

/// A term must lower the held-out error by this much of itself, and by this much a sample:
/// otherwise the gain is likely chance, and the term costs accuracy elsewhere.
constexpr double gain_of_term = 0.03;
constexpr double gain_of_term_per_sample = 1e-5;
constexpr std::size_t most_terms = 6;

/// A choice of columns with what its cross-validation gave.
struct Choice {
  std::vector<Eigen::Index> columns;
  std::vector<double> held_out;
  double loss = 0;  ///< capped errors of the held-out samples, each by its weight
};

class Selection {
 public:
  Selection(std::span<const Sample> samples, std::span<const Term> candidates, int folds)
      : candidates_(candidates),
        design_(design_of(samples, candidates)),
        weights_(robust_weights(design_)),
        all_(design_.rows.cols()),
        without_fold_(static_cast<std::size_t>(folds), NormalEquations(design_.rows.cols())) {
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      const Coefficients row = design_.rows.row(static_cast<Eigen::Index>(i));
      all_.add(row, weights_[i]);
      // Added up, not subtracted from the whole: what only one fold has is then exactly 0 without.
      for (std::size_t fold = 0; fold < without_fold_.size(); ++fold) {
        if (i % without_fold_.size() != fold) without_fold_[fold].add(row, weights_[i]);
      }
    }
  }

  /// Adds the best term while one is worth it.
  [[nodiscard]] Choice run() const {
    Choice best = judged({});
    const std::size_t limit = std::min(most_terms, std::max<std::size_t>(1, weights_.size() / 2));
    while (best.columns.size() < limit) {
      Choice next = best_extension(best);
      const double needed = std::max(
          gain_of_term * best.loss, gain_of_term_per_sample * static_cast<double>(weights_.size()));
      if (!(best.loss - next.loss > needed)) break;
      best = std::move(next);
    }
    best = without_passengers(std::move(best));
    std::sort(best.columns.begin(), best.columns.end());  // terms read in the table's order
    return best;
  }

  [[nodiscard]] Polynomial polynomial(const std::vector<Eigen::Index>& columns) const {
    const Coefficients fitted = fit(all_, columns);
    Polynomial polynomial;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      Term term = candidates_[static_cast<std::size_t>(columns[k])];
      term.coefficient = fitted[static_cast<Eigen::Index>(k)] * design_.column_scale[columns[k]];
      if (term.coefficient > 0) polynomial.terms.push_back(term);
    }
    return polynomial;
  }

  [[nodiscard]] const std::vector<double>& weights() const { return weights_; }

 private:
  static Coefficients fit(const NormalEquations& equations,
                          const std::vector<Eigen::Index>& columns) {
    return nonnegative_least_squares(equations.gram(columns, columns), equations.right(columns));
  }

  /// Cross-validates a choice of columns.
  [[nodiscard]] Choice judged(std::vector<Eigen::Index> columns) const {
    Choice choice{std::move(columns), std::vector<double>(weights_.size()), 0};
    for (std::size_t fold = 0; fold < without_fold_.size(); ++fold) {
      const Coefficients fitted = fit(without_fold_[fold], choice.columns);
      for (std::size_t i = fold; i < weights_.size(); i += without_fold_.size()) {
        double ratio = 0;
        for (std::size_t k = 0; k < choice.columns.size(); ++k) {
          ratio += fitted[static_cast<Eigen::Index>(k)] *
                   design_.rows(static_cast<Eigen::Index>(i), choice.columns[k]);
        }
        choice.held_out[i] = ratio;
        choice.loss += weights_[i] * capped_error(ratio);
      }
    }
    return choice;
  }

  [[nodiscard]] Choice best_extension(const Choice& choice) const {
    Choice best = choice;
    for (Eigen::Index column = 0; column < design_.rows.cols(); ++column) {
      const bool taken =
          std::find(choice.columns.begin(), choice.columns.end(), column) != choice.columns.end();
      if (taken || !(design_.column_scale[column] > 0)) continue;
      std::vector<Eigen::Index> columns = choice.columns;
      columns.push_back(column);
      Choice candidate = judged(std::move(columns));
      if (candidate.loss < best.loss) best = std::move(candidate);
    }
    return best;
  }

  /// Without the terms that later ones have made needless.
  [[nodiscard]] Choice without_passengers(Choice choice) const {
    for (std::size_t k = 0; choice.columns.size() > 1 && k < choice.columns.size();) {
      std::vector<Eigen::Index> columns = choice.columns;
      columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(k));
      Choice shorter = judged(std::move(columns));
      const double allowed = 1e-9 * static_cast<double>(weights_.size());
      if (shorter.loss <= choice.loss * (1 + gain_of_term / 10) + allowed) {
        choice = std::move(shorter);
      } else {
        ++k;
      }
    }
    return choice;
  }

  std::span<const Term> candidates_;
  Design design_;
  std::vector<double> weights_;
  NormalEquations all_;
  std::vector<NormalEquations> without_fold_;
};

}  // namespace

double capped_error(double ratio) noexcept {
  return ratio > 0 ? std::min(largest_error, std::abs(std::log(ratio))) : largest_error;
}

TierFit fit_tier(std::span<const Sample> samples, std::span<const Term> candidates, int folds) {
  const Selection selection(samples, candidates, folds);
  Choice choice = selection.run();
  return {selection.polynomial(choice.columns), std::move(choice.held_out), selection.weights()};
}

}  // namespace switchyard
