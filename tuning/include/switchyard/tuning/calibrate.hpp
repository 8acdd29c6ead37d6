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
  std::string what;    ///< what is measured next: "uniform matrix of 300 x 200, 12 % full, float"
  Index done = 0;      ///< experiments finished, of `total`
  Index total = 0;     ///< experiments in all
  double seconds = 0;  ///< since the start
  double seconds_left = 0;  ///< estimated
};

/// What a calibration measures, for how long, and whom it tells.
struct CalibrationOptions {
  Effort effort = Effort::Standard;  ///< how many experiments
  /// Ends about then, with what has been measured; 0: the effort's own time. Later only where a
  /// driver takes more than half of it to compile the kernels for the first time.
  double budget_seconds = 0;
  /// Measures only this device and the host; absent: every device.
  std::optional<Space> device;
  /// Samples are appended here as they are taken, so that however a run ends it loses none; removed
  /// when everything is measured and saved. Locked meanwhile: one process at a time. Empty: kept
  /// nowhere.
  std::filesystem::path checkpoint;
  /// Takes over the samples in `checkpoint` instead of measuring them again, if they are of this
  /// machine and version; damaged lines are left out.
  bool resume = false;
  /// Called with the profile before the checkpoint is removed. What it throws leaves `calibrate`,
  /// and the checkpoint where it is. Not called for a run that was interrupted.
  std::function<void(const Profile&)> save = {};
  /// Called before each experiment and before the fit, from the calling thread.
  std::function<void(const CalibrationProgress&)> progress = {};
  /// Asked between experiments; true ends the calibration early.
  std::function<bool()> interrupted = {};
  /// Seconds since some fixed moment; absent: the steady clock.
  std::function<double()> clock = {};
};

/// An operation that was measured but could not be fitted: it runs on built-in predictions.
struct UnfittedModel {
  ModelKey key;        ///< which operation
  std::string reason;  ///< "too few usable timings (3 of 4 needed)"
};

/// What became of a calibration.
struct CalibrationResult {
  Profile profile;  ///< for `save_profile` or `Runtime::use_profile`; no models where interrupted
  /// False where it ran out of time before the last experiment, or was interrupted; what was
  /// measured is then in the checkpoint.
  bool complete = true;
  bool interrupted = false;  ///< stopped on request
  Index done = 0;   ///< experiments measured, now or in a run that this one resumed, of `total`
  Index total = 0;  ///< experiments in all
  std::vector<UnfittedModel> unfitted;  ///< in the order of their keys
};

/// Runs the experiments on generated matrices, fits the models and returns the profile; writes
/// nothing but the checkpoint. `executors` are those of a runtime (`Runtime::executors`, by
/// `Space::index()`), `fingerprint` its machine's. A device that fails is left out with a warning
/// in the log. Nothing else should be running on the machine. Throws `Error(IoError)` where the
/// checkpoint cannot be written or another process uses it.
[[nodiscard]] CalibrationResult calibrate(const std::vector<std::shared_ptr<Executor>>& executors,
                                          const Fingerprint& fingerprint,
                                          const CalibrationOptions& options);

}  // namespace switchyard
