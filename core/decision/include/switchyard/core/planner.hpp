// The planner: builds the graph of what can be done with a matrix, and finds the shortest path.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <switchyard/containers/structure.hpp>
#include <switchyard/containers/threads.hpp>
#include <switchyard/core/ledger.hpp>
#include <switchyard/core/plan.hpp>
#include <switchyard/models/profile.hpp>
#include <vector>

namespace switchyard {

/// One kernel that multiplies in a space.
struct MultiplyCapability {
  Format format = Format::Dense;      ///< of the matrix
  std::string_view variant = {};      ///< its name, which must outlive every plan that uses it
  std::string_view program = {};      ///< the program to build for it; empty: none
  bool suited = true;                 ///< false: not worth considering for this matrix
  Operand operand = Operand::Matrix;  ///< A or its transpose
  bool many_columns = false;          ///< computes with several columns at once
  Threads threads = Threads::All;     ///< of the host that it uses

  /// Whether it computes this request.
  [[nodiscard]] bool computes(const Request& request) const noexcept {
    return operand == request.operand && many_columns == (request.columns > 1);
  }
};

/// One conversion within a space.
struct ConvertCapability {
  Format from = Format::Dense;    ///< of the existing copy
  Format to = Format::Dense;      ///< of the new copy
  std::string_view program = {};  ///< the program to build for it; empty: none
};

/// A kernel program that is not built yet.
struct UnbuiltProgram {
  std::string_view program;  ///< its name, as in the capabilities
  std::string problem = {};  ///< why it cannot be built; empty: it can, which takes time
};

/// What the planner knows of one space: what can be done there, as data.
struct SpaceOutlook {
  Space space;                                      ///< the space
  bool usable = true;                               ///< false: set aside, or without this precision
  std::string why_not = {};                         ///< the reason if it is not usable
  double capacity_bytes = 0;                        ///< the memory budget
  std::vector<MultiplyCapability> multiplies = {};  ///< the kernels
  std::vector<ConvertCapability> conversions = {};  ///< the conversions
  std::vector<UnbuiltProgram> unbuilt = {};         ///< their programs that are not built yet
  bool on_host_processors = false;  ///< what delays the host's threads delays its kernels too
};

/// Everything that a decision depends on.
struct Situation {
  Request request = {};                    ///< operation and columns
  Structure structure;                     ///< of the matrix
  Precision precision = Precision::Float;  ///< of its elements
  std::vector<State> valid;                ///< the states that hold a valid copy; not empty
  std::vector<SpaceOutlook> spaces;        ///< the host first
  Index horizon = 1;                       ///< expected calls of that request
  VectorTraffic vectors;                   ///< where x and y are and will be
  std::vector<RefusedState> refused;       ///< states that failed for this matrix
  const Ledger* measured = nullptr;  ///< measured times of this matrix, which replace predictions
  std::optional<State> pinned = {};  ///< the pinned state, never left out for its size
  /// What calls with other matrices took lately, which counts while this one was not measured with
  /// so many of the host's threads.
  SpentByThreads spent_elsewhere = {};
};

/// What the measured calls of that matrix took on the host's processors.
[[nodiscard]] SpentByThreads spent_on_host(const Situation& situation) noexcept;

/// Builds the graph of every state and edge that the capabilities and the profile have. Edges that
/// lead to no computing state are left out. A format is refused if it takes more than 1.5
/// times the bytes of CSR or dense, whichever is smaller, unless a copy is there or it is pinned.
[[nodiscard]] Yard price_yard(const Situation& situation, const Profile& profile);

/// Of many formats the one that promises most is mostly one that promises too much (the winner's
/// curse). What a format that was not measured promises to gain over the dense format and CSR (of
/// products with the transpose CSC, too), in the same space, counts as far as its model is better
/// known than formats differ: by the share that the mean of a normal distribution moves from what
/// is usual, which is no gain, to one observation (docs/decisions/0022).
void doubt_promises(Yard& yard);

/// The graph for a matrix that was not measured, with its promises doubted.
[[nodiscard]] Yard price_unmeasured(const Situation& situation, const Profile& profile);

/// Adds to each node of `yard` what the calls of other requests would cost from there: `others` are
/// their yards, of the same matrix, each with the calls that are expected of it as its horizon. A
/// way that both need is paid for once. Of more than one other request each goes its own way.
/// Nodes that cannot be reached are left as they are.
void expect_companions(Yard& yard, std::span<const Yard> others);

/// What it takes to stream so many bytes through a space's processors. No model is made of
/// elementwise work: like a dense product it does nothing but read and write memory in order, so
/// that the fastest dense kernel's time for as many bytes is taken for it. Nothing where there is
/// no model of one.
[[nodiscard]] std::optional<double> stream_seconds(Precision precision, const Profile& profile,
                                                   const SpaceOutlook& outlook, double bytes);

/// What x and y of the situation's request add to its calls in that space, all of them.
[[nodiscard]] double vector_seconds(const Situation& situation, const Profile& profile,
                                    const SpaceOutlook& outlook);

/// The path with the least cost from SOURCE to SINK (Dijkstra's algorithm). SOURCE is connected at
/// no cost to every valid state, and every node to SINK at the cost of computing there. Of paths of
/// equal cost the one with fewer steps is taken, so that a tie stays where the matrix is, then the
/// lower state. So the same yard always gives the same plan. Throws `Error(InvalidArgument)` if the
/// yard has costs that are negative or not finite, and `Error(DeviceUnavailable)` if no node can be
/// reached.
///
/// With a `target`, the shortest path to computing in that state. The other nodes, which may cost
/// less, are its alternatives.
[[nodiscard]] Plan shortest_plan(Yard yard, std::optional<State> target = {});

}  // namespace switchyard
