// The decision: pricing the yard, and the shortest way through it.
#pragma once

#include <span>
#include <switchyard/backends/operations.hpp>
#include <switchyard/containers/structure.hpp>
#include <switchyard/core/ledger.hpp>
#include <switchyard/core/plan.hpp>
#include <switchyard/models/profile.hpp>
#include <vector>

namespace switchyard {

/// One space as a planner sees it.
struct SpaceOutlook {
  Space space;                         ///< which it is
  Backend backend = Backend::OpenMP;   ///< by what means it computes
  bool usable = true;                  ///< false: set aside, or without this precision
  std::string why_not = {};            ///< where not usable
  double capacity_bytes = 0;           ///< the budget that a matrix has to fit into
  const Executor* executor = nullptr;  ///< to ask which kernels are built; may be null
};

/// All that a decision depends on.
struct Situation {
  Structure structure;                     ///< what the matrix is like
  Precision precision = Precision::Float;  ///< of its elements
  std::vector<State> valid;                ///< not empty
  std::vector<SpaceOutlook> spaces;        ///< the host first
  Index horizon = 1;                       ///< the number of products planned for
  VectorTraffic vectors;                   ///< where x and y are and will be
  std::vector<RefusedState> refused;       ///< states tried in vain for this matrix
  const Ledger* measured = nullptr;        ///< what this matrix has cost goes before any model
};

/// Prices every state and switch that the operation tables and the profile know of.
[[nodiscard]] Yard price_yard(const Situation& situation, const Profile& profile);

/// The spaces of the machine that a profile was measured on, without having it: every device
/// usable, every kernel built, memory without end.
[[nodiscard]] std::vector<SpaceOutlook> outlook_of(const Profile& profile);

/// Dijkstra's algorithm (by Boost.Graph) from SOURCE, joined at no cost to every valid state, to
/// SINK, joined to every node at what computing there costs. Of equally cheap routes the one with
/// fewer steps is taken, so that a tie stays where the matrix is, then the lower state number: the
/// same yard always gives the same plan. Throws `Error(InvalidArgument)` where the yard has costs
/// that are negative or not finite, `Error(DeviceUnavailable)` where no node can be reached.
///
/// With a `target`, the shortest way to computing in that state; the other nodes, which may be
/// cheaper, are its alternatives.
[[nodiscard]] Plan shortest_plan(Yard yard, std::optional<State> target = {});

}  // namespace switchyard
