// Inaccurate models, and devices without any.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "../models_report.hpp"
#include "check.hpp"

namespace switchyard::command::doctor {
namespace {

bool has_product(const Profile& profile, Space space) {
  return std::ranges::any_of(profile.models(), [&](const CostModel& model) {
    return !model.built_in && model.key.operation == Operation::Multiply &&
           model.key.from.space == space;
  });
}

/// A few are inaccurate even after a good calibration.
constexpr double tolerable_share = 0.1;

Finding weak_models(const Profile& profile) {
  std::vector<CostModel> models;
  std::ranges::copy_if(profile.models(), std::back_inserter(models),
                       [](const CostModel& model) { return !model.built_in; });
  const auto weak = std::ranges::count_if(
      models, [](const CostModel& model) { return !weakness(model).empty(); });
  const std::string words = fmt::format("{} of {} are inaccurate", weak, models.size());
  if (static_cast<double>(weak) <= tolerable_share * static_cast<double>(models.size())) {
    return {Health::Ok, words};
  }
  const auto first =
      std::ranges::find_if(models, [](const CostModel& model) { return !weakness(model).empty(); });
  return {Health::Warning,
          fmt::format("{}, for example {} {}: {}; decisions that depend on them may be wrong",
                      words, name(first->key.operation), name(first->key.from), weakness(*first)),
          "switchyard calibrate --thorough, while no other program runs"};
}

}  // namespace

Findings check_models(const Patient& patient) {
  const auto profile = patient.runtime.profile();
  if (!profile->calibrated) return {{Health::Ok, "built-in figures, as there is no profile"}};
  Findings findings{weak_models(*profile)};
  if (const std::string words = built_in_text(built_in_states(*profile)); !words.empty()) {
    findings.push_back({Health::Warning, words.substr(0, words.find(';')),
                        "switchyard calibrate, while no other program runs"});
  }
  for (const auto& executor : patient.runtime.executors()) {
    if (has_product(*profile, executor->space())) continue;
    const std::string place = name(executor->space());
    findings.push_back(
        {Health::Warning,
         fmt::format("{} has no calibrated models; its times are rough built-in estimates", place),
         "switchyard calibrate, without --device"});
  }
  return findings;
}

}  // namespace switchyard::command::doctor
