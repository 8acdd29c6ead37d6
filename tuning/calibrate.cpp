// The course of a calibration: builds, transfers, matrices, then the fits.
#include <algorithm>
#include <ctime>
#include <map>
#include <switchyard/backends/opencl.hpp>
#include <switchyard/containers/log.hpp>
#include <switchyard/tuning/calibrate.hpp>

#include "checkpoint.hpp"
#include "experiments.hpp"
#include "measure.hpp"

namespace switchyard {
namespace {

/// One thing to measure: what it is called, how long it may take relative to the others, and how.
struct Experiment {
  std::string name;
  double weight;
  std::function<std::vector<KeyedSample>()> run;
};

/// Dense matrices may take so much of what is there; they exist in several states at once.
constexpr double share_of_memory = 1.0 / 16;

double dense_bytes_limit(const std::vector<std::shared_ptr<Executor>>& executors) {
  double limit = 1e18;
  for (const auto& executor : executors) {
    limit = std::min(limit, static_cast<double>(executor->memory()->budget()) * share_of_memory);
    limit = std::min(limit, static_cast<double>(executor->facts().largest_allocation) / 4);
  }
  return limit;
}

std::string number(double value) { return std::to_string(static_cast<Index>(value)); }

template <Element T>
void add_matrices(std::vector<Experiment>& list, const Bench& bench, Effort effort, double limit) {
  const auto matrices = matrix_experiments(effort, limit);
  const bool any_gpu = std::ranges::any_of(
      bench.executors, [](const auto& executor) { return executor->facts().is_gpu; });
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const auto& matrix = matrices[i];
    if (matrix.for_gpus && !any_gpu) continue;
    const auto& options = matrix.matrix;
    list.push_back({"matrix " + std::to_string(i) + " " + std::string(name(options.kind)) + " " +
                        std::to_string(options.rows) + " rows " +
                        std::string(name(precision_of<T>)),
                    matrix.weight * sizeof(T) / 4,
                    [&bench, matrix] { return measure_matrix<T>(bench, matrix); }});
  }
}

void add_transfers(std::vector<Experiment>& list, const Bench& bench, Effort effort, double limit) {
  for (const auto& executor : bench.executors) {
    if (executor->space().is_host()) continue;
    for (const Index bytes : transfer_sizes(effort, limit)) {
      const auto size = static_cast<double>(bytes);
      list.push_back({"transfer " + number(size) + " bytes " + name(executor->space()),
                      1e-3 + size * 1e-8, [&bench, device = executor, bytes] {
                        return measure_transfers(bench, *device, bytes);
                      }});
    }
  }
}

/// Devices opened again, so that none of their kernels is built in this process.
std::shared_ptr<Executor> reopened(const Executor& device,
                                   const std::vector<std::shared_ptr<Executor>>& fresh) {
  const auto same = std::ranges::find_if(fresh, [&](const auto& candidate) {
    return candidate->facts().name == device.facts().name &&
           candidate->facts().driver == device.facts().driver;
  });
  return same == fresh.end() ? nullptr : *same;
}

std::vector<KeyedSample> measure_builds_of(const Bench& bench, const Executor& device) {
  std::vector<KeyedSample> samples;
  // Several times, since one sample is no model; each on a device opened anew. The first finds the
  // driver's cache cold, as no later program of this machine will: it does not count.
  const int times = bench.patience < 1 ? 4 : 6;
  for (int i = 0; i <= times; ++i) {
    const auto fresh = reopened(device, open_opencl_devices());
    if (!fresh) return samples;
    for (auto added :
         {measure_builds<float>(bench, *fresh), measure_builds<double>(bench, *fresh)}) {
      if (i > 0) samples.insert(samples.end(), added.begin(), added.end());
    }
  }
  for (auto& sample : samples) sample.key.from.space = sample.key.to.space = device.space();
  return samples;
}

void add_builds(std::vector<Experiment>& list, const Bench& bench) {
  for (const auto& executor : bench.executors) {
    if (executor->space().is_host()) continue;
    list.push_back({"kernels " + name(executor->space()), 0.5,
                    [&bench, device = executor] { return measure_builds_of(bench, *device); }});
  }
}

/// Everything to be measured, in an order in which every beginning covers the whole range. All but
/// the builds come twice, the second time from the end: a machine may be slow for seconds, and what
/// was measured far apart in time was hardly disturbed both times.
std::vector<Experiment> all_experiments(const Bench& bench, Effort effort, double limit) {
  std::vector<Experiment> floats;
  std::vector<Experiment> doubles;
  add_matrices<float>(floats, bench, effort, limit);
  add_matrices<double>(doubles, bench, effort, limit);
  std::vector<Experiment> pass;
  add_transfers(pass, bench, effort, limit);
  // In turn, so that running out of time leaves both precisions with the same cover.
  for (std::size_t i = 0; i < floats.size(); ++i) {
    pass.push_back(std::move(floats[i]));
    pass.push_back(std::move(doubles[i]));
  }
  std::vector<Experiment> experiments;
  add_builds(experiments, bench);
  experiments.insert(experiments.end(), pass.begin(), pass.end());
  for (auto again = pass.rbegin(); again != pass.rend(); ++again) {
    experiments.push_back({again->name + ", again", again->weight, again->run});
  }
  return experiments;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

/// Where a polynomial may have to change: where threads begin to be used, and the cache sizes.
std::vector<double> tier_borders(const Executor& executor) {
  constexpr double threads_begin = 64 << 10;
  constexpr double level_two = 1 << 20;  // usual for one core; the fit drops what does not help
  std::vector<double> borders{threads_begin, level_two};
  if (executor.facts().cache_bytes > 0) {
    borders.push_back(static_cast<double>(executor.facts().cache_bytes));
  }
  return borders;
}

/// The samples of each model. What was measured in several passes counts once, with its shortest
/// time; builds do not depend on anything, and all of them count.
std::map<ModelKey, std::vector<Sample>> samples_by_key(const std::vector<KeyedSample>& samples) {
  std::map<ModelKey, std::vector<Sample>> by_key;
  for (const auto& [key, sample] : samples) {
    auto& points = by_key[key];
    const auto same = std::ranges::find_if(points, [&](const Sample& point) {
      return point.features.values == sample.features.values;
    });
    if (same == points.end() || key.operation == Operation::Build) {
      points.push_back(sample);
    } else if (!(same->seconds > 0) || sample.seconds < same->seconds) {
      same->seconds = sample.seconds;
    }
  }
  return by_key;
}

std::vector<CostModel> fit_all(const std::vector<KeyedSample>& samples,
                               const std::vector<std::shared_ptr<Executor>>& executors) {
  const auto by_key = samples_by_key(samples);
  std::vector<CostModel> models;
  for (const auto& [key, points] : by_key) {
    const auto index =
        static_cast<std::size_t>(std::max(key.from.space.index(), key.to.space.index()));
    // A transfer runs at the speed of the host's caches as much as of the device's.
    const Executor& executor = *executors[key.operation == Operation::Transfer ? 0 : index];
    auto model = fit_cost_model(key, points, {.tier_bytes = tier_borders(executor)});
    if (model) {
      models.push_back(std::move(*model));
    } else {
      log(LogLevel::Warning, "too few samples of " + std::string(name(key.operation)) + " " +
                                 name(key.from) + " -> " + name(key.to) + " " +
                                 std::string(name(key.precision)) + " " + key.variant);
    }
  }
  return models;
}

/// Walks through the experiments, keeping the time.
class Course {
 public:
  Course(const CalibrationOptions& options, const Clock& clock)
      : options_(options), clock_(clock), start_(clock()) {}

  /// Returns whether all experiments were run.
  bool run(const std::vector<Experiment>& experiments, Checkpoint& checkpoint,
           std::vector<KeyedSample>& samples) {
    for (const auto& experiment : experiments) weight_left_ += experiment.weight;
    for (const auto& experiment : experiments) {
      if (!run_one(experiment, checkpoint, samples)) return false;
      report(experiment, static_cast<Index>(experiments.size()));
    }
    return true;
  }

  [[nodiscard]] double seconds() const { return clock_() - start_; }

 private:
  bool run_one(const Experiment& experiment, Checkpoint& checkpoint,
               std::vector<KeyedSample>& samples) {
    weight_left_ -= experiment.weight;
    ++done_;
    const auto kept = checkpoint.finished().find(experiment.name);
    if (kept != checkpoint.finished().end()) {
      samples.insert(samples.end(), kept->second.begin(), kept->second.end());
      return true;
    }
    if (seconds() > budget() || (options_.interrupted && options_.interrupted())) return false;
    const auto measured = experiment.run();
    weight_done_ += experiment.weight;
    samples.insert(samples.end(), measured.begin(), measured.end());
    checkpoint.add(experiment.name, measured);
    return true;
  }

  [[nodiscard]] double budget() const {
    return options_.budget_seconds > 0 ? options_.budget_seconds : seconds_for(options_.effort);
  }

  void report(const Experiment& experiment, Index total) const {
    if (!options_.progress) return;
    const double rate = weight_done_ > 0 ? seconds() / weight_done_ : 0;
    const double left = std::min(rate * weight_left_, std::max(budget() - seconds(), 0.0));
    options_.progress({experiment.name, done_, total, seconds(), left});
  }

  const CalibrationOptions& options_;
  const Clock& clock_;
  double start_;
  double weight_left_ = 0;
  double weight_done_ = 0;
  Index done_ = 0;
};

}  // namespace

CalibrationResult calibrate(const std::vector<std::shared_ptr<Executor>>& executors,
                            const Fingerprint& fingerprint, const CalibrationOptions& options) {
  Bench bench;
  if (options.clock) bench.clock = options.clock;
  bench.patience = patience_for(options.effort);
  for (const auto& executor : executors) {
    const bool wanted =
        executor->space().is_host() || !options.device || executor->space() == *options.device;
    if (wanted) bench.executors.push_back(executor);
  }
  const double limit = dense_bytes_limit(bench.executors);
  const std::vector<Experiment> experiments = all_experiments(bench, options.effort, limit);

  Checkpoint checkpoint(options.checkpoint, fingerprint, options.resume);
  Course course(options, bench.clock);
  std::vector<KeyedSample> samples;
  const bool complete = course.run(experiments, checkpoint, samples);
  // What ran out of time is as good as it gets; what was interrupted is to be resumed, not fitted.
  const bool interrupted = !complete && options.interrupted && options.interrupted();
  if (!interrupted) checkpoint.remove();
  std::vector<CostModel> models;
  if (!interrupted) models = fit_all(samples, executors);
  CalibrationResult result{Profile(fingerprint, std::move(models)), complete};
  result.profile.created = utc_now();
  result.profile.calibration_seconds = course.seconds();
  return result;
}

}  // namespace switchyard
