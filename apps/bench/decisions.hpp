// `bench decisions`: what deciding by itself costs against every fixed choice.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <switchyard/core/plan.hpp>
#include <vector>

#include "command/output.hpp"
#include "fixed_choice.hpp"
#include "matrices.hpp"
#include "mixes.hpp"
#include "programs.hpp"

namespace switchyard::command::bench {

/// One workload: so many products of one matrix that first stands in one state only, under
/// automatic choice and in every fixed state. Seconds are from the first call until y was read on
/// the host, with conversions, transfers and planning.
struct DecisionCase {
  std::string matrix;
  Precision precision = Precision::Float;
  State from;
  Index calls = 1;
  bool hinted = false;  ///< whether the number of calls was told beforehand
  double seconds_adaptive = 0;
  /// Pinned to each state, with the fastest of its kernel variants where these are held fixed as
  /// well; not empty.
  std::map<State, double> seconds = {};
  /// The same by variant, "auto" where the planner chooses it; empty where none is held.
  std::map<State, std::map<std::string, double>> variants = {};
  Index rounds = 0;                      ///< of the adaptive choice; 0 in a replay
  std::optional<State> careful = {};     ///< what a careful user's rule computes in
  std::vector<State> visited = {};       ///< where products were made, in that order
  std::optional<double> predicted = {};  ///< the first plan's seconds, over its horizon
  std::optional<double> spread = {};     ///< of the best fixed state: 95th percentile/median
  /// What the fixed choice that was best in every other round takes in the rounds between them: the
  /// least of many sums that vary is lower than what any choice takes. Absent where rounds are few,
  /// and where medians are compared, which do not vary so.
  std::optional<double> oracle_of_other_rounds = {};
  std::optional<double> max_error = {};       ///< times what rounding allows
  bool extrapolated = false;                  ///< not all products of all contenders were made
  std::optional<double> per_call_ratio = {};  ///< one product in the last state / in the best

  [[nodiscard]] State best() const;
  /// The fastest variant of the best state; empty where none is held.
  [[nodiscard]] std::string best_variant() const;
  [[nodiscard]] double oracle() const { return seconds.at(best()); }
  [[nodiscard]] double worst() const;
  [[nodiscard]] double regret() const { return seconds_adaptive / oracle(); }
  /// The dense state of the first device; absent where there is none.
  [[nodiscard]] std::optional<State> dense_device() const;
  /// The seconds in that state; absent where it was not measured.
  [[nodiscard]] std::optional<double> in(std::optional<State> state) const;
};

/// What one matrix costs in truth beside what was predicted, from where it first stands: enough to
/// replay any rule of deciding. `predicted.valid` is that first state; the measured yard has the
/// same. `once_seconds` of a measured node is what the first product there took beyond the others
/// (x brought there, y brought back).
struct CostEntry {
  std::string matrix;
  Precision precision = Precision::Float;
  std::optional<State> careful = {};
  Yard predicted;
  Yard measured;
};

/// A kernel that was built before anything was timed.
struct KernelBuild {
  Space space;
  Precision precision = Precision::Float;
  std::string program;
  double seconds = 0;
};

/// The numbers of calls of the workloads: those asked for, or 1 to 1000.
[[nodiscard]] std::vector<Index> decision_calls(const BenchOptions& options);

struct DecisionResults {
  std::vector<DecisionCase> cases = {};
  std::vector<CostEntry> costs = {};
  std::vector<KernelBuild> builds = {};
  std::vector<ProgramCase> programs = {};
  std::vector<MixCase> mixes = {};
};

/// Measures all workloads of all matrices, unless only programs are asked for, and then all
/// programs; with another request than the plain one, mixes of calls instead of both. What cannot
/// be measured is in the laboratory's notes; a wrong result is among its failures.
[[nodiscard]] DecisionResults bench_decisions(Laboratory& lab);

/// The matrices where none are asked for: from kilobytes to hundreds of megabytes, dense and
/// sparse, every kind; none that calibration makes its models of.
[[nodiscard]] std::vector<Subject> decision_subjects(const BenchOptions& options);

/// What a careful user would write without measuring: dense from a density of 0.2 on, else CSR, and
/// in the space of the first device (where there is none, the host's) if the matrix takes more than
/// a megabyte.
[[nodiscard]] State careful_state(const Structure& structure, Precision precision, Space device);

/// `workloads`, `programs`, `summary`, `cost_table`, and what else was found, into the document.
void add_decisions(Json& document, const DecisionResults& results);
[[nodiscard]] Json decisions_summary_json(const std::vector<DecisionCase>& cases);
/// Adds what counts beside load, of all workloads that take more than a millisecond adaptively or
/// with the best fixed choice: `sums`, the regrets with and without a hint, and `sum_ratio`, the
/// sum of adaptive times over that of the best ones, null where there are none.
void add_sums(Json& summary, const std::vector<DecisionCase>& cases);
/// The same as text.
[[nodiscard]] std::string sums_text(const std::vector<DecisionCase>& cases);
/// The numbers of calls that the workloads have, in ascending order.
[[nodiscard]] std::vector<Index> calls_of(const std::vector<DecisionCase>& cases);
[[nodiscard]] std::string decisions_text(const DecisionResults& results);
[[nodiscard]] std::string decisions_summary_text(const std::vector<DecisionCase>& cases);

}  // namespace switchyard::command::bench
