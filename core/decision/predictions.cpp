// Predictions, as far as there are models.
#include "predictions.hpp"

#include <cmath>

namespace switchyard {

std::optional<Estimate> predict(const Profile& profile, const ModelKey& key,
                                const Features& features) {
  return predict(profile.find(key), features);
}

std::optional<Estimate> predict(const CostModel* model, const Features& features) {
  if (!model) return std::nullopt;
  const Estimate estimate = model->predict(features);
  if (!std::isfinite(estimate.seconds) || estimate.seconds < 0) return std::nullopt;
  return estimate;
}

double travel_seconds(const Profile& profile, Space from, Space to, double bytes) {
  const auto cost = predict(profile, transfer_key(from, to), transfer_features(bytes));
  return cost ? cost->seconds : 0;
}

}  // namespace switchyard
