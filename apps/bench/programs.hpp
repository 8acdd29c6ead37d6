// Whole programs under automatic choice and in every fixed state: solvers, PageRank, inference.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "command/output.hpp"
#include "options.hpp"

namespace switchyard::command::bench {

inline constexpr State csr_host{Space::host(), Format::Csr};

/// What one contender came to.
struct ProgramFigures {
  double seconds = 0;  ///< the median, or beside load the mean, of `rounds`, until the result was
                       ///< read on the host
  int rounds = 0;
  Index iterations = 0;
  std::optional<double> residual = {};  ///< the true one, relative; absent for inference
  double difference = 0;  ///< the largest one from what csr@host gave, over its largest element
};

/// One program on one matrix, or on a stack of them, each standing in csr@host at first.
struct ProgramCase {
  std::string program;
  std::string matrix;
  Precision precision = Precision::Float;
  bool told = false;  ///< the program tells the matrix how many products there will be
  ProgramFigures automatic;
  /// Pinned to each state, with the fastest of its kernel variants where these are held; not empty.
  std::map<State, ProgramFigures> pinned = {};
  /// Seconds by variant, "auto" where the planner chooses it; empty where none is held.
  std::map<State, std::map<std::string, double>> variants = {};
  std::vector<State> visited = {};  ///< by the automatic choice
  bool agree = true;                ///< all ended with the same answer

  [[nodiscard]] State best() const;
  /// That state, and its fastest variant where these are held: "csr@host/serial".
  [[nodiscard]] std::string best_name() const;
  [[nodiscard]] double best_seconds() const { return pinned.at(best()).seconds; }
  [[nodiscard]] double ratio() const { return automatic.seconds / best_seconds(); }
};

/// Runs the default programs, or those that apply to the matrices asked for. What cannot be
/// measured is in the laboratory's notes; a wrong answer is among its failures.
[[nodiscard]] std::vector<ProgramCase> bench_programs(Laboratory& lab);

[[nodiscard]] Json programs_json(const std::vector<ProgramCase>& cases);
/// Ratios over all programs, and over those that take long enough to matter.
[[nodiscard]] Json programs_summary_json(const std::vector<ProgramCase>& cases);
/// A table and what it comes to; empty where there are no programs.
[[nodiscard]] std::string programs_text(const std::vector<ProgramCase>& cases);

}  // namespace switchyard::command::bench
