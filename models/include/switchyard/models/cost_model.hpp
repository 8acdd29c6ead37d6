// The cost model of one operation: a polynomial for each memory tier, fitted to measured samples.
#pragma once

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

/// The operations that have a cost.
enum class Operation { Multiply, Convert, Transfer, Build };

/// "multiply", "convert", "transfer", "build".
[[nodiscard]] std::string_view name(Operation operation) noexcept;

/// The variant of a transfer into newly allocated memory, as for a matrix. A transfer into existing
/// memory, as for a vector, has no variant.
inline constexpr std::string_view new_memory = "new memory";

/// The operation that a model predicts. A multiply has from == to. A transfer moves bytes, so its
/// formats and precision have their default values. A build has from == to, the default format, and
/// the program's name as its variant. Only a multiply uses `operand` and `many_columns`.
struct ModelKey {
  Operation operation = Operation::Multiply;  ///< what is done
  State from;                                 ///< the state before
  State to;                                   ///< the state after
  Precision precision = Precision::Float;     ///< of the elements
  std::string variant;                        ///< of the kernel; empty for a conversion
  Operand operand = Operand::Matrix;          ///< of the request
  bool many_columns = false;                  ///< whether the request has several columns
  auto operator<=>(const ModelKey&) const = default;
};

/// The key of a multiplication in `state` with that kernel variant. All requests with more than one
/// column share a model.
[[nodiscard]] ModelKey multiply_key(State state, const Request& request, Precision precision,
                                    std::string_view variant);
/// The same for the plain request: A times one column.
[[nodiscard]] ModelKey multiply_key(State state, Precision precision, std::string_view variant);
/// The key of a conversion within `space`. Conversions have no variants.
[[nodiscard]] ModelKey convert_key(Format from, Format to, Space space, Precision precision);
/// The key of a transfer between spaces, into existing memory or, with the variant `new_memory`,
/// into newly allocated memory.
[[nodiscard]] ModelKey transfer_key(Space from, Space to, std::string_view variant = {});
/// The key of the build of a kernel program for the device of `space`.
[[nodiscard]] ModelKey build_key(Space space, Precision precision, std::string_view program);

/// One measurement: a robust mean of several repetitions.
struct Sample {
  Features features;   ///< what was measured
  double seconds = 0;  ///< the measured time
};

/// The error of a prediction: the larger of the predicted and the measured time over the smaller,
/// minus 1. So 1 is a factor of two, whether too high or too low. Infinite if either is not
/// positive.
[[nodiscard]] double prediction_error(double predicted, double measured) noexcept;

/// The accuracy of a model on samples that were held out of its fit. Errors are `prediction_error`.
struct ModelQuality {
  Index samples = 0;        ///< number of samples, held-out ones included
  double r_squared = 0;     ///< over all samples, in seconds, outliers included; at most 1
  double median_error = 0;  ///< of the held-out points
  double p95_error = 0;     ///< 95th percentile of the held-out points
};

/// A prediction and its accuracy.
struct Estimate {
  double seconds = 0;         ///< predicted time
  double relative_error = 0;  ///< the model's 95th percentile of `prediction_error`, held out
  /// Extrapolated beyond the calibrated range, in the bytes or in another quantity of a term.
  bool extrapolated = false;
  bool built_in = false;  ///< from assumed figures, not from measurements
};

/// One memory tier: valid for up to `up_to_bytes` touched.
struct ModelTier {
  double up_to_bytes = 0;    ///< infinite for the last tier
  Polynomial polynomial;     ///< seconds, of the features
  Features lowest;           ///< the domain: lower corner of the box the samples lie in
  Features highest;          ///< upper corner of that box
  double floor_seconds = 0;  ///< no prediction is lower: the fastest call measured
  double floor_seconds_per_byte =
      0;  ///< and none is lower than this for each byte: the fastest bandwidth
  /// The polynomial's value is limited to this: the slowest call measured. In the corners of the
  /// box, quantities have combinations that no sample had. Not used in the last tier.
  double ceiling_seconds = __builtin_huge_val();  // <limits> would cost each user 1,500 lines
};

/// The model of one operation. Immutable once made. Threads: `predict` may be called from any
/// thread.
struct CostModel {
  ModelKey key;                  ///< the operation
  std::vector<ModelTier> tiers;  ///< ascending, at least one
  ModelQuality quality;          ///< its accuracy
  std::vector<Sample> samples;   ///< kept for inspection; may be empty
  bool built_in = false;         ///< from assumed figures; not stored in a profile's file

  /// The predicted seconds of the operation: never negative and never NaN. Allocates nothing.
  ///
  /// A prediction never falls as a quantity grows while no other falls. So at equal shape it never
  /// falls as the nonzeros grow. Equal shape means the same rows, columns and relative statistics
  /// of the rows (lines per nonzero, deviation and longest row over mean row). `Quantity` says what
  /// holds for matrices with evenly distributed nonzeros.
  ///
  /// The value of a tier is its polynomial at the nearest point of its domain: each quantity is
  /// moved to the nearest side of the box on its own. The value is limited by the tier's ceiling
  /// and floors. If they contradict, the floors hold. A prediction is the largest value of the tier
  /// that the bytes fall into and of all tiers below it, so a matrix that is larger in every
  /// quantity does not take less time. Between the samples of two tiers it is interpolated
  /// linearly, so that no border is a jump. No prediction is below the bytes at the fastest
  /// bandwidth measured in the tier and those above. Above the last tier the
  /// prediction is that of the share of the rows that has the most bytes measured, divided by that
  /// share: there it may fall by what is rounded. Below the first tier it is constant.
  ///
  /// An infinite or NaN feature, or a model without tiers, gives an infinite time. The planner's
  /// graph then has no such edge.
  [[nodiscard]] Estimate predict(const Features& features) const noexcept;
};

/// The model that predicts `times` as long. Without the samples.
[[nodiscard]] CostModel scaled(const CostModel& model, double times);

/// The options of a fit.
struct FitOptions {
  /// Possible ends of tiers: the cache sizes. Half and twice each are tried as well, because a
  /// cache is shared and its replacement is not perfect.
  std::vector<double> tier_bytes;
  int folds = 5;  ///< of the cross-validation; limited to 2 to 20 and to the number of samples
};

/// The fewest usable samples that a model is fitted to.
inline constexpr Index fewest_usable_samples = 4;

/// How many of the samples can be used: seconds within [1e-12, 1e9], features within [0, 1e18].
[[nodiscard]] Index usable_samples(std::span<const Sample> samples) noexcept;

/// Fits a model by weighted least squares on the relative error, with non-negative coefficients.
/// The terms, their degree and the tiers are chosen by cross-validation. The result does not depend
/// on the order of the samples. Returns nothing if fewer than `fewest_usable_samples` can be used,
/// or if more than two in five deviate from the fit by more than a factor of two.
///
/// Samples that are not usable are left out. Outliers among the others lose their weight. If more
/// than two in five deviate by more than 25 %, the machine may have been busy. The model is then
/// fitted to the fast samples that agree with each other, at least two in five. This requires that
/// nearly all others are slower than it by no more than a factor of 16, and that about as many
/// samples are close to it. Its quality includes the others.
[[nodiscard]] std::optional<CostModel> fit_cost_model(const ModelKey& key,
                                                      std::span<const Sample> samples,
                                                      const FitOptions& options);

}  // namespace switchyard
