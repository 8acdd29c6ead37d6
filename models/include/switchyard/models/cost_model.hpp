// What one operation costs: a polynomial for each tier of the memory, fitted to measured samples.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <switchyard/containers/state.hpp>
#include <switchyard/models/features.hpp>
#include <switchyard/models/polynomial.hpp>
#include <vector>

namespace switchyard {

/// What can be asked for, and so has a cost.
enum class Operation { Multiply, Convert, Transfer, Build };

/// "multiply", "convert", "transfer", "build".
[[nodiscard]] std::string_view name(Operation operation) noexcept;

/// The variant of a transfer into memory that is allocated for it, as that of a matrix is; one into
/// memory that is there already, as that of a vector is, has none.
inline constexpr std::string_view new_memory = "new memory";

/// Which operation a model is of. A multiply has from == to; a transfer is of bytes, whatever they
/// are, so its formats and its precision are left at their defaults; a build has from == to, its
/// state's format left at its default, and the program's name as variant.
struct ModelKey {
  Operation operation = Operation::Multiply;  ///< what is done
  State from;                                 ///< where the matrix, or the bytes, are before
  State to;                                   ///< and after
  Precision precision = Precision::Float;     ///< of the elements
  std::string variant;                        ///< of the kernel; empty for a conversion
  auto operator<=>(const ModelKey&) const = default;
};

/// The key of a product in `state` by that variant of its kernel.
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

/// How well a model does on points that its fit did not see.
struct ModelQuality {
  Index samples = 0;        ///< points that the fit and its checks had
  double r_squared = 0;     ///< over all samples, in seconds, spikes included; at most 1
  double median_error = 0;  ///< relative, held out
  double p95_error = 0;     ///< relative, held out
};

/// A prediction and how far off it may be.
struct Estimate {
  double seconds = 0;         ///< what it is predicted to take
  double relative_error = 0;  ///< the model's 95th percentile on held-out points
  /// Asked outside the calibrated domain: in the bytes, or in another quantity that a term uses.
  bool extrapolated = false;
  bool built_in = false;  ///< from assumed figures; nobody has measured this operation
};

/// One tier: what holds while the bytes touched are no more than `up_to_bytes`.
struct ModelTier {
  double up_to_bytes = 0;             ///< infinite for the last tier
  Polynomial polynomial;              ///< seconds, of the features
  Features lowest;                    ///< the domain: the corners of the box the samples lie in
  Features highest;                   ///< the upper corner of that box
  double floor_seconds = 0;           ///< no prediction is lower
  double floor_seconds_per_byte = 0;  ///< nor lower than this for each byte
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
  /// Within the domain of the tier that the bytes fall into, its polynomial. Outside, each quantity
  /// is first moved to the nearest side of that box; above the last tier the value then continues
  /// in proportion to the bytes, below the first it stays what it is. Between the samples of two
  /// tiers it runs in a straight line from one to the other, so that no border is a jump. So within
  /// one tier, and above and below all, more work never costs less. Nor does a call cost less than
  /// the cheapest one of its tier that was measured, or a byte less than the cheapest.
  ///
  /// A feature that is infinite or NaN, or a model without tiers, gives an infinite cost: what is
  /// unknown is not an edge of the planner's graph.
  [[nodiscard]] Estimate predict(const Features& features) const noexcept;
};

/// What a fit may choose from.
struct FitOptions {
  /// Where a tier may end: the cache sizes. Half and twice each are tried too, as a cache is shared
  /// and its replacement is not perfect.
  std::vector<double> tier_bytes;
  int folds = 5;  ///< of the cross-validation; brought between 2 and 20, and to the samples at hand
};

/// Fits a model by weighted least squares on the relative error, with coefficients that are not
/// negative; the terms, their degree and the tiers are chosen by cross-validation. The answer does
/// not depend on the order of the samples.
///
/// Samples that no measurement gives are left out: seconds not within [1e-12, 1e9], features
/// negative or above 1e18, anything not finite. Of the rest, those far off what the others say
/// (spikes) lose their weight. Nothing where fewer than four usable samples are left, or where more
/// than two in five of them are off the fit by more than a factor of two.
[[nodiscard]] std::optional<CostModel> fit_cost_model(const ModelKey& key,
                                                      std::span<const Sample> samples,
                                                      const FitOptions& options);

}  // namespace switchyard
