// One experiment after another.
#include "course.hpp"

#include <algorithm>
#include <cmath>

#include "experiments.hpp"

namespace switchyard {

std::vector<KeyedSample> Course::run(const std::vector<Experiment>& experiments,
                                     Checkpoint& checkpoint) {
  const auto total = static_cast<Index>(experiments.size());
  std::vector<KeyedSample> samples;
  std::vector<const Experiment*> left;
  for (const Experiment& experiment : experiments) {
    const auto kept = checkpoint.finished().find(experiment.name);
    if (kept == checkpoint.finished().end()) {
      left.push_back(&experiment);
      weight_left_ += experiment.weight;
    } else {
      samples.insert(samples.end(), kept->second.begin(), kept->second.end());
      ++done_;
    }
  }
  for (const Experiment* experiment : left) {
    interrupted_ = options_.interrupted && options_.interrupted();
    if (interrupted_ || seconds() > budget_) return samples;
    report(experiment->name, total);
    const auto measured = experiment->run();
    checkpoint.add(experiment->name, measured);
    samples.insert(samples.end(), measured.begin(), measured.end());
    if (experiment->comes_first) budget_ = std::max(budget_, seconds() + asked_for() / 2);
    weight_done_ += experiment->weight;
    weight_left_ -= experiment->weight;
    ++done_;
  }
  return samples;
}

double Course::seconds() {
  const double now = clock_() - start_;
  if (std::isfinite(now)) seconds_ = std::max(seconds_, now);
  return seconds_;
}

void Course::report(const std::string& what, Index total) {
  if (!options_.progress) return;
  const double past = seconds();
  double left = std::max(budget_ - past, 0.0);
  // By what was measured so far, once something was.
  if (weight_done_ > 0) left = std::min(left, past / weight_done_ * std::max(weight_left_, 0.0));
  options_.progress({what, done_, total, past, left});
}

double Course::asked_for() const {
  return options_.budget_seconds > 0 ? options_.budget_seconds : seconds_for(options_.effort);
}

}  // namespace switchyard
