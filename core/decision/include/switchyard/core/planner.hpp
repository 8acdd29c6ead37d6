// The decision: pricing what can be done with a matrix, and the shortest path through it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <switchyard/containers/structure.hpp>
#include <switchyard/core/ledger.hpp>
#include <switchyard/core/plan.hpp>
#include <switchyard/models/profile.hpp>
#include <vector>

namespace switchyard {

/// One kernel that multiplies in a space.
struct MultiplyCapability {
  Format format = Format::Dense;      ///< of the matrix
  std::string_view variant = {};      ///< its name, which has to outlive every plan that names it
  std::string_view program = {};      ///< what has to be built for it; empty: nothing
  bool suited = true;                 ///< false: not worth considering for this matrix
  Operand operand = Operand::Matrix;  ///< of what it computes
  bool many_columns = false;          ///< computes with several columns at once

  /// Whether it computes what is asked for.
  [[nodiscard]] bool computes(const Request& request) const noexcept {
    return operand == request.operand && many_columns == (request.columns > 1);
  }
};

/// One conversion within a space.
struct ConvertCapability {
  Format from = Format::Dense;    ///< of the copy that is there
  Format to = Format::Dense;      ///< of the one that is made
  std::string_view program = {};  ///< what has to be built for it; empty: nothing
};

/// A program of kernels that is not ready for use.
struct UnbuiltProgram {
  std::string_view program;  ///< its name, as in the capabilities
  std::string problem = {};  ///< why it cannot be built; empty: it will be, and that takes time
};

/// One space as a planner sees it: what can be done there, as data.
struct SpaceOutlook {
  Space space;                                      ///< which it is
  bool usable = true;                               ///< false: set aside, or without this precision
  std::string why_not = {};                         ///< where not usable
  double capacity_bytes = 0;                        ///< the budget that a matrix has to fit into
  std::vector<MultiplyCapability> multiplies = {};  ///< the kernels
  std::vector<ConvertCapability> conversions = {};  ///< the conversions
  std::vector<UnbuiltProgram> unbuilt = {};         ///< of their programs those not ready
};

/// All that a decision depends on.
struct Situation {
  Request request = {};                    ///< what is asked of the matrix
  Structure structure;                     ///< what the matrix is like
  Precision precision = Precision::Float;  ///< of its elements
  std::vector<State> valid;                ///< not empty
  std::vector<SpaceOutlook> spaces;        ///< the host first
  Index horizon = 1;                       ///< the number of calls planned for, of that request
  VectorTraffic vectors;                   ///< where x and y are and will be
  std::vector<RefusedState> refused;       ///< states tried in vain for this matrix
  const Ledger* measured = nullptr;        ///< what this matrix has cost goes before any model
  std::optional<State> pinned = {};        ///< never left out for its size
};

/// Prices every state and edge that the capabilities and the profile know of. Edges that lead to no
/// state that can be computed in are left out. A format is refused where its bytes exceed 1.5 times
/// both those of CSR and those of a dense matrix, unless a copy of it is there or it is pinned.
[[nodiscard]] Yard price_yard(const Situation& situation, const Profile& profile);

/// Dijkstra's algorithm from SOURCE, joined at no cost to every valid state, to SINK, joined to
/// every node at what computing there costs. Of paths of equal cost the one with fewer steps is
/// taken, so that a tie stays where the matrix is, then the lower state: the same yard always gives
/// the same plan. Throws `Error(InvalidArgument)` where the yard has costs that are negative or not
/// finite, `Error(DeviceUnavailable)` where no node can be reached.
///
/// With a `target`, the shortest path to computing in that state; the other nodes, which may cost
/// less, are its alternatives.
[[nodiscard]] Plan shortest_plan(Yard yard, std::optional<State> target = {});

}  // namespace switchyard
