// Going through the experiments of a calibration, keeping the time.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <switchyard/tuning/calibrate.hpp>
#include <utility>
#include <vector>

#include "checkpoint.hpp"
#include "stopwatch.hpp"

namespace switchyard {

/// One thing to measure.
struct Experiment {
  std::string name;   ///< unique
  double weight = 1;  ///< how long it may take, relative to the others
  /// Measures what is wanted of it.
  std::function<std::vector<KeyedSample>(WantedKeys)> run;
  /// Whatever it takes, as where a driver compiles for the first time on this machine, half of the
  /// time asked for is left to the others: they are what a profile is for.
  bool comes_first = false;
  /// The name of the experiment that this one repeats, as far as `unexplained` by its models; empty
  /// for one of the first pass.
  std::string repeats = {};
};

/// How long a calibration is to take.
[[nodiscard]] double seconds_asked_for(const CalibrationOptions& options) noexcept;

/// Runs the experiments until they are all done, the time is up, or the user interrupts.
class CalibrationRun {
 public:
  /// Models of the samples of the first pass.
  using Fit = std::function<Profile(const std::vector<KeyedSample>&)>;

  /// Refers to `options` and `clock` as long as it lives. Without `fit`, whatever is repeated is
  /// measured again as a whole.
  CalibrationRun(const CalibrationOptions& options, const Clock& clock, Fit fit = {})
      : options_(options),
        clock_(clock),
        fit_(std::move(fit)),
        start_(clock()),
        budget_(seconds_asked_for(options)) {}

  /// Runs what the checkpoint has not; returns the samples of both.
  [[nodiscard]] std::vector<KeyedSample> run(const std::vector<Experiment>& experiments,
                                             Checkpoint& checkpoint);

  /// How many experiments are finished, now or in an earlier run.
  [[nodiscard]] Index done() const noexcept { return done_; }
  [[nodiscard]] bool interrupted() const noexcept { return interrupted_; }
  /// Since the start; neither negative nor NaN, whatever the clock does.
  [[nodiscard]] double seconds();
  /// Reports to `options.progress` that `what` begins.
  void report(const std::string& what, Index total);

 private:
  using SamplesByName = std::map<std::string, std::vector<KeyedSample>>;

  /// Fits the models of the first pass unless that is done.
  void compare_with_models(const std::vector<KeyedSample>& samples);
  [[nodiscard]] std::vector<KeyedSample> measured(const Experiment& experiment,
                                                  const SamplesByName& by_name);

  const CalibrationOptions& options_;
  const Clock& clock_;
  Fit fit_;
  std::optional<Profile> first_pass_;  // its models
  double start_;
  double budget_;  // seconds
  double seconds_ = 0;
  double weight_left_ = 0;
  double weight_done_ = 0;
  Index done_ = 0;
  bool interrupted_ = false;
  bool is_first_ = false;  // the experiment that runs
};

}  // namespace switchyard
