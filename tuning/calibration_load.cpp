// The words, and the error that they name.
#include <fmt/format.h>

#include <algorithm>
#include <switchyard/containers/robust_statistics.hpp>
#include <switchyard/tuning/calibration_load.hpp>
#include <vector>

namespace switchyard {

std::string load_text(const CalibrationLoad& load) {
  const double shown = std::max({load.average, load.others_before, load.others});
  return fmt::format("load {:.1f} on {} processor{}", shown, load.processors,
                     load.processors == 1 ? "" : "s");
}

double typical_error(const Profile& profile) {
  std::vector<double> errors;
  for (const CostModel& model : profile.models()) {
    if (model.key.operation != Operation::Multiply || model.built_in) continue;
    errors.push_back(model.quality.p95_error);
  }
  return errors.empty() ? 0 : median(errors);
}

std::string busy_text(const Profile& profile) {
  if (!profile.load || is_quiet(*profile.load, profile.fingerprint().threads)) return {};
  const double error = typical_error(profile);
  return load_text(*profile.load) + ": predictions may be off by " +
         (error < 1 ? fmt::format("{:.0f} %", 100 * error)
                    : fmt::format("a factor of {:.2g}", 1 + error));
}

}  // namespace switchyard
