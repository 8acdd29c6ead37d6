// Transfers of x and y, and vector operations between calls, by the models that come nearest.
#include "vector_costs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "predictions.hpp"

namespace switchyard {
namespace {

/// Seconds until a vector that is valid in the spaces of `mask` is in `space`.
double arrival(const Profile& profile, std::uint64_t mask, Space space, double bytes) {
  if (mask >> space.index() & 1) return 0;
  double seconds = 0;
  const bool on_host = mask & 1;
  if (!on_host && mask != 0) {
    const Space holder = Space::device(std::countr_zero(mask) - 1);
    seconds += travel_seconds(profile, holder, Space::host(), bytes);
  }
  if (!space.is_host()) seconds += travel_seconds(profile, Space::host(), space, bytes);
  return seconds;
}

/// What the program does with vectors from one call to the next, were it done in that space.
double seconds_between_calls(const Situation& situation, const Profile& profile,
                             const SpaceOutlook& outlook) {
  const VectorWork& work = situation.vectors.between;
  if (work.operations <= 0) return 0;
  const auto operations = static_cast<double>(work.operations);
  const double bytes = static_cast<double>(work.bytes) / operations;
  const auto operation = stream_seconds(situation.precision, profile, outlook, bytes);
  if (!operation) return 0;
  // The host waits for the result of each sum.
  const double answer = outlook.space.is_host()
                            ? 0
                            : travel_seconds(profile, outlook.space, Space::host(), sizeof(double));
  return operations * *operation + static_cast<double>(work.sums) * answer;
}

/// Bytes of a vector of so many rows, each of the columns that are asked for.
double bytes_of_rows(const Situation& situation, Index rows) noexcept {
  return static_cast<double>(rows) * static_cast<double>(situation.request.columns) *
         static_cast<double>(size_of(situation.precision));
}

}  // namespace

std::optional<double> stream_seconds(Precision precision, const Profile& profile,
                                     const SpaceOutlook& outlook, double bytes) {
  Features stream;
  stream[Quantity::Bytes] = bytes;
  stream[Quantity::Elements] = bytes / static_cast<double>(size_of(precision));
  stream[Quantity::Rows] = stream[Quantity::Cols] = std::sqrt(stream[Quantity::Elements]);
  std::optional<Estimate> least;
  for (const MultiplyCapability& dense : outlook.multiplies) {
    if (dense.format != Format::Dense) continue;
    const auto cost = predict(
        profile, multiply_key({outlook.space, Format::Dense}, precision, dense.variant), stream);
    if (!cost) continue;
    // As for products, a calibrated model goes before a built-in one.
    const bool is_better =
        !least ||
        (cost->built_in != least->built_in ? least->built_in : cost->seconds < least->seconds);
    if (is_better) least = cost;
  }
  return least ? std::optional(least->seconds) : std::nullopt;
}

double x_bytes(const Situation& situation) noexcept {
  const Structure& matrix = situation.structure;
  return bytes_of_rows(situation, x_rows(situation.request, matrix.rows, matrix.cols));
}

double y_bytes(const Situation& situation) noexcept {
  const Structure& matrix = situation.structure;
  return bytes_of_rows(situation, y_rows(situation.request, matrix.rows, matrix.cols));
}

VectorCosts vector_costs(const Situation& situation, const Profile& profile,
                         const SpaceOutlook& outlook) {
  const VectorTraffic& vectors = situation.vectors;
  const double x = x_bytes(situation);
  const double y = y_bytes(situation);
  const Space space = outlook.space;
  const double between = seconds_between_calls(situation, profile, outlook);
  const double x_in = arrival(profile, vectors.x_valid, space, x);
  const double y_in = vectors.y_kept ? arrival(profile, vectors.y_valid, space, y) : 0;
  if (space.is_host()) return {.seconds = between, .once_seconds = x_in + y_in};
  const double x_again = travel_seconds(profile, Space::host(), space, x);
  const double y_out = travel_seconds(profile, space, Space::host(), y);
  // Once: the share of the first transfer that the average per call does not hold yet.
  return {.seconds = between + vectors.x_fresh * x_again + vectors.y_read * y_out,
          .once_seconds = std::max(x_in - vectors.x_fresh * x_again, 0.0) + y_in,
          .travel_bytes = vectors.x_fresh * x + vectors.y_read * y};
}

double vector_seconds(const Situation& situation, const Profile& profile,
                      const SpaceOutlook& outlook) {
  const VectorCosts costs = vector_costs(situation, profile, outlook);
  return costs.once_seconds + static_cast<double>(situation.horizon) * costs.seconds;
}

}  // namespace switchyard
