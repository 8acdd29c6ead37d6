// Measuring the operations of the tables, one experiment at a time.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <switchyard/backends/executor.hpp>
#include <switchyard/models/cost_model.hpp>
#include <vector>

#include "experiments.hpp"
#include "stopwatch.hpp"

namespace switchyard {

/// A sample and the model that it is for.
struct KeyedSample {
  ModelKey key;
  Sample sample;
  bool disturbed = false;  ///< other programs had the processors: a time that is too long or unsure
};

/// What a measurement works with.
struct Bench {
  std::vector<std::shared_ptr<Executor>> executors;  ///< the host first
  Instruments instruments = system_instruments();
  double patience = 1;  ///< the share of the usual time that a measurement may take
  /// Told what begins, where one experiment has parts that take seconds.
  std::function<void(const std::string&)> begins = {};
};

/// Which measurements are wanted; null: all.
using WantedKeys = const std::set<ModelKey>*;

/// Every multiply and every conversion that is wanted, in every space, on one generated matrix, in
/// each format that conversions reach from CSR and that fits the experiment and the memory. What
/// does not fit after all is left out. A space in which something else fails is skipped from there
/// on, with a warning in the log.
template <Element T>
[[nodiscard]] std::vector<KeyedSample> measure_matrix(const Bench& bench,
                                                      const MatrixExperiment& experiment,
                                                      WantedKeys wanted = nullptr);

/// A transfer of so many bytes into memory that is there, in both directions. What allocating the
/// memory costs is not in it: vectors, which travel most often, are allocated once.
[[nodiscard]] std::vector<KeyedSample> measure_transfers(const Bench& bench, Executor& device,
                                                         Index bytes, WantedKeys wanted = nullptr);

/// Building each kernel program of a device that has built none yet in this process, and calling
/// it for the first time; what the driver keeps on disk it may use.
template <Element T>
[[nodiscard]] std::vector<KeyedSample> measure_builds(const Bench& bench, Executor& fresh_device);

}  // namespace switchyard
