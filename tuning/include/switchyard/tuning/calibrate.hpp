// Calibration: measuring this machine once, so that plans can be made for it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <switchyard/backends/executor.hpp>
#include <switchyard/models/profile.hpp>
#include <vector>

namespace switchyard {

/// How long to measure: quick for a first try, standard for daily use, thorough for a paper.
enum class Effort { Quick, Standard, Thorough };

/// How far a calibration is.
struct CalibrationProgress {
  std::string what;         ///< what is being measured: "multiply csr@device0 double"
  Index done = 0;           ///< experiments finished, of `total`
  Index total = 0;          ///< experiments in all
  double seconds = 0;       ///< since the start
  double seconds_left = 0;  ///< estimated
};

/// What a calibration measures, for how long, and whom it tells.
struct CalibrationOptions {
  Effort effort = Effort::Standard;  ///< how many experiments
  /// Ends about then, with what has been measured; 0: the effort's own time.
  double budget_seconds = 0;
  /// Measures only this device and the host; absent: every device.
  std::optional<Space> device;
  /// Samples are appended here as they are taken, so that an interrupted run loses none; removed
  /// when the calibration is complete. Empty: kept nowhere.
  std::filesystem::path checkpoint;
  /// Takes over the samples in `checkpoint` instead of measuring them again, if they are of this
  /// machine and version; damaged lines are left out.
  bool resume = false;
  /// Called after each experiment, from the calling thread.
  std::function<void(const CalibrationProgress&)> progress = {};
  /// Asked between experiments; true ends the calibration early.
  std::function<bool()> interrupted = {};
  /// Seconds since some fixed moment; absent: the steady clock.
  std::function<double()> clock = {};
};

/// Whether all of it could be measured.
struct CalibrationResult {
  Profile profile;  ///< the fitted models, for `save_profile` or `Runtime::use_profile`
  /// False where it ran out of time before the last experiment, or was interrupted; interrupted, it
  /// has no models, and what was measured is in the checkpoint.
  bool complete = true;
};

/// Runs the experiments on generated matrices, fits the models and returns the profile; writes
/// nothing but the checkpoint. `executors` are those of a runtime (`Runtime::executors`, by
/// `Space::index()`), `fingerprint` its machine's. A device that fails is left out with a warning
/// in the log. Nothing else should be running on the machine. Throws `Error(IoError)` where the
/// checkpoint cannot be written.
[[nodiscard]] CalibrationResult calibrate(const std::vector<std::shared_ptr<Executor>>& executors,
                                          const Fingerprint& fingerprint,
                                          const CalibrationOptions& options);

}  // namespace switchyard
