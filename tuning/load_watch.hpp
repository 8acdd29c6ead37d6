// How busy the machine is before and during a calibration.
#pragma once

#include <functional>
#include <optional>
#include <switchyard/containers/machine_load.hpp>
#include <switchyard/models/profile.hpp>

namespace switchyard {

/// Where readings come from, and what lets seconds pass between them.
struct LoadSource {
  std::function<MachineLoad()> read;
  std::function<void(double)> pause;
};

/// Watches from its making on. Where the system has no counters, the load is unknown.
class LoadWatch {
 public:
  /// Takes a tenth of a second.
  explicit LoadWatch(LoadSource source);

  /// The load before the watch began; nothing if unknown.
  [[nodiscard]] const std::optional<CalibrationLoad>& before() const noexcept { return before_; }
  /// The load before and until now, `seconds` after the watch began; nothing if unknown.
  [[nodiscard]] std::optional<CalibrationLoad> until_now(double seconds) const;

 private:
  LoadSource source_;
  MachineLoad begin_;
  std::optional<CalibrationLoad> before_;
};

}  // namespace switchyard
