// What `switchyard bench` is asked for, and the machine it measures on.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <switchyard/backends/operations.hpp>
#include <switchyard/core/runtime.hpp>
#include <vector>

#include "command/progress.hpp"
#include "peers/peer.hpp"
#include "read_probe.hpp"

namespace switchyard::command::bench {

struct BenchOptions {
  std::vector<std::string> words;  ///< which benchmarks; none: those of single operations
  std::string replay;              ///< a document of decisions to replay; empty: none
  std::string folder;              ///< of Matrix Market files; empty: none
  std::vector<std::string> specs;  ///< matrices asked for by themselves
  std::vector<State> states;       ///< none: all
  std::optional<Precision> precision;
  bool quick = false;
  bool thorough = false;
  bool peers = false;
  Index repetitions = 9;
  Index load = 0;            ///< busy processes beside what is measured
  bool variants = false;     ///< asked for without load
  std::vector<Index> calls;  ///< in a workload; none: as many as the benchmark thinks fit
  Index callers = 8;         ///< threads that multiply at once
  Request request = {};      ///< what the products of kernels compute

  [[nodiscard]] bool wants(const std::string& word) const;
  [[nodiscard]] bool wants(State state) const;
  [[nodiscard]] bool wants(Space space) const;
  [[nodiscard]] bool wants(Precision wanted) const { return !precision || *precision == wanted; }
  /// How often each case is timed: beside load, where stalls count, as often as a mean needs.
  [[nodiscard]] int rounds() const {
    return static_cast<int>(load > 0 ? std::max<Index>(repetitions, 20) : repetitions);
  }
  /// What all rounds of one contest may take, about: so many seconds alone. Beside load a contender
  /// may stall for seconds; then all contenders make fewer rounds.
  [[nodiscard]] double seconds_for_rounds(double alone) const {
    if (load == 0) return alone;
    return quick ? 3 : thorough ? 120 : 30;
  }
  /// Whether kernel variants of host states are contenders of their own. Alone, where the planner's
  /// variant is hardly ever a bad one, they would only double the time.
  [[nodiscard]] bool holds_variants() const { return variants || load > 0; }
  [[nodiscard]] Counts counts() const { return load > 0 ? Counts::Mean : Counts::Median; }
  [[nodiscard]] RaceOptions race() const {
    return {.repetitions = rounds(),
            .batch_seconds = quick ? 5e-4 : 4e-3,
            .counts = counts(),
            .most_seconds = seconds_for_rounds(std::numeric_limits<double>::infinity())};
  }
};

/// Everything that the benchmarks share while they run.
struct Laboratory {
  const BenchOptions& options;
  Runtime& runtime;
  std::shared_ptr<const Profile> profile;
  PeerTable peers;
  ProgressBar& bar;
  std::map<Space, std::unique_ptr<ReadProbe>> probes = {};
  /// Runtimes whose host computes with that number of threads only; see `runtime_holding`.
  std::map<Threads, std::unique_ptr<Runtime>> runtimes = {};
  std::vector<std::string> notes = {};               ///< what was left out, and why
  std::vector<std::string> failures = {};            ///< what makes the whole a failure
  Index skipped = 0;                                 ///< parts not measured after an interruption
  std::chrono::steady_clock::time_point begin = {};  ///< of the benchmark now running

  /// Shows how far the benchmark now running is, and how long it still takes.
  void show_progress(std::size_t done, std::size_t all, const std::string& what);
  /// Runs `work`, unless the user has interrupted; whatever it throws is a failure of `what`, but
  /// for words that are off.
  void attempt(const std::string& what, const std::function<void()>& work);
  /// The probe of that executor's space, made when first asked for.
  [[nodiscard]] ReadProbe& probe(Executor& executor);
};

}  // namespace switchyard::command::bench
