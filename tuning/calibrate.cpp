// A calibration from start to end: builds, transfers, matrices, then the fits.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <mutex>
#include <ranges>
#include <set>
#include <switchyard/backends/opencl.hpp>
#include <switchyard/containers/log.hpp>
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/containers/threads.hpp>
#include <switchyard/tuning/calibrate.hpp>
#include <switchyard/tuning/calibration_load.hpp>
#include <thread>

#include "calibration_run.hpp"
#include "checkpoint.hpp"
#include "experiments.hpp"
#include "learn.hpp"
#include "load_watch.hpp"
#include "measure.hpp"
#include "turns.hpp"

namespace switchyard {
namespace {

/// Dense matrices may take so much of what is there; they exist in several states at once.
constexpr double share_of_memory = 1.0 / 16;
/// About what a first pass leaves unexplained, for the estimate of the time left.
constexpr double share_measured_again = 0.3;
/// For builds that find the driver's cache warm, with all of the usual time.
constexpr double most_build_seconds = 8;
/// Of the time asked for, for builds that find it cold: a driver may need more for all of them.
constexpr double share_of_builds = 0.3;

/// Of a transfer between the host and a device that is its own processors.
constexpr double most_bytes_of_copy = 3.2e7;

double dense_bytes_limit(const std::vector<std::shared_ptr<Executor>>& executors) {
  double limit = 1e18;
  for (const auto& executor : executors) {
    limit = std::min(limit, static_cast<double>(executor->memory()->budget()) * share_of_memory);
    limit = std::min(limit, static_cast<double>(executor->facts().largest_allocation) / 4);
  }
  return limit;
}

/// What a matrix experiment is called: all that tells it from others, so that a checkpoint of
/// another effort is not taken for it.
std::string title_of(const GenerateOptions& matrix, Precision precision) {
  std::string title = std::string(name(matrix.kind)) + " matrix of " + std::to_string(matrix.rows);
  title += matrix.cols > 0 ? " x " + std::to_string(matrix.cols) : " rows";
  if (matrix.bandwidth > 0) title += ", band " + std::to_string(matrix.bandwidth);
  if (matrix.density) title += fmt::format(", {:.3g} % full", 100 * *matrix.density);
  return fmt::format("{}, {}, seed {}", title, name(precision), matrix.seed);
}

template <Element T>
void add_matrices(std::vector<Experiment>& list, const Bench& bench, Effort effort, double limit) {
  const auto matrices = matrix_experiments(effort, limit);
  const bool any_gpu = std::ranges::any_of(
      bench.executors, [](const auto& executor) { return executor->facts().is_gpu; });
  for (const auto& matrix : matrices) {
    if (matrix.for_gpus && !any_gpu) continue;
    list.push_back({title_of(matrix.matrix, precision_of<T>), matrix.weight * sizeof(T) / 4,
                    [&bench, matrix](WantedKeys wanted) {
                      return measure_matrix<T>(bench, made_for_turn(matrix), wanted);
                    }});
  }
}

void add_transfers(std::vector<Experiment>& list, const Bench& bench, Effort effort, double limit) {
  for (const auto& executor : bench.executors) {
    if (executor->space().is_host()) continue;
    // To the host's own processors a transfer is a copy, which is linear from a cache's size on.
    const bool is_copy = !executor->facts().is_gpu && effort != Effort::Thorough;
    const double most = is_copy ? std::min(limit, most_bytes_of_copy) : limit;
    for (const Index bytes : transfer_sizes(effort, most, is_copy)) {
      list.push_back({fmt::format("transfers of {} bytes, {}", bytes, name(executor->space())),
                      1e-3 + static_cast<double>(bytes) * 1e-8,
                      [&bench, device = executor, bytes](WantedKeys wanted) {
                        return measure_transfers(bench, *device, bytes, wanted);
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

/// What is built on one device, beside what was built before.
struct BuildLimits {
  double seconds = 0;       ///< for builds that find the driver's cache cold
  bool plain_only = false;  ///< only A x, in the formats that matrices are given in
};

/// Builds the wanted programs by several threads, of which NVIDIA's driver makes some use: else the
/// last formats would have no time left.
void build_ahead(const Bench& bench, Executor& fresh_device, const WantedBuild& wanted) {
  if (bench.begins) bench.begins("building kernels by several threads");
  std::vector<Program> programs;
  static_cast<void>(measure_builds(bench, fresh_device, [&](const Program& program) {
    programs.push_back(program);
    return false;
  }));
  std::mutex clock;  // that `wanted` reads
  share_out_steps(std::ssize(programs), programs.size() > 1, [&](Index i) {
    const Program& program = programs[static_cast<std::size_t>(i)];
    try {
      if (std::unique_lock lock(clock); !wanted(program)) return;
      fresh_device.build(program.build.variant, program.build.precision);
    } catch (const std::exception&) {
      // It is not measured then; whoever wants it is told why.
    }
  });
}

/// Builds the programs that are not in `built`, as far as the limits go, and adds them to it.
std::vector<KeyedSample> measure_builds_of(const Bench& bench, const Executor& device,
                                           std::set<ModelKey>& built, const BuildLimits& limits) {
  const auto& clock = bench.instruments.clock;
  const auto measure = [&](const WantedBuild& wanted, bool ahead) -> std::vector<KeyedSample> {
    const auto fresh = reopened(device, open_opencl_devices());
    if (!fresh) return {};
    const auto here = [&](ModelKey key) {
      key.from.space = key.to.space = device.space();
      return key;
    };
    const auto wanted_here = [&](Program program) {
      program.build = here(program.build);
      return wanted(program);
    };
    if (ahead) build_ahead(bench, *fresh, wanted_here);
    auto samples = measure_builds(bench, *fresh, [&](const Program& program) {
      const ModelKey& build = program.build;
      return ahead ? fresh->built(build.variant, build.precision) : wanted_here(program);
    });
    for (auto& sample : samples) sample.key = here(sample.key);
    return samples;
  };
  // The first time finds the driver's cache cold, as no later program of this machine will: it does
  // not count.
  double start = clock();
  const auto is_missing = [&](const Program& program) {
    const bool has_time = !(clock() - start > limits.seconds);
    const bool plain = program.is_plain && is_given(program.format);
    return has_time && !built.contains(program.build) && (plain || !limits.plain_only);
  };
  std::set<ModelKey> now;
  for (const KeyedSample& cold : measure(is_missing, device.facts().is_gpu)) now.insert(cold.key);
  built.insert(now.begin(), now.end());
  // Several times, since one sample is no model; each on a device opened anew.
  const int times = now.empty() ? 0 : bench.patience < 1 ? 3 : 5;
  std::vector<KeyedSample> samples;
  start = clock();
  for (int i = 0; i < times; ++i) {
    // On a busy machine one time has to do, for the sake of everything else.
    if (i > 0 && clock() - start > most_build_seconds * bench.patience) break;
    const auto added =
        measure([&](const Program& program) { return now.contains(program.build); }, false);
    samples.insert(samples.end(), added.begin(), added.end());
  }
  return samples;
}

/// The builds of each device's programs: all that a share of the time allows. A device that is the
/// host's own processors is rarely faster than the host: only a thorough calibration goes beyond
/// plain products in the formats that matrices are given in.
void add_builds(std::vector<Experiment>& list, const Bench& bench, std::set<ModelKey>& built,
                const CalibrationOptions& options, bool first) {
  const auto devices = static_cast<double>(bench.executors.size() - 1);
  for (const auto& executor : bench.executors) {
    if (executor->space().is_host()) continue;
    const BuildLimits limits{
        .seconds = seconds_asked_for(options) * share_of_builds / devices,
        .plain_only = options.effort != Effort::Thorough && !executor->facts().is_gpu};
    const std::string what = first ? "building kernels, " : "building more kernels, ";
    list.push_back({what + name(executor->space()), 0.5,
                    [&bench, &built, device = executor, limits](WantedKeys) {
                      return measure_builds_of(bench, *device, built, limits);
                    },
                    first});
  }
}

/// Everything to be measured, in an order in which every beginning covers the whole range. What the
/// models of a first pass do not explain is measured again, from the end: a machine may be slow for
/// seconds, and what was measured far apart in time was hardly disturbed both times.
std::vector<Experiment> all_experiments(const Bench& bench, std::set<ModelKey>& built,
                                        const CalibrationOptions& options, double limit) {
  const Effort effort = options.effort;
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
  add_builds(experiments, bench, built, options, true);
  experiments.insert(experiments.end(), pass.begin(), pass.end());
  add_builds(experiments, bench, built, options, false);
  for (const Experiment& again : pass | std::views::reverse) {
    experiments.push_back({again.name + ", again", again.weight * share_measured_again, again.run,
                           false, again.name});
  }
  return experiments;
}

LoadSource load_source(const CalibrationOptions& options) {
  // Readings that are given do not change while time passes.
  if (options.load) return {options.load, [](double) {}};
  return {&read_machine_load, [](double seconds) {
            std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
          }};
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

}  // namespace

CalibrationResult calibrate(const std::vector<std::shared_ptr<Executor>>& executors,
                            const Fingerprint& fingerprint, const CalibrationOptions& options) try {
  Bench bench;
  if (options.clock) bench.instruments = {.clock = options.clock};
  bench.patience = patience_for(options.effort);
  for (const auto& executor : executors) {
    const bool wanted =
        executor->space().is_host() || !options.device || executor->space() == *options.device;
    if (wanted) bench.executors.push_back(executor);
  }
  const double limit = dense_bytes_limit(bench.executors);
  std::set<ModelKey> built;
  bench.built = &built;
  std::vector<Experiment> experiments = all_experiments(bench, built, options, limit);
  if (options.device) {
    // What was measured on this device alone is no measurement of all.
    const std::string alone = ", " + name(*options.device) + " alone";
    for (auto& experiment : experiments) {
      experiment.name += alone;
      if (!experiment.repeats.empty()) experiment.repeats += alone;
    }
  }
  const auto total = static_cast<Index>(experiments.size());

  Checkpoint checkpoint(options.checkpoint, fingerprint, options.resume);
  for (const auto& [name, samples] : checkpoint.finished()) {
    for (const KeyedSample& sample : samples) {
      if (sample.key.operation == Operation::Build) built.insert(sample.key);
    }
  }
  const LoadWatch watch(load_source(options));
  if (watch.before() && !is_quiet(*watch.before(), fingerprint.threads)) {
    log(LogLevel::Warning, load_text(*watch.before()) +
                               ": predictions may be off by a factor of two or more; stop other "
                               "programs, or run again when the machine is quiet");
  }
  CalibrationRun run(options, bench.instruments.clock,
                     [&](const std::vector<KeyedSample>& samples) {
                       return Profile(fingerprint, learn(samples, executors).models);
                     });
  bench.begins = [&](const std::string& what) { run.report(what, total); };
  const std::vector<KeyedSample> samples = run.run(experiments, checkpoint);
  CalibrationResult result;
  result.done = run.done();
  result.total = total;
  result.complete = result.done == total;
  result.interrupted = run.interrupted();
  // What ran out of time is as good as it gets; what was interrupted is to be resumed, not fitted.
  if (result.interrupted) return result;
  run.report("fitting the models", total);
  Learnt learnt = learn(samples, executors);
  const double disturbed = learnt.disturbed;
  result.unfitted = std::move(learnt.unfitted);
  result.profile = Profile(fingerprint, std::move(learnt.models));
  result.profile.created = utc_now();
  result.profile.calibration_seconds = run.seconds();
  result.profile.load = watch.until_now(run.seconds());
  if (result.profile.load) result.profile.load->disturbed = disturbed;
  if (const std::string busy = busy_text(result.profile); !busy.empty()) {
    log(LogLevel::Warning, busy + "; run again when the machine is quiet");
  }
  if (options.save) options.save(result.profile);
  if (result.complete) checkpoint.remove();
  return result;
} catch (const std::bad_alloc&) {
  throw_out_of_memory();
}

}  // namespace switchyard
