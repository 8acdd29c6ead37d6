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
  /// The keys of the kernel programs that are built on devices. No other is used, since a driver
  /// may need a second for each that it builds for the first time. Null: all are used.
  const std::set<ModelKey>* built = nullptr;
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

/// A kernel program of a device.
struct Program {
  ModelKey build;         ///< the key of its build
  Format format{};        ///< of the matrices that it is for
  bool is_plain = false;  ///< for their products A x or conversions, not only for other requests
};

/// Whether the build of a program is wanted.
using WantedBuild = std::function<bool(const Program& program)>;

/// Building those kernel programs of a device that it has not built yet, and calling their kernels
/// for the first time; what the driver keeps on disk it may use. Plain products in what
/// matrices are given in come first, then other requests of these, then other formats in the same
/// way, each in the order of the table of formats: `wanted` is asked before each, and says no where
/// time is short.
[[nodiscard]] std::vector<KeyedSample> measure_builds(const Bench& bench, Executor& fresh_device,
                                                      const WantedBuild& wanted);

}  // namespace switchyard
