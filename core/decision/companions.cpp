// What other requests of the same matrix would cost from each state that calls can be computed in.
#include <algorithm>
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/core/planner.hpp>

#include "cost_line.hpp"
#include "path_costs.hpp"

namespace switchyard {
namespace {

/// The states that a path to `target` makes copies in.
std::vector<State> copies_on_the_way(const Yard& yard, const PathCosts& costs, const Paths& paths,
                                     State target) {
  std::vector<State> copies;
  const auto last_edge = [&](State state) {
    return paths.last_edges[static_cast<std::size_t>(costs.number(state))];
  };
  for (auto k = last_edge(target); k >= 0; k = last_edge(copies.back())) {
    if (copies.empty()) copies.push_back(target);
    copies.push_back(yard.edges[static_cast<std::size_t>(k)].from);
  }
  return copies;
}

/// Another request's calls, from the copies that there are now.
class OtherCalls {
 public:
  explicit OtherCalls(const Yard& yard)
      : yard_(yard), costs_(yard), held_(costs_.from(yard.valid)) {}

  /// What they cost at the least where there are those copies, too; nothing where they cannot be
  /// computed at all.
  [[nodiscard]] std::optional<Companion> from(State state, std::span<const State> copies) const {
    const Paths paths = copies.empty() ? held_ : costs_.from(copies, held_);
    std::optional<Companion> best;
    for (const YardNode& node : yard_.nodes) {
      const double seconds = costs_.seconds(paths, node.state) + node.seconds(yard_.horizon);
      if (!(seconds < (best ? best->seconds : endless))) continue;
      best = {state, yard_.request, yard_.horizon, node.state, seconds};
    }
    return best;
  }

 private:
  const Yard& yard_;
  PathCosts costs_;
  Paths held_;
};

}  // namespace

void expect_companions(Yard& yard, std::span<const Yard> others) try {
  if (others.empty()) return;
  const PathCosts costs(yard);
  const Paths paths = costs.from(yard.valid);
  const std::vector<OtherCalls> calls(others.begin(), others.end());
  for (YardNode& node : yard.nodes) {
    if (costs.seconds(paths, node.state) == endless) continue;
    const std::vector<State> copies = copies_on_the_way(yard, costs, paths, node.state);
    for (const OtherCalls& other : calls) {
      const auto companion = other.from(node.state, copies);
      if (!companion) continue;
      node.companion_seconds += companion->seconds;
      yard.companions.push_back(*companion);
    }
  }
} catch (const std::bad_alloc&) {
  throw_out_of_memory();
}

}  // namespace switchyard
