// The plan of a decision: the graph with its costs, and the path through it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <switchyard/containers/numbers.hpp>
#include <switchyard/containers/request.hpp>
#include <switchyard/containers/state.hpp>
#include <switchyard/core/text.hpp>
#include <switchyard/core/vector_traffic.hpp>
#include <utility>
#include <vector>

namespace switchyard {

/// The kinds of steps in a plan, and of skeletons (skeletons.hpp) in a history.
enum class StepKind { Convert, Transfer, Multiply, Map, MapRows, Reduce };

/// "convert", "transfer", "multiply", "map", "map_rows", "reduce".
[[nodiscard]] std::string_view name(StepKind kind) noexcept;

/// Other kernels for a state than the one that its cost is of.
struct OtherKernels {
  double best_seconds = __builtin_huge_val();  ///< one multiplication by the best; infinite: none
  std::string_view quiet = {};    ///< the fastest on an idle machine, if that is another one
  std::string_view untried = {};  ///< never used, and may be the fastest; empty: none
  double untried_seconds = 0;     ///< one multiplication by it, as predicted
  double untried_error = 0;       ///< p95 error of that prediction

  /// One multiplication by the untried one, if its model is as far off as it may be, for the
  /// better.
  [[nodiscard]] double untried_at_best() const noexcept {
    return untried.empty() ? __builtin_huge_val() : untried_seconds / (1 + untried_error);
  }
};

/// The cost of computing in one state: `once + horizon x (multiply + vector)` seconds.
struct YardNode {
  State state;                    ///< the state that computes
  double multiply_seconds = 0;    ///< one multiplication
  double vector_seconds = 0;      ///< of one call: transfers of x and y, and the
                                  ///< vector operations until the next call
  double once_seconds = 0;        ///< one-off: a kernel build, the first vector transfer
  double model_seconds = 0;       ///< one multiplication by the model, whatever was measured
  double model_error = 0;         ///< p95 error of that
  std::string_view variant = {};  ///< the kernel of this cost
  double relative_error = 0;      ///< p95 error of the prediction
  bool measured = false;          ///< measured on this matrix, not predicted by a model
  bool extrapolated = false;      ///< extrapolated beyond the calibrated range
  double matrix_bytes = 0;        ///< of the matrix, which each call reads once
  double travel_bytes = 0;        ///< of x and y transferred for one call, on average
  bool built_in = false;          ///< predicted by a built-in model, not a calibrated one
  /// Of `multiply_seconds`, the share that is expected to be lost to other programs.
  double stalled_share = 0;
  /// `multiply_seconds` is so many times the prediction, because measured states in the same space
  /// took longer than predicted.
  double expected_factor = 1;
  OtherKernels others = {};  ///< for the same state
  /// What the calls of other requests are expected to cost once the matrix has been brought here.
  double companion_seconds = 0;

  /// The cost of one call, without one-off costs.
  [[nodiscard]] double seconds_per_call() const noexcept {
    return multiply_seconds + vector_seconds;
  }
  /// The cost of `horizon` calls, without the conversions and transfers that lead here.
  [[nodiscard]] double seconds(Index horizon) const noexcept {
    return once_seconds + static_cast<double>(horizon) * seconds_per_call();
  }
};

/// A step between two states: a conversion within a space or a transfer between spaces.
struct YardEdge {
  State from;                         ///< the state of the existing copy
  State to;                           ///< the state of the new copy
  StepKind kind = StepKind::Convert;  ///< a conversion or a transfer
  double seconds = 0;                 ///< predicted time
  double bytes = 0;                   ///< of the new copy
  double relative_error = 0;          ///< p95 error of the prediction
  bool extrapolated = false;          ///< as in a node
  bool built_in = false;              ///< as in a node
};

/// Why a state is left out. Its text is made when it is asked for: most plans are never explained.
class Refusal {
 public:
  Refusal() = default;
  /// A reason given as text.
  Refusal(std::string text) : own_(std::move(text)) {}
  /// As above.
  Refusal(const char* text) : own_(text) {}
  /// A text that lives as long as the program.
  [[nodiscard]] static Refusal fixed(std::string_view text) noexcept;
  /// The format takes `factor` times the memory of `smaller`, and more than `limit` times is not
  /// considered.
  [[nodiscard]] static Refusal too_large(double factor, Format smaller, double limit) noexcept;
  /// The text for `explain`.
  [[nodiscard]] std::string text() const;

 private:
  std::string own_;
  std::string_view fixed_;
  double factor_ = 0;
  double limit_ = 0;
  Format smaller_ = Format::Csr;
};

/// A state that cannot be used now, and the reason.
struct RefusedState {
  State state;          ///< the refused state
  Refusal reason = {};  ///< why
  bool failed = false;  ///< refused because of a failure
};

/// Calls of another request of the same matrix that are expected as well, as they would be computed
/// once the matrix has been brought to `from`.
struct Companion {
  State from;          ///< a node of the yard
  Request request;     ///< what these calls ask for
  Index calls = 0;     ///< how many are expected
  State state;         ///< where they would be computed
  double seconds = 0;  ///< of all of them, with the way from the copies there would then be
};

/// The graph of one decision with its costs. An absent edge or node has an unknown cost. Costs are
/// finite and non-negative.
struct Yard {
  Request request = {};                    ///< operation and columns
  Index horizon = 1;                       ///< expected calls of that request
  std::vector<State> valid;                ///< the states that hold a valid copy
  std::vector<YardNode> nodes;             ///< states that can compute
  std::vector<YardEdge> edges;             ///< conversions and transfers
  std::vector<RefusedState> refused;       ///< states left out, with the reasons
  VectorTraffic vectors = {};              ///< the expected use of x and y
  double x_bytes = 0;                      ///< size of x; 0: not known
  double y_bytes = 0;                      ///< size of y; 0: not known
  bool calibrated = true;                  ///< false: costs are from built-in models
  std::vector<Companion> companions = {};  ///< of each node; empty: no other calls are expected

  /// The node of that state, or null.
  [[nodiscard]] const YardNode* node(State state) const noexcept;
  /// Whether the matrix has a copy in that state.
  [[nodiscard]] bool is_valid(State state) const noexcept;
};

/// One step of a plan, in the order of execution.
struct Step {
  StepKind kind = StepKind::Multiply;  ///< what is done
  Request request = {};                ///< of a multiply: what is asked for
  State from;                          ///< the state before
  State to;                            ///< equal to `from` for a multiply and a skeleton
  std::string_view variant = {};       ///< of a multiply
  Index calls = 0;                     ///< of a multiply: the horizon. Of a skeleton: done
  double predicted_seconds = 0;        ///< of a multiply and a skeleton: for all calls
  /// Bytes of the new copy. Of a multiply: bytes of the matrix, which every call reads once. Of a
  /// skeleton: bytes of the matrix read and written.
  double bytes = 0;
  double relative_error = 0;    ///< p95 error of the predicted time
  bool extrapolated = false;    ///< extrapolated beyond the calibrated range
  bool price_measured = false;  ///< the predicted time was measured on this matrix
  bool built_in = false;        ///< predicted by a built-in model, not a calibrated one
  std::optional<double> measured_seconds = {};  ///< of several calls: of all measured so far
  Index measured_calls = 0;                     ///< the number of those calls
  std::optional<double> slowest_seconds = {};   ///< of a multiply: of the slowest of those calls
};

/// The cost of another state, the steps to get there included.
struct Alternative {
  State state;                   ///< the state that was not chosen
  double predicted_seconds = 0;  ///< of all calls, the steps to get there and the companions
};

/// The rule by which a plan's state was chosen.
enum class Reason {
  ShortestPath,  ///< the least total time for a known number of calls
  UnknownCalls,  ///< unknown number of calls: bounded relative to hindsight
  Trial,         ///< tries a state that may be faster than predicted
};

/// "shortest path", "unknown calls", "trial".
[[nodiscard]] std::string_view name(Reason reason) noexcept;

/// The chosen steps, and the graph that they were chosen from.
struct Plan {
  Yard yard;                ///< the graph with its costs
  std::vector<Step> steps;  ///< conversions and transfers, then one multiply
  /// Of all steps together, and of the companions of the chosen state.
  double predicted_seconds = 0;
  std::vector<Alternative> alternatives;  ///< all other reachable states, by total time
  Reason reason = Reason::ShortestPath;   ///< the rule that chose the state
  /// The number of calls that the plan holds for if nothing else changes. Absent: any number.
  std::optional<Index> holds_for;
  /// With an unknown number of calls: the total stays below this multiple of the best fixed state
  /// in hindsight, by the costs of the yard.
  double bound = 1;
  /// The break-even: with this many calls or more, another state would have been chosen.
  std::optional<Index> changes_from;
  std::optional<Index> changes_below;  ///< the same with fewer calls than this
  /// The best state at `changes_from` calls.
  std::optional<State> changes_from_state;
  std::optional<State> changes_below_state;  ///< the same at one call below `changes_below`
  bool pinned = false;                       ///< the program chose the state

  /// The state that computes.
  [[nodiscard]] State target() const { return steps.back().to; }
  /// The last step, which is the multiply.
  [[nodiscard]] const Step& multiply_step() const { return steps.back(); }
};

/// Adds the measured times of `history` to the plan's steps. It uses the last move of each kind
/// between the same states, and all calls in the plan's state.
[[nodiscard]] Plan with_measurements(Plan plan, const std::vector<Step>& history);

/// The plan as the line of the debug log. `subject` names the matrix.
[[nodiscard]] std::string plan_line(const Plan& plan, std::string_view subject);

/// The plan as a page of text with at most 100 columns. It has the steps as a tree with predicted
/// and measured times, bytes and accuracy, the rejected states with their extra time, the reason,
/// the break-even, and where x and y are. See docs/explain.md.
[[nodiscard]] std::string explain_plan(const Plan& plan, const TextStyle& style = {});

}  // namespace switchyard
