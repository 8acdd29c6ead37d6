// One experiment after another.
#include "calibration_run.hpp"

#include <algorithm>
#include <cmath>

#include "experiments.hpp"
#include "learn.hpp"

namespace switchyard {

std::vector<KeyedSample> CalibrationRun::run(const std::vector<Experiment>& experiments,
                                             Checkpoint& checkpoint) {
  const auto total = static_cast<Index>(experiments.size());
  std::vector<KeyedSample> samples;
  SamplesByName by_name;
  std::vector<const Experiment*> left;
  const auto take = [&](const Experiment& experiment, std::vector<KeyedSample> more) {
    samples.insert(samples.end(), more.begin(), more.end());
    by_name[experiment.name] = std::move(more);
    ++done_;
  };
  for (const Experiment& experiment : experiments) {
    const auto kept = checkpoint.finished().find(experiment.name);
    if (kept == checkpoint.finished().end()) {
      left.push_back(&experiment);
      weight_left_ += experiment.weight;
    } else {
      take(experiment, kept->second);
    }
  }
  for (const Experiment* experiment : left) {
    interrupted_ = options_.interrupted && options_.interrupted();
    if (interrupted_ || seconds() > budget_) return samples;
    is_first_ = experiment->comes_first;
    report(experiment->name, total);
    if (!experiment->repeats.empty()) compare_with_models(samples);
    auto more = measured(*experiment, by_name);
    checkpoint.add(experiment->name, more);
    take(*experiment, std::move(more));
    if (experiment->comes_first)
      budget_ = std::max(budget_, seconds() + seconds_asked_for(options_) / 2);
    weight_done_ += experiment->weight;
    weight_left_ -= experiment->weight;
  }
  return samples;
}

void CalibrationRun::compare_with_models(const std::vector<KeyedSample>& samples) {
  if (fit_ && !first_pass_) first_pass_ = fit_(samples);
}

std::vector<KeyedSample> CalibrationRun::measured(const Experiment& experiment,
                                                  const SamplesByName& by_name) {
  const auto first = by_name.find(experiment.repeats);
  if (experiment.repeats.empty() || !first_pass_ || first == by_name.end()) {
    return experiment.run(nullptr);
  }
  const std::set<ModelKey> wanted = unexplained(first->second, *first_pass_);
  if (wanted.empty()) return {};
  return experiment.run(&wanted);
}

double CalibrationRun::seconds() {
  const double now = clock_() - start_;
  if (std::isfinite(now)) seconds_ = std::max(seconds_, now);
  return seconds_;
}

void CalibrationRun::report(const std::string& what, Index total) {
  if (!options_.progress) return;
  const double past = seconds();
  double left = std::max(budget_ - past, 0.0);
  // By what was measured so far, once something was.
  if (weight_done_ > 0) left = std::min(left, past / weight_done_ * std::max(weight_left_, 0.0));
  // Whatever comes first leaves so much to the others.
  if (is_first_) left = std::max(left, seconds_asked_for(options_) / 2);
  options_.progress({what, done_, total, past, left});
}

double seconds_asked_for(const CalibrationOptions& options) noexcept {
  return options.budget_seconds > 0 ? options.budget_seconds : seconds_for(options.effort);
}

}  // namespace switchyard
