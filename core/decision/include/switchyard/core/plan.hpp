// What is decided before a product: the graph as it was priced, and the route through it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <switchyard/containers/numbers.hpp>
#include <switchyard/containers/request.hpp>
#include <switchyard/containers/state.hpp>
#include <switchyard/core/text.hpp>
#include <switchyard/core/vector_traffic.hpp>
#include <vector>

namespace switchyard {

/// What a step of a plan does with the matrix.
enum class StepKind { Convert, Transfer, Multiply };

/// "convert", "transfer", "multiply".
[[nodiscard]] std::string_view name(StepKind kind) noexcept;

/// What computing in one state costs: `once + horizon x (multiply + vector)` seconds.
struct YardNode {
  State state;                    ///< where it would be computed
  double multiply_seconds = 0;    ///< one product
  double vector_seconds = 0;      ///< what x and y must travel for one product, and what is done
                                  ///< with vectors there until the next
  double once_seconds = 0;        ///< a kernel still to be built, a vector still to be brought
  std::string_view variant = {};  ///< the kernel that this price is for
  double relative_error = 0;      ///< how far off the model may be (its 95th percentile)
  bool measured = false;          ///< on this very matrix, not predicted by a model
  bool extrapolated = false;      ///< the model was asked outside what it was calibrated for
  double matrix_bytes = 0;        ///< of the matrix there, which each product reads once
  double travel_bytes = 0;        ///< of x and y that travel for one product, on average
  bool built_in = false;          ///< predicted by a built-in model, which nobody calibrated

  /// What one call costs here, beside what is paid once.
  [[nodiscard]] double seconds_per_call() const noexcept {
    return multiply_seconds + vector_seconds;
  }
  /// What so many calls cost here, without the conversions and transfers that lead here.
  [[nodiscard]] double seconds(Index horizon) const noexcept {
    return once_seconds + static_cast<double>(horizon) * seconds_per_call();
  }
};

/// A switch between two states: a conversion within a space or a transfer between spaces.
struct YardEdge {
  State from;                         ///< where the matrix is
  State to;                           ///< where it would then be too
  StepKind kind = StepKind::Convert;  ///< a conversion or a transfer
  double seconds = 0;                 ///< what the switch takes
  double bytes = 0;                   ///< of the copy that it makes
  double relative_error = 0;          ///< how far off the model may be (its 95th percentile)
  bool extrapolated = false;          ///< as in a node
  bool built_in = false;              ///< as in a node
};

/// A state that cannot be used now, and why.
struct RefusedState {
  State state;          ///< the one that cannot be used
  std::string reason;   ///< in words, for `explain`
  bool failed = false;  ///< it would do, but for a failure
};

/// The graph of one decision, priced. An absent edge or node is one of unknown cost. Costs are
/// finite and not negative.
struct Yard {
  Request request = {};               ///< what is asked of the matrix
  Index horizon = 1;                  ///< the number of calls planned for, of that request
  std::vector<State> valid;           ///< where the matrix already is
  std::vector<YardNode> nodes;        ///< states in which products can be computed
  std::vector<YardEdge> edges;        ///< ways between states
  std::vector<RefusedState> refused;  ///< states left out
  VectorTraffic vectors = {};         ///< what the prices expect of x and y,
  double x_bytes = 0;                 ///< and how large those are
  double y_bytes = 0;                 ///< (0: not known)
  bool calibrated = true;             ///< false: by built-in models, which nobody measured

  /// The node of that state, or null.
  [[nodiscard]] const YardNode* node(State state) const noexcept;
  /// Whether the matrix has a copy in that state.
  [[nodiscard]] bool is_valid(State state) const noexcept;
};

/// One step of a plan, in the order of execution.
struct Step {
  StepKind kind = StepKind::Multiply;  ///< what is done
  State from;                          ///< where the matrix is before
  State to;                            ///< equal to `from` for a multiply
  std::string_view variant = {};       ///< of a multiply
  Index calls = 0;                     ///< of a multiply: the horizon
  double predicted_seconds = 0;        ///< of a multiply: for all calls
  /// Of the copy that a conversion or a transfer makes; of a multiply: of the matrix, which every
  /// call reads once.
  double bytes = 0;
  double relative_error = 0;    ///< how far off the predicted time may be (the 95th percentile)
  bool extrapolated = false;    ///< the model was asked outside what it was calibrated for
  bool price_measured = false;  ///< the predicted time was measured on this matrix, not modelled
  bool built_in = false;        ///< predicted by a built-in model, which nobody calibrated
  std::optional<double> measured_seconds = {};  ///< of a multiply: of all calls measured so far
  Index measured_calls = 0;                     ///< of a multiply: how many those were
  std::optional<double> slowest_seconds = {};   ///< of a multiply: of the slowest of those calls
};

/// What computing in another state would have cost, the way there included.
struct Alternative {
  State state;                   ///< the one not chosen
  double predicted_seconds = 0;  ///< for all calls, with the way there
};

/// Why a plan goes where it goes.
enum class Reason {
  ShortestPath,  ///< the cheapest for the number of products to come, which is known
  UnknownCalls,  ///< bounded against hindsight, whatever the number of products
  Trial,         ///< a state that may be better than its model says, at a small part of the whole
};

/// "shortest path", "unknown calls", "trial".
[[nodiscard]] std::string_view name(Reason reason) noexcept;

/// The way to the products asked for, and what it was chosen from.
struct Plan {
  Yard yard;                              ///< the graph as it was priced
  std::vector<Step> steps;                ///< conversions and transfers, then one multiply
  double predicted_seconds = 0;           ///< of all steps together
  std::vector<Alternative> alternatives;  ///< every other state that can be reached, cheapest first
  Reason reason = Reason::ShortestPath;   ///< by which rule the state was chosen
  /// Products for which the plan holds if nothing else changes; absent: any number.
  std::optional<Index> holds_for;
  /// Where the number of products is unknown: the total stays below so many times the best single
  /// state in hindsight, by the costs of the yard.
  double bound = 1;
  /// With this many calls or more (fewer), another state would have been chosen, all else equal.
  std::optional<Index> changes_from;
  std::optional<Index> changes_below;  ///< with fewer calls than this
  /// The best state at `changes_from` calls.
  std::optional<State> changes_from_state;
  std::optional<State> changes_below_state;  ///< the same at one call below `changes_below`
  bool pinned = false;                       ///< the caller chose the state

  /// The state that products are computed in.
  [[nodiscard]] State target() const { return steps.back().to; }
  /// The last step, which is the multiply.
  [[nodiscard]] const Step& multiply_step() const { return steps.back(); }
};

/// The plan with the measured times of `history`'s steps beside its own: the last move of each kind
/// between the same states, and all products in the plan's state.
[[nodiscard]] Plan with_measurements(Plan plan, const std::vector<Step>& history);

/// The plan as the one line of the debug log, `subject` naming the matrix.
[[nodiscard]] std::string plan_line(const Plan& plan, std::string_view subject);

/// The plan as a page for people, of lines of 100 columns at most: the steps as a tree, each with
/// predicted and measured time, bytes and how far off its price may be; what was rejected and by
/// how much; why, until when, how sure, and where x and y are. See docs/explain.md.
[[nodiscard]] std::string explain_plan(const Plan& plan, const TextStyle& style = {});

}  // namespace switchyard
