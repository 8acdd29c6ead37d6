// Shortest paths through a yard, for the planner, the rule for unknown calls and the replay.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <switchyard/core/plan.hpp>
#include <vector>

namespace switchyard {

/// The length of a path: seconds first, then steps, so that ties go to the path with fewer steps.
struct PathLength {
  double seconds = 0;  ///< infinite where there is no path
  int steps = 0;       ///< conversions and transfers
  auto operator<=>(const PathLength&) const = default;
};

/// The shortest paths from some states to every state of a yard.
struct Paths {
  std::vector<PathLength> lengths;       ///< by the number of the state
  std::vector<std::int32_t> last_edges;  ///< into `Yard::edges`; -1 at a start and where no path is
};

/// The shortest paths of one yard. REQUIRES that the yard's states, nodes and edges stay as they
/// are while this is used. Not changed by use.
class PathCosts {
 public:
  /// Throws `Error(InvalidArgument)` where a cost is negative or not finite.
  explicit PathCosts(const Yard& yard);

  /// How many states the yard has: those of its copies, its nodes and its edges.
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  /// The number of that state, from 0 in ascending order of states; negative where the yard does
  /// not have it.
  [[nodiscard]] int number(State state) const noexcept;

  /// Dijkstra's algorithm from all of `starts` at once; states that the yard does not have are
  /// passed over.
  [[nodiscard]] Paths from(std::span<const State> starts) const;
  /// The same, but only paths that are shorter than those of `known` are looked for; for all other
  /// states the result is that of `known`. This is the cost from any state of both sets.
  [[nodiscard]] Paths from(std::span<const State> starts, const Paths& known) const;

  /// Seconds of the path to `to`; infinite where there is none.
  [[nodiscard]] double seconds(const Paths& paths, State to) const noexcept;

 private:
  struct Arc {
    int to = 0;
    std::int32_t edge = 0;  // into Yard::edges
    double seconds = 0;
  };
  [[nodiscard]] std::size_t place(State state) const noexcept;
  void number_states(const Yard& yard);
  void sort_edges(const Yard& yard);
  void search(std::span<const State> starts, Paths& paths) const;

  std::size_t count_ = 0;
  std::size_t spaces_ = 0;              // one more than the highest index of a space
  std::size_t formats_ = 0;             // one more than the highest format
  std::vector<std::int32_t> numbers_;   // by space and format; -1: no such state
  std::vector<std::size_t> first_arc_;  // by number; one more at the end
  std::vector<Arc> arcs_;
};

}  // namespace switchyard
