// From what is known to a decision: planning, and remembering the plan.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "matrix_state.hpp"

namespace switchyard {
namespace {

/// The share of `part` in `whole`, drawn to zero while there are few: who keeps vectors in a
/// `Vector` means them to stay where they are used, until shown otherwise. In quarters, so that it
/// settles.
double settled_share(std::uint64_t part, std::uint64_t whole) {
  if (part == 0) return 0;
  return std::round(4 * static_cast<double>(part) / static_cast<double>(whole + 1)) / 4;
}

/// Leaves only the pinned node. A pin cannot be kept on a device that has failed: a failure never
/// fails a product that can be computed elsewhere.
void keep_pinned(Yard& yard, State pinned) {
  const auto node = std::ranges::find(yard.nodes, pinned, &YardNode::state);
  if (node != yard.nodes.end()) {
    yard.nodes = {*node};
    return;
  }
  const auto refused = std::ranges::find(yard.refused, pinned, &RefusedState::state);
  if (refused != yard.refused.end() && refused->failed) return;
  const std::string why =
      refused == yard.refused.end() ? "the profile has no model of it" : refused->reason;
  throw Error(ErrorCode::OutOfMemory, "the pinned state cannot be used: " + why, name(pinned));
}

}  // namespace

std::string subject_of(const Structure& structure) {
  return fmt::format("A {}x{} nnz={}{} ({:.3g}%)", structure.rows, structure.cols,
                     structure.exact ? "" : "~", format_count(structure.nnz),
                     100 * structure.density());
}

template <Element T>
VectorTraffic traffic_of(const Product<T>& product) {
  const VectorOutlook x = product.x->outlook();
  const VectorOutlook y = product.y->outlook();
  return {.x_valid = x.valid_mask,
          .y_valid = y.valid_mask,
          .x_fresh = settled_share(x.habits.fresh_from_host, x.habits.products_read),
          .y_read = settled_share(y.habits.read_on_host, y.habits.products_written),
          .y_kept = product.beta != T{0}};
}

template <Element T>
VectorWork MatrixState<T>::work_between_products() {
  const VectorWork so_far = runtime_->vector_work();
  const VectorWork work{so_far.operations - work_so_far_.operations,
                        so_far.sums - work_so_far_.sums, so_far.bytes - work_so_far_.bytes};
  work_so_far_ = so_far;
  const bool is_between = dispatcher_.calls() > 0;
  if (is_between) mean_work_.add(work);
  const bool is_steady = is_between && work == last_work_;
  last_work_ = work;
  if (is_steady) {
    usual_work_ = work;
  } else if (mean_work_.departs_from(usual_work_)) {
    usual_work_ = mean_work_.mean();
    mean_work_ = {};
  }
  return usual_work_;
}

template <Element T>
bool MatrixState<T>::remembers(const VectorTraffic& traffic) const {
  return decision_.runtime_version == runtime_->version() &&
         decision_.content_version == content_version_ &&
         dispatcher_.calls() < decision_.until_calls && decision_.traffic == traffic;
}

template <Element T>
void MatrixState<T>::require_a_copy() const {
  if (!copies_.states().empty()) return;
  throw Error(ErrorCode::DeviceLost, "the only copy of the matrix was on a device that failed", {},
              "assign it anew");
}

template <Element T>
Plan MatrixState<T>::make_plan(const VectorTraffic& traffic) const {
  require_a_copy();
  const Situation situation{.structure = structure_,
                            .precision = precision_of<T>,
                            .valid = copies_.states(),
                            .spaces = runtime_->outlook(precision_of<T>, structure_),
                            .horizon = dispatcher_.horizon(),
                            .vectors = traffic,
                            .refused = refused_,
                            .measured = &dispatcher_.ledger(),
                            .pinned = pinned_};
  Yard yard = price_yard(situation, *runtime_->corrected_profile());
  if (pinned_) keep_pinned(yard, *pinned_);
  if (yard.nodes.empty() && last_failure_) throw Error(*last_failure_);
  Plan plan = dispatcher_.decide(std::move(yard));
  plan.pinned = pinned_ == plan.target();
  return plan;
}

template <Element T>
Plan MatrixState<T>::plan_to(State state) const {
  require_a_copy();
  Yard yard = price_yard({.structure = structure_,
                          .precision = precision_of<T>,
                          .valid = copies_.states(),
                          .spaces = runtime_->outlook(precision_of<T>, structure_),
                          .horizon = 1,
                          .vectors = {},
                          .refused = refused_,
                          .measured = nullptr,
                          .pinned = state},
                         *runtime_->corrected_profile());
  yard.nodes = {{.state = state}};
  return shortest_plan(std::move(yard));
}

template <Element T>
void MatrixState<T>::decide(const VectorTraffic& traffic) {
  last_traffic_ = traffic;
  // Every failure refuses a state or sets a device aside, so that this ends.
  const auto next_plan = [&] {
    try {
      return make_plan(traffic);
    } catch (const Error&) {
      forget_short_memory();
      throw;
    }
  };
  for (;;) {
    const Plan plan = next_plan();
    ++counters_.decisions_planned;
    if (runtime_->trace()) trace_decision(plan);
    if (log_enabled(LogLevel::Debug)) log(LogLevel::Debug, plan_line(plan, subject_of(structure_)));
    try {
      walk(plan);
    } catch (const StepError& failure) {
      recover(failure);
      continue;
    }
    return remember(with_measurements(plan, history_.steps()), traffic);
  }
}

template <Element T>
void MatrixState<T>::remember(const Plan& plan, const VectorTraffic& traffic) {
  dispatcher_.follow(plan);
  for (const Step& move : plan.steps) {
    if (move.kind == StepKind::Multiply) continue;
    dispatcher_.note_move(move, move.measured_seconds.value_or(move.predicted_seconds));
  }
  const Step& step = plan.multiply_step();
  Executor* const executor = runtime_->executor(step.to.space);
  // After a move the turning points are others: the next call prices the yard anew.
  const bool stayed = plan.steps.size() == 1;
  constexpr Index no_limit = std::numeric_limits<Index>::max();
  const Index calls = dispatcher_.calls();
  const Index holds_for = stayed ? plan.holds_for.value_or(no_limit) : 1;
  decision_ = {.runtime_version = runtime_->version(),
               .content_version = content_version_,
               .traffic = traffic,
               .until_calls = holds_for > no_limit - calls ? no_limit : calls + holds_for,
               .target = step.to,
               .executor = executor,
               .operation = find_multiply<T>(step.to.format, executor->backend(), step.variant),
               .storage = copies_.find(step.to)->storage,
               .predicted_seconds = step.predicted_seconds / static_cast<double>(step.calls),
               .bytes = step.bytes / static_cast<double>(step.calls),
               .reason = plan.reason};
}

template VectorTraffic traffic_of(const Product<float>&);
template VectorTraffic traffic_of(const Product<double>&);
template bool MatrixState<float>::remembers(const VectorTraffic&) const;
template bool MatrixState<double>::remembers(const VectorTraffic&) const;
template VectorWork MatrixState<float>::work_between_products();
template VectorWork MatrixState<double>::work_between_products();
template Plan MatrixState<float>::make_plan(const VectorTraffic&) const;
template Plan MatrixState<double>::make_plan(const VectorTraffic&) const;
template Plan MatrixState<float>::plan_to(State) const;
template Plan MatrixState<double>::plan_to(State) const;
template void MatrixState<float>::decide(const VectorTraffic&);
template void MatrixState<double>::decide(const VectorTraffic&);

}  // namespace switchyard
