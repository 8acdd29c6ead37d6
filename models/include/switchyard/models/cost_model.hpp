// What one operation costs: a polynomial for each tier of the memory, fitted to measured samples.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <switchyard/containers/request.hpp>
#include <switchyard/containers/state.hpp>
#include <switchyard/models/features.hpp>
#include <switchyard/models/polynomial.hpp>
#include <vector>

namespace switchyard {

/// Everything that takes time, and so has a cost.
enum class Operation { Multiply, Convert, Transfer, Build };

/// "multiply", "convert", "transfer", "build".
[[nodiscard]] std::string_view name(Operation operation) noexcept;

/// The variant of a transfer into memory that is allocated for it, as that of a matrix is; one into
/// memory that is there already, as that of a vector is, has none.
inline constexpr std::string_view new_memory = "new memory";

/// Which operation a model is of. A multiply has from == to; a transfer is of bytes, whatever they
/// are, so its formats and its precision are left at their defaults; a build has from == to, its
/// state's format left at its default, and the program's name as variant. What is said of a request
/// is left at its default for all but multiplies.
struct ModelKey {
  Operation operation = Operation::Multiply;  ///< what is done
  State from;                                 ///< where the matrix, or the bytes, are before
  State to;                                   ///< and after
  Precision precision = Precision::Float;     ///< of the elements
  std::string variant;                        ///< of the kernel; empty for a conversion
  Operand operand = Operand::Matrix;          ///< of the request that is computed
  bool many_columns = false;                  ///< whether x and y have more than one
  auto operator<=>(const ModelKey&) const = default;
};

/// The key of a multiplication in `state` by that variant of its kernel. Requests with more than
/// one column share a model.
[[nodiscard]] ModelKey multiply_key(State state, const Request& request, Precision precision,
                                    std::string_view variant);
/// The same for the plain request: A times one column.
[[nodiscard]] ModelKey multiply_key(State state, Precision precision, std::string_view variant);
/// The key of a conversion within `space`; conversions have no variants.
[[nodiscard]] ModelKey convert_key(Format from, Format to, Space space, Precision precision);
/// The key of a transfer of bytes from one space to another, into memory that is there or, with
/// that variant, into `new_memory`.
[[nodiscard]] ModelKey transfer_key(Space from, Space to, std::string_view variant = {});
/// The key of the build of a kernel program for the device behind `space`.
[[nodiscard]] ModelKey build_key(Space space, Precision precision, std::string_view program);

/// One measurement: a robust centre of several repetitions.
struct Sample {
  Features features;   ///< what was measured
  double seconds = 0;  ///< what it took
};

/// The error of a prediction for what was measured: the larger of the two over the smaller,
/// minus 1. Too low by a factor counts as much as too high by that factor: 1 is a factor of two
/// either way. Infinite where either is not positive.
[[nodiscard]] double prediction_error(double predicted, double measured) noexcept;

/// How well a model does on points that its fit did not see. Errors are `prediction_error`.
struct ModelQuality {
  Index samples = 0;        ///< points that the fit and its checks had
  double r_squared = 0;     ///< over all samples, in seconds, spikes included; at most 1
  double median_error = 0;  ///< of the held-out points
  double p95_error = 0;     ///< 95th percentile of the held-out points
};

/// A prediction and its accuracy.
struct Estimate {
  double seconds = 0;         ///< predicted time
  double relative_error = 0;  ///< the model's 95th percentile of `prediction_error`, held out
  /// Asked outside the calibrated domain: in the bytes, or in another quantity that a term uses.
  bool extrapolated = false;
  bool built_in = false;  ///< from assumed figures; nobody has measured this operation
};

/// One tier: what holds while the bytes touched are no more than `up_to_bytes`.
struct ModelTier {
  double up_to_bytes = 0;             ///< infinite for the last tier
  Polynomial polynomial;              ///< seconds, of the features
  Features lowest;                    ///< the domain: lower corner of the box the samples lie in
  Features highest;                   ///< upper corner of that box
  double floor_seconds = 0;           ///< no prediction is lower: the fastest call measured
  double floor_seconds_per_byte = 0;  ///< nor lower than this for each byte: the fastest bandwidth
  /// The polynomial counts for no more than this: the slowest call measured. In the corners of the
  /// box, quantities meet that never met in a sample. Not used in the last tier.
  double ceiling_seconds = std::numeric_limits<double>::infinity();
};

/// The model of one operation. Immutable once made; may be asked from any thread.
struct CostModel {
  ModelKey key;                  ///< the operation that is priced
  std::vector<ModelTier> tiers;  ///< ascending, at least one
  ModelQuality quality;          ///< how far it can be trusted
  std::vector<Sample> samples;   ///< kept for inspection; may be empty
  bool built_in = false;         ///< from assumed figures; not stored in a profile's file

  /// Seconds that the operation takes; never negative, never NaN, and no memory is allocated.
  ///
  /// Never falls as any quantity grows while no other falls. So at equal shape (rows, columns and
  /// the relative statistics of the rows: lines per nonzero, deviation and longest row over mean
  /// row) a prediction never falls as the nonzeros grow; `Quantity` says what holds for matrices
  /// whose nonzeros are spread evenly.
  ///
  /// The value of a tier is its polynomial at the point of its domain that is nearest to what is
  /// asked: each quantity is moved to the nearest side of the box on its own. It lies between the
  /// tier's ceiling and its floors, of which the floors go first. A prediction is the largest value
  /// of the tier that the bytes fall into and of all tiers below it: a matrix that is larger in
  /// every quantity does not take less time. Between the samples of two tiers it runs in a straight
  /// line from one to the other, so that no border is a jump. No prediction is below the bytes at
  /// the fastest bandwidth measured in the tier and those above. Above the last tier it continues
  /// in proportion to the bytes, and below the first it stays what it is.
  ///
  /// A feature that is infinite or NaN, or a model without tiers, gives an infinite time: an
  /// unknown operation is not an edge of the planner's graph.
  [[nodiscard]] Estimate predict(const Features& features) const noexcept;
};

/// What a fit may choose from.
struct FitOptions {
  /// Where a tier may end: the cache sizes. Half and twice each are tried too, as a cache is shared
  /// and its replacement is not perfect.
  std::vector<double> tier_bytes;
  int folds = 5;  ///< of the cross-validation; brought between 2 and 20, and to the samples at hand
};

/// The fewest usable samples that a model is fitted to.
inline constexpr Index fewest_usable_samples = 4;

/// How many of the samples can be used: seconds within [1e-12, 1e9], features within [0, 1e18].
[[nodiscard]] Index usable_samples(std::span<const Sample> samples) noexcept;

/// Fits a model by weighted least squares on the relative error, with coefficients that are not
/// negative; the terms, their degree and the tiers are chosen by cross-validation. The answer does
/// not depend on the order of the samples.
///
/// Samples that are not usable are left out. Of the rest, those far off what the others say
/// (outliers) lose their weight. Where more than two in five are off the fit by more than 25 %, the
/// machine may have been busy: the model is then fitted to the fast samples that agree with each
/// other, two in five at least, if nearly all others are slower than it by no more than a factor of
/// 16, and about as many samples are close to it. Its quality counts the others too. Nothing where
/// more than two in five are off by more than a factor of two all the same, or where fewer than
/// `fewest_usable_samples` can be used.
[[nodiscard]] std::optional<CostModel> fit_cost_model(const ModelKey& key,
                                                      std::span<const Sample> samples,
                                                      const FitOptions& options);

}  // namespace switchyard
