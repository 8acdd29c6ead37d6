// Calibration: measures this machine once and fits the models that plans are based on.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <switchyard/backends/executor.hpp>
#include <switchyard/containers/machine_load.hpp>
#include <switchyard/models/profile.hpp>
#include <vector>

namespace switchyard {

/// How long to measure: quick for a first try, standard for daily use, thorough for a paper.
enum class Effort { Quick, Standard, Thorough };

/// The progress of a calibration.
struct CalibrationProgress {
  std::string what;    ///< what is measured next: "uniform matrix of 300 x 200, 12 % full, float"
  Index done = 0;      ///< experiments finished, of `total`
  Index total = 0;     ///< experiments in all
  double seconds = 0;  ///< since the start
  double seconds_left = 0;  ///< estimated remaining time
};

/// The options of a calibration.
struct CalibrationOptions {
  Effort effort = Effort::Standard;  ///< how many experiments
  /// The time limit. 0: that of the effort. The calibration then ends with the samples so far. It
  /// takes longer only if a driver needs more than half of it to compile the kernels first.
  double budget_seconds = 0;
  /// Measures only this device and the host; absent: every device.
  std::optional<Space> device;
  /// The file that samples are appended to as they are taken, so that none is lost however a run
  /// ends. It is removed when everything is measured and saved. One process at a time can use it:
  /// it is locked. Empty: no file.
  std::filesystem::path checkpoint;
  /// Uses the samples in `checkpoint` instead of measuring them again, if they are of this machine
  /// and version. Damaged lines are left out.
  bool resume = false;
  /// Called with the profile before the checkpoint is removed, but not after an interruption. If it
  /// throws, `calibrate` throws the same and the checkpoint stays.
  std::function<void(const Profile&)> save = {};
  /// Called before each experiment, before each build of a kernel program (of those that several
  /// threads build, before them all) and before the fit, from the calling thread.
  std::function<void(const CalibrationProgress&)> progress = {};
  /// Called between experiments. Returning true ends the calibration early.
  std::function<bool()> interrupted = {};
  /// Seconds since some fixed moment; absent: the steady clock. Called by one thread at a time, not
  /// always by the same.
  std::function<double()> clock = {};
  /// Reads how busy the machine is; absent: from the system.
  std::function<MachineLoad()> load = {};
};

/// An operation that was measured but could not be fitted. Its model in the profile, if there is
/// one, is a rough estimate with a p95 error of 2 or more. Else its predictions are built-in ones.
struct UnfittedModel {
  ModelKey key;        ///< the operation
  std::string reason;  ///< "too few usable timings (3 of 4 needed)"
};

/// The result of a calibration.
struct CalibrationResult {
  Profile profile;  ///< for `save_profile` or `Runtime::use_profile`; empty if interrupted
  /// False if the time ran out before the last experiment, or the run was interrupted. The samples
  /// so far are then in the checkpoint.
  bool complete = true;
  bool interrupted = false;  ///< stopped on request
  Index done = 0;   ///< experiments measured, now or in a run that this one resumed, of `total`
  Index total = 0;  ///< experiments in all
  std::vector<UnfittedModel> unfitted;  ///< operations without a model, by key
};

/// Runs the experiments on generated matrices, fits the models and returns the profile. Writes only
/// the checkpoint. `executors` are those of a runtime (`Runtime::executors`, by `Space::index()`),
/// and `fingerprint` is its machine's. Throws `Error(IoError)` if the checkpoint cannot be written
/// or another process uses it. A device that fails is left out with a warning in the log.
///
/// Nothing else should run on the machine. If other programs do, a warning in the log says so
/// before the first experiment and at the end, and the profile's `load` holds it. What they disturb
/// is measured again while there is time, and makes models less accurate that it stays part of.
[[nodiscard]] CalibrationResult calibrate(const std::vector<std::shared_ptr<Executor>>& executors,
                                          const Fingerprint& fingerprint,
                                          const CalibrationOptions& options);

}  // namespace switchyard
