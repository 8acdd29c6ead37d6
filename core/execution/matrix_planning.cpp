// From what is known to a decision: planning, moving copies, and going on after a failure.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "execution/failures.hpp"
#include "execution/matrix_state.hpp"

namespace switchyard {
namespace {

/// The share of `part` in `whole`, drawn to zero while there are few: who keeps vectors in a
/// `Vector` means them to stay where they are used, until shown otherwise. In quarters, so that it
/// settles.
double settled_share(std::uint64_t part, std::uint64_t whole) {
  if (part == 0) return 0;
  return std::round(4 * static_cast<double>(part) / static_cast<double>(whole + 1)) / 4;
}

bool has_node(const Yard& yard, State state) {
  return std::ranges::find(yard.nodes, state, &YardNode::state) != yard.nodes.end();
}

const RefusedState* refusal_of(const Yard& yard, State state) {
  const auto refused = std::ranges::find(yard.refused, state, &RefusedState::state);
  return refused == yard.refused.end() ? nullptr : &*refused;
}

/// Adds what only `other` has of computing in `wanted` and of getting there: where there is a
/// kernel or a conversion, a state that is asked for by name is reached, whatever the profile
/// lacks.
void complete(Yard& yard, const Yard& other, State wanted) {
  for (const YardNode& node : other.nodes) {
    if (node.state == wanted && !has_node(yard, wanted)) yard.nodes.push_back(node);
  }
  for (const YardEdge& edge : other.edges) {
    const bool known = std::ranges::any_of(yard.edges, [&](const YardEdge& known_edge) {
      return known_edge.from == edge.from && known_edge.to == edge.to;
    });
    if (!known) yard.edges.push_back(edge);
  }
}

/// Leaves only the pinned node. A pin cannot be kept on a device that has failed: a failure never
/// fails a call that can be computed elsewhere.
void keep_pinned(Yard& yard, State pinned, const Structure& structure) {
  if (has_node(yard, pinned)) {
    std::erase_if(yard.nodes, [&](const YardNode& node) { return node.state != pinned; });
    return;
  }
  const RefusedState* const refused = refusal_of(yard, pinned);
  if (!refused) {
    throw Error(ErrorCode::Unsupported, "nothing multiplies in the pinned state", name(pinned));
  }
  if (refused->failed) return;
  const bool too_large = obstacle_to(pinned.format, structure).empty();
  throw Error(too_large ? ErrorCode::OutOfMemory : ErrorCode::Unsupported,
              "the pinned state cannot be used: " + refused->reason.text(), name(pinned));
}

/// What travels of x and y for one call, by what the plan was told of them.
template <Element T>
Index vector_bytes(const CallSeries<T>& series, State target, const Structure& structure,
                   bool for_caller) {
  const VectorTraffic& traffic = series.traffic;
  const Index x = x_size(series.request(), structure.rows, structure.cols);
  const Index y = y_size(series.request(), structure.rows, structure.cols);
  const Space space = target.space;
  const auto arrives = [&](std::uint64_t valid) { return !(valid >> space.index() & 1); };
  Index elements = 0;
  if (arrives(traffic.x_valid)) elements += x;
  if (traffic.y_kept && arrives(traffic.y_valid)) elements += y;
  if (for_caller && !space.is_host()) elements += y;
  return elements * Index{sizeof(T)};
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
void MatrixState<T>::require_a_copy() const {
  if (!contents_.copies.empty()) return;
  throw Error(ErrorCode::DeviceLost, "the only copy of the matrix was on a device that failed", {},
              "assign it anew");
}

template <Element T>
Situation MatrixState<T>::situation_for(std::optional<State> wanted, const Request& request) const {
  require_a_copy();
  return {.request = request,
          .structure = contents_.structure,
          .precision = precision_of<T>,
          .valid = contents_.copies.states(),
          .spaces = runtime_->outlook(precision_of<T>, contents_.structure),
          .horizon = 1,
          .vectors = {},
          .refused = setbacks_.refused(),
          .measured = nullptr,
          .pinned = wanted};
}

template <Element T>
Yard MatrixState<T>::price(const Situation& situation) const {
  Yard yard = price_yard(situation, *runtime_->corrected_profile());
  if (const auto wanted = situation.pinned) {
    complete(yard, price_yard(situation, runtime_->builtin_profile()), *wanted);
  }
  return yard;
}

template <Element T>
Situation MatrixState<T>::situation_of(const CallSeries<T>& series, Index horizon,
                                       const VectorTraffic& traffic) const {
  Situation situation = situation_for(pinned_for(series), series.request());
  situation.horizon = horizon;
  situation.vectors = traffic;
  situation.measured = &series.dispatcher().ledger();
  if (!runtime_->reproducible()) {
    situation.spent_elsewhere = runtime_->recently_spent().at(now_());
  }
  return situation;
}

template <Element T>
std::vector<Yard> MatrixState<T>::companions_of(const CallSeries<T>& series) const {
  std::vector<Yard> yards;
  for (const auto& other : series_) {
    const Index calls = other->dispatcher().expected();
    if (other.get() == &series || calls == 0 || pinned_for(*other)) continue;
    if (other->request().operand == Operand::Transpose && contents_.symmetric == true) continue;
    yards.push_back(price(situation_of(*other, calls, other->traffic)));
  }
  return yards;
}

template <Element T>
Plan MatrixState<T>::make_plan(const CallSeries<T>& series, const VectorTraffic& traffic) const {
  const Dispatcher& dispatcher = series.dispatcher();
  const Situation situation = situation_of(series, dispatcher.horizon(), traffic);
  runtime_->recently_spent().note(spent_on_host(situation), now_());
  Yard yard = price(situation);
  // Without a known number of calls the plan keeps its bound by itself.
  const auto pinned = pinned_for(series);
  if (!pinned && dispatcher.knows_horizon()) expect_companions(yard, companions_of(series));
  if (pinned) keep_pinned(yard, *pinned, contents_.structure);
  if (yard.nodes.empty() && setbacks_.last()) throw Error(*setbacks_.last());
  Plan plan = dispatcher.decide(std::move(yard));
  plan.pinned = pinned == plan.target();
  return plan;
}

template <Element T>
Plan MatrixState<T>::plan_to(State state) const {
  const std::string_view obstacle = obstacle_to(state.format, contents_.structure);
  if (!obstacle.empty()) {
    throw Error(ErrorCode::Unsupported, "the matrix: " + std::string(obstacle), name(state));
  }
  Yard yard = price(situation_for(state));
  yard.nodes = {{.state = state}};
  return shortest_plan(std::move(yard));
}

template <Element T>
PlannedCall<T>* MatrixState<T>::decide(CallSeries<T>& series, const VectorTraffic& traffic,
                                       bool for_caller) {
  series.forget_plan(records_);
  series.traffic = traffic;
  // Every failure refuses a state or sets a device aside, so that this ends. What was refused for
  // want of memory before this call may have room by now.
  bool failed_before = true;
  const auto next_plan = [&]() -> std::optional<Plan> {
    try {
      return make_plan(series, traffic);
    } catch (const Error&) {
      if (setbacks_.forget_short_memory() && failed_before) return std::nullopt;
      throw;
    }
  };
  for (;;) {
    const auto made = next_plan();
    if (!made) {
      failed_before = false;
      continue;
    }
    const Plan& plan = *made;
    const bool is_told = records_.traces() || log_enabled(LogLevel::Debug);
    const std::string subject = is_told ? subject_of(contents_.structure) : std::string{};
    records_.planned(plan, subject);
    if (log_enabled(LogLevel::Debug)) log(LogLevel::Debug, plan_line(plan, subject));
    try {
      walk(plan);
    } catch (const StepError& failure) {
      failed_before = false;
      recover(failure);
      continue;
    }
    return remember(series, with_measurements(plan, records_.history()), for_caller);
  }
}

template <Element T>
PlannedCall<T>* MatrixState<T>::remember(CallSeries<T>& series, const Plan& plan, bool for_caller) {
  Dispatcher& dispatcher = series.dispatcher();
  dispatcher.follow(plan);
  for (const Step& move : plan.steps) {
    if (move.kind == StepKind::Multiply) continue;
    dispatcher.note_move(move, move.measured_seconds.value_or(move.predicted_seconds));
  }
  const Step& step = plan.multiply_step();
  const auto calls = static_cast<double>(step.calls);
  auto planned = std::make_shared<PlannedCall<T>>();
  planned->facts = {.request = series.request(),
                    .target = step.to,
                    .variant = step.variant,
                    .vector_bytes = vector_bytes(series, step.to, contents_.structure, for_caller),
                    .predicted_seconds = step.predicted_seconds / calls,
                    .bytes = step.bytes / calls,
                    .reason = plan.reason};
  planned->copy = contents_.copies.find(step.to)->copy;
  planned->executor = runtime_->executor(step.to.space);
  planned->operation = find_multiply<T>(step.to.format, planned->executor->backend(), step.variant,
                                        series.request());
  planned->for_caller = for_caller;
  planned->contents = contents_number_;
  planned->sums_times = dispatcher.wants_every_time();
  // After a move the turning points are others: the next call prices the yard anew.
  const bool stayed = plan.steps.size() == 1;
  constexpr Index no_limit = std::numeric_limits<Index>::max();
  const Index holds_for = stayed ? plan.holds_for.value_or(no_limit) : 1;
  planned->validity = {.runtime_version = runtime_->version(),
                       .traffic = series.traffic,
                       .until_calls = saturating_sum(dispatcher.calls(), holds_for)};
  const Structure& structure = contents_.structure;
  planned->sizes = {x_size(series.request(), structure.rows, structure.cols),
                    y_size(series.request(), structure.rows, structure.cols)};
  series.plans().remember(planned);
  return planned.get();
}

template <Element T>
void MatrixState<T>::walk(const Plan& plan) {
  const bool moves = plan.steps.front().kind != StepKind::Multiply;
  // What is done meanwhile comes after the calls that have finished, and plans of other series do
  // not know of the copies to come.
  if (moves) forget_plans();
  runner_.walk(plan);
}

template <Element T>
void MatrixState<T>::go_to(State state) {
  // Whoever asks for a state by name may have made room for it since it was refused.
  setbacks_.forget_short_memory();
  std::optional<Error> last;
  while (!contents_.copies.find(state)) {
    if (!runtime_->executor(state.space)) {
      throw Error(ErrorCode::DeviceUnavailable, "there is no such device", name(state));
    }
    try {
      walk(plan_to(state));
    } catch (const StepError& failure) {
      recover(failure);
      last = failure.error;
      if (!setbacks_.refuses(state)) continue;
      setbacks_.forget_short_memory();
      throw Error(failure.error);
    } catch (const Error&) {
      // The only path may lead through a state that was refused for want of memory.
      setbacks_.forget_short_memory();
      if (last) throw Error(*last);
      throw;
    }
  }
  for (const auto& series : series_) series->dispatcher().joined(state);
}

template <Element T>
void MatrixState<T>::recover(StepError failure) {
  if (Setbacks::is_beyond_recovery(failure)) throw Error(failure.error);
  const State state = failure.state;
  if (failure.error.code() == ErrorCode::Unsupported &&
      coding_of(state.format) != ValueCoding::Plain) {
    // The sample missed a value. Now it is known for all formats with that coding, in all spaces.
    const bool constant = coding_of(state.format) == ValueCoding::Constant;
    contents_.structure.distinct_values = constant ? 2 : most_distinct_values;
    return forget_plans();
  }
  Executor& executor = *runtime_->executor(state.space);
  if (!state.space.is_host()) records_.device_failed();
  failure.error = diagnosed(executor, failure.error);
  forget_plans();
  timer_.forget();
  const bool builds = executor.build_problem(failure.program, precision_of<T>).empty();
  switch (setbacks_.remedy_for(failure, builds)) {
    case Remedy::Rethrow:
      throw Error(failure.error);
    case Remedy::GiveUpSpace:
      return give_up_space(state.space, failure.error);
    case Remedy::PlanWithoutProgram:
      return;
    case Remedy::MakeRoom:
      return make_all_room(state);
    case Remedy::RefuseState:
      log(LogLevel::Warning, name(state) + " is not used for this matrix: " + failure.error.what());
  }
}

template <Element T>
void MatrixState<T>::make_all_room(State state) {
  const typename Copies<T>::Needed needed(contents_.copies, state, state);
  constexpr std::size_t all_that_can_be_spared = std::size_t{1} << 62;
  runtime_->make_room(state.space, all_that_can_be_spared);
  runtime_->executor(state.space)->memory()->trim();
}

template <Element T>
void MatrixState<T>::give_up_space(Space space, const Error& error) {
  runtime_->set_aside(space, error.what());
  if (contents_.copies.lose(space)) return;
  throw Error(ErrorCode::DeviceLost, "the only copy of the matrix was on a device that failed",
              name(space), error.what());
}

template VectorTraffic traffic_of(const Product<float>&);
template VectorTraffic traffic_of(const Product<double>&);
template Situation MatrixState<float>::situation_for(std::optional<State>, const Request&) const;
template Situation MatrixState<double>::situation_for(std::optional<State>, const Request&) const;
template Situation MatrixState<float>::situation_of(const CallSeries<float>&, Index,
                                                    const VectorTraffic&) const;
template Situation MatrixState<double>::situation_of(const CallSeries<double>&, Index,
                                                     const VectorTraffic&) const;
template Plan MatrixState<float>::plan_to(State) const;
template Plan MatrixState<double>::plan_to(State) const;
template Yard MatrixState<float>::price(const Situation&) const;
template Yard MatrixState<double>::price(const Situation&) const;
template Plan MatrixState<float>::make_plan(const CallSeries<float>&, const VectorTraffic&) const;
template Plan MatrixState<double>::make_plan(const CallSeries<double>&, const VectorTraffic&) const;
template PlannedCall<float>* MatrixState<float>::decide(CallSeries<float>&, const VectorTraffic&,
                                                        bool);
template PlannedCall<double>* MatrixState<double>::decide(CallSeries<double>&, const VectorTraffic&,
                                                          bool);
template void MatrixState<float>::go_to(State);
template void MatrixState<double>::go_to(State);
template void MatrixState<float>::recover(StepError);
template void MatrixState<double>::recover(StepError);

}  // namespace switchyard
