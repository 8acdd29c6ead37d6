// `bench decisions` with --columns or --transposed: what deciding by itself costs where one matrix
// has several kinds of calls.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "command/output.hpp"
#include "matrices.hpp"

namespace switchyard::command::bench {

/// A state for each kind of call, in the order of the kinds.
using StateOfKinds = std::vector<State>;

/// So many rounds of calls, in each round one of each kind, of a matrix that first stands in one
/// state only: decided automatically, and pinned kind by kind. Seconds are from the first call
/// until all y were read on the host, with conversions, transfers and planning.
struct MixCase {
  std::string matrix;
  Precision precision = Precision::Float;
  State from;
  std::vector<Request> kinds;
  Index calls = 1;      ///< of each kind
  bool hinted = false;  ///< whether the numbers of calls were told beforehand
  double seconds_adaptive = 0;
  std::map<StateOfKinds, double> seconds = {};  ///< pinned; not empty
  Index rounds = 0;                             ///< how often each contender ran
  StateOfKinds last = {};                       ///< where the automatic calls ended up
  double max_error = 0;                         ///< times what rounding allows, of all contenders

  [[nodiscard]] StateOfKinds best() const;
  [[nodiscard]] double oracle() const { return seconds.at(best()); }
  [[nodiscard]] double regret() const { return seconds_adaptive / oracle(); }
};

/// The kinds of calls in a mix: products of so many columns and, where the transpose is asked for,
/// transposed ones.
[[nodiscard]] std::vector<Request> kinds_of_mix(const Request& asked);

/// All matrices in both precisions, from CSR. Of all combinations of states only those are run that
/// measured single calls and conversions promise most of. What cannot be measured is in the
/// laboratory's notes; a wrong result is among its failures.
[[nodiscard]] std::vector<MixCase> bench_mixes(Laboratory& lab);

/// An array of the cases.
[[nodiscard]] Json mixes_json(const std::vector<MixCase>& cases);
/// `hinted`, `unhinted`, and both by number of calls.
[[nodiscard]] Json mixes_summary_json(const std::vector<MixCase>& cases);
/// Both as text.
[[nodiscard]] std::string mixes_text(const std::vector<MixCase>& cases);

}  // namespace switchyard::command::bench
