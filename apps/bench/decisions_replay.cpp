// Totals from costs.
#include "decisions_replay.hpp"

#include <switchyard/core/replay.hpp>

namespace switchyard::command::bench {
namespace {

/// Pinned to one state: the rule has no other to choose.
std::optional<double> pinned_seconds(const CostEntry& entry, const YardNode& node, Index calls) {
  Yard alone = entry.predicted;
  alone.nodes = {node};
  try {
    return replay(alone, entry.measured, calls, true).seconds;
  } catch (const Error&) {
    return std::nullopt;  // no way leads there
  }
}

DecisionCase replay_case(const CostEntry& entry, Index calls, bool hinted) {
  DecisionCase replayed{
      .matrix = entry.matrix,
      .precision = entry.precision,
      .from = entry.predicted.valid.front(),
      .calls = calls,
      .hinted = hinted,
      .seconds_adaptive = replay(entry.predicted, entry.measured, calls, hinted).seconds,
      .careful = entry.careful};
  for (const YardNode& node : entry.predicted.nodes) {
    if (const auto seconds = pinned_seconds(entry, node, calls)) {
      replayed.seconds[node.state] = *seconds;
    }
  }
  return replayed;
}

}  // namespace

DecisionResults replay_decisions(const std::vector<CostEntry>& costs,
                                 const std::vector<Index>& all_calls) {
  DecisionResults results;
  for (const CostEntry& entry : costs) {
    for (const Index calls : all_calls) {
      for (const bool hinted : {true, false}) {
        results.cases.push_back(replay_case(entry, calls, hinted));
      }
    }
  }
  return results;
}

}  // namespace switchyard::command::bench
