// Going through the experiments of a calibration, keeping the time.
#pragma once

#include <functional>
#include <string>
#include <switchyard/tuning/calibrate.hpp>
#include <vector>

#include "checkpoint.hpp"
#include "stopwatch.hpp"

namespace switchyard {

/// One thing to measure: what it is called, how long it may take relative to the others, and how.
struct Experiment {
  std::string name;
  double weight;
  std::function<std::vector<KeyedSample>()> run;
  /// Whatever it takes, as where a driver compiles for the first time on this machine, half of the
  /// time asked for is left to the others: they are what a profile is for.
  bool comes_first = false;
};

/// Walks through the experiments until they are all done, the time is up, or somebody interrupts.
class Course {
 public:
  /// Refers to its arguments as long as it lives.
  Course(const CalibrationOptions& options, const Clock& clock)
      : options_(options), clock_(clock), start_(clock()), budget_(asked_for()) {}

  /// Runs what the checkpoint has not; returns the samples of both.
  [[nodiscard]] std::vector<KeyedSample> run(const std::vector<Experiment>& experiments,
                                             Checkpoint& checkpoint);

  /// How many experiments are finished, now or in an earlier run.
  [[nodiscard]] Index done() const noexcept { return done_; }
  [[nodiscard]] bool interrupted() const noexcept { return interrupted_; }
  /// Since the start; neither negative nor NaN, whatever the clock does.
  [[nodiscard]] double seconds();
  /// Tells who watches that `what` begins.
  void report(const std::string& what, Index total);

 private:
  [[nodiscard]] double asked_for() const;

  const CalibrationOptions& options_;
  const Clock& clock_;
  double start_;
  double budget_;  // seconds
  double seconds_ = 0;
  double weight_left_ = 0;
  double weight_done_ = 0;
  Index done_ = 0;
  bool interrupted_ = false;
};

}  // namespace switchyard
