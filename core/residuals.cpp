// Medians of logarithms, and the models they correct.
#include "residuals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <switchyard/containers/robust_statistics.hpp>

namespace switchyard {
namespace {

// Matrices before a model is corrected, and before it is said to have drifted.
constexpr std::size_t enough_to_correct = 3;
constexpr std::size_t enough_to_report = 5;
// Corrections within this factor either way; what is further off is another problem.
constexpr double furthest = 4;
// A change below this factor is not worth planning everything anew.
constexpr double noticeable = 1.15;

}  // namespace

bool Residuals::learn(const ModelKey& key, double ratio) {
  if (!(ratio > 0) || !std::isfinite(ratio)) return false;
  Account& account = accounts_[key];
  account.logarithms[account.count++ % kept] = std::log(ratio);
  const std::size_t known = std::min(account.count, kept);
  if (known < enough_to_correct) return false;
  const double limit = std::log(furthest);
  auto logarithms = account.logarithms;
  const double middle = median_reordering({logarithms.data(), known});
  const double factor = std::clamp(middle, -limit, limit);
  if (std::abs(factor - account.applied) < std::log(noticeable)) return false;
  account.applied = factor;
  return true;
}

double Residuals::factor(const ModelKey& key) const {
  const auto account = accounts_.find(key);
  return account == accounts_.end() ? 1 : std::exp(account->second.applied);
}

std::optional<std::string> Residuals::drift(const ModelKey& key, double promised) {
  const auto found = accounts_.find(key);
  if (found == accounts_.end()) return std::nullopt;
  Account& account = found->second;
  const double off = std::exp(std::abs(account.applied));
  const bool tells = !account.reported && account.count >= enough_to_report && off > 1 + promised;
  if (!tells) return std::nullopt;
  account.reported = true;
  return fmt::format(
      "products in {} [{}, {}] take {:.2g} times what the profile predicts, and calibration "
      "promised no more than {:.2g} either way; where no other programs are the reason, run "
      "`switchyard calibrate` again",
      name(key.from), key.variant, name(key.precision), std::exp(account.applied), 1 + promised);
}

Profile Residuals::corrected(const Profile& profile) const {
  std::vector<CostModel> models;
  for (const CostModel& model : profile.models()) {
    models.push_back(scaled(model, factor(model.key)));
  }
  return profile.with(profile.fingerprint(), std::move(models));
}

}  // namespace switchyard
