// Choosing with what is known, trying what may be better, leaving what disappointed.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <switchyard/core/dispatcher.hpp>
#include <switchyard/core/planner.hpp>

#include "likeness.hpp"

namespace switchyard {
namespace {

// Products that a trial takes: one to arrive, three to be believed.
constexpr Index trial_calls = 4;
// How little of the gain optimistic for a trial may cost.
constexpr double trial_odds = 0.25;
// Where a model is hardly known, its error bounds nothing: a trial is expected to take no more than
// twice as long as predicted.
constexpr double most_trial_error = 1;

/// What a product there may cost if the model is as far off as it may be, for the better, and has
/// nothing in common with those of measured states.
double optimistic(const YardNode& node) {
  return node.multiply_seconds / node.expected_factor / (1 + node.relative_error) +
         node.vector_seconds;
}

/// Of a step or an edge.
bool is_host_conversion(const auto& move) {
  return move.kind == StepKind::Convert && move.from.space.is_host();
}

/// How many products a plan of the shortest path holds for, one at least.
Index calls_until_it_turns(const Plan& plan) {
  const Index left = plan.yard.horizon - plan.changes_below.value_or(1) + 1;
  return plan.steps.size() == 1 ? std::max<Index>(left, 1) : 1;
}

}  // namespace

void Dispatcher::begin(std::vector<State> valid) {
  if (calls_ > 0) {
    std::ranges::rotate(last_contents_, last_contents_.end() - 1);
    last_contents_.front() = calls_;
  }
  origin_ = std::move(valid);
  calls_ = next_look_ = 0;
  moves_seconds_ = 0;
  trials_seconds_ = 0;
  at_.reset();
  trial_.reset();
  excluded_.clear();
  conversions_ = {};
  ledger_.clear();
}

void Dispatcher::joined(State state) {
  if (std::ranges::find(origin_, state) == origin_.end()) origin_.push_back(state);
}

void Dispatcher::left(State state) { std::erase(origin_, state); }

bool Dispatcher::knows_horizon() const noexcept {
  // The least of three: who is rewritten early once may be so again, and the rule for an unknown
  // number takes over where it lasts longer.
  return hinted_ > 0 || calls_ < *std::ranges::min_element(last_contents_);
}

Index Dispatcher::expected() const noexcept { return knows_horizon() ? horizon() : calls_; }

Index Dispatcher::horizon() const noexcept {
  if (hinted_ > 0) return hinted_;
  if (knows_horizon()) return *std::ranges::min_element(last_contents_) - calls_;
  return calls_ + 1;
}

double Dispatcher::spent_seconds(const Yard& yard) const {
  double seconds = moves_seconds_;
  for (const YardNode& node : yard.nodes) {
    seconds += static_cast<double>(ledger_.calls(node.state)) * node.seconds_per_call();
  }
  return seconds;
}

void Dispatcher::exclude(Yard& yard) const {
  for (const State state : excluded_) {
    const YardNode* const node = yard.node(state);
    if (!node || yard.nodes.size() == 1) continue;
    yard.refused.push_back({state, "abandoned: slower than predicted, " +
                                       format_seconds(node->multiply_seconds) + " per call"});
    std::erase_if(yard.nodes, [&](const YardNode& other) { return other.state == state; });
  }
}

Plan Dispatcher::chosen(Yard yard) const {
  if (knows_horizon()) {
    Plan plan = shortest_plan(std::move(yard));
    const YardNode* const here = at_ ? plan.yard.node(*at_) : nullptr;
    const bool stays = here && plan.target() != *at_ && plan.yard.is_valid(*at_) &&
                       here->seconds(plan.yard.horizon) + here->companion_seconds <=
                           plan.predicted_seconds * (1 + margin);
    if (stays) plan = shortest_plan(std::move(plan.yard), *at_);
    plan.holds_for = calls_until_it_turns(plan);
    return plan;
  }
  const Choice choice = choose_for_unknown_calls(
      yard, {.origin = origin_, .at = at_, .calls = calls_, .spent_seconds = spent_seconds(yard)});
  Plan plan = shortest_plan(std::move(yard), choice.target);
  plan.reason = Reason::UnknownCalls;
  plan.bound = choice.bound;
  if (choice.until_calls) plan.holds_for = std::max<Index>(*choice.until_calls - calls_, 1);
  return plan;
}

double Dispatcher::most_for_trials(const Plan& plan) const {
  const YardNode& here = *plan.yard.node(*at_);
  const auto horizon = static_cast<double>(plan.yard.horizon);
  return trial_share *
         (knows_horizon() ? horizon * here.seconds_per_call() : spent_seconds(plan.yard));
}

std::optional<State> Dispatcher::worth_trying(const Plan& plan) const {
  const bool settled = at_ == plan.target() && plan.steps.size() == 1;
  const YardNode* const here = plan.yard.node(plan.target());
  if (reproducible_ || !settled || !ledger_.cost(here->state, here->variant)) return std::nullopt;
  const auto horizon = static_cast<double>(plan.yard.horizon);
  const double most = most_for_trials(plan) - trials_seconds_;
  double largest = 0;
  std::optional<State> best;
  for (const Alternative& other : plan.alternatives) {
    const YardNode& node = *plan.yard.node(other.state);
    if (ledger_.calls(node.state) > 0) continue;
    const double way =
        other.predicted_seconds - horizon * node.seconds_per_call() - node.companion_seconds;
    const double slower = 1 + std::min(node.relative_error, most_trial_error);
    const double cost = way + trial_calls * node.seconds_per_call() * slower;
    const double gain =
        (horizon - trial_calls) * (here->seconds_per_call() - optimistic(node)) * trial_odds;
    if (gain - cost <= largest || cost >= most) continue;
    largest = gain - cost;
    best = node.state;
  }
  return best;
}

bool Dispatcher::is_kernel_worth_trying(const Plan& plan) const {
  const YardNode& here = *plan.yard.node(plan.target());
  const bool settled = at_ == plan.target() && plan.steps.size() == 1;
  if (reproducible_ || !settled || !ledger_.cost(here.state, here.variant)) return false;
  const auto horizon = static_cast<double>(plan.yard.horizon);
  const OtherKernels& others = here.others;
  if (others.untried.empty() || ledger_.calls(here.state, others.untried) > 0) return false;
  const double cost = trial_calls * std::max(others.untried_seconds - here.multiply_seconds, 0.0);
  const double gain =
      (horizon - trial_calls) * (here.multiply_seconds - others.untried_at_best()) * trial_odds;
  return gain > cost && cost <= most_for_trials(plan) - trials_seconds_;
}

Plan Dispatcher::trial_of_kernel(Plan plan) {
  const State state = plan.target();
  const auto node = std::ranges::find(plan.yard.nodes, state, &YardNode::state);
  node->variant = node->others.untried;
  node->multiply_seconds = node->others.untried_seconds;
  node->relative_error = node->others.untried_error;
  node->measured = false;
  node->others = {.best_seconds = node->multiply_seconds};
  plan = shortest_plan(std::move(plan.yard), state);
  plan.reason = Reason::Trial;
  plan.holds_for = trial_calls;
  return plan;
}

Plan Dispatcher::decide(Yard yard) const {
  exclude(yard);
  delay_conversions(yard);
  if (!reproducible_) expect_alike(yard);
  doubt_promises(yard);
  if (trial_ && yard.node(trial_->state)) {
    Plan plan = shortest_plan(std::move(yard), trial_->state);
    plan.reason = Reason::Trial;
    plan.holds_for = std::max<Index>(trial_->until_calls - calls_, 1);
    return plan;
  }
  Plan plan = chosen(std::move(yard));
  const auto other = worth_trying(plan);
  if (!other) return is_kernel_worth_trying(plan) ? trial_of_kernel(std::move(plan)) : plan;
  plan = shortest_plan(std::move(plan.yard), *other);
  plan.reason = Reason::Trial;
  plan.holds_for = trial_calls;
  return plan;
}

void Dispatcher::follow(const Plan& plan) {
  const State target = plan.target();
  const bool returns = at_ && *at_ != target && ledger_.calls(target) > 0;
  if (returns && !reproducible_ && std::ranges::find(excluded_, *at_) == excluded_.end()) {
    excluded_.push_back(*at_);
  }
  const YardNode& node = *plan.yard.node(target);
  note_trial(plan, node);
  if (at_ == target && variant_ != node.variant) ledger_.leave(target, variant_);
  if (at_ != target || variant_ != node.variant) {
    checks_ = slow_checks_ = next_look_ = 0;
    keeps_times_ = plan.reason == Reason::Trial;  // which is made to learn them
  }
  is_trial_ = plan.reason == Reason::Trial;
  at_ = target;
  variant_ = node.variant;
  other_kernel_ = node.others.best_seconds;
  here_seconds_ = unseen_seconds_ = 0;
  again_seconds_ = node.others.quiet.empty() ? std::numeric_limits<double>::infinity()
                                             : ledger_.forgiving_seconds(target, node.others.quiet);
  expected_seconds_ = node.multiply_seconds;
  y_bytes_ = plan.yard.y_bytes;
  least_elsewhere_ = std::numeric_limits<double>::infinity();
  curious_ = !reproducible_ && node.others.untried_at_best() < node.multiply_seconds &&
             ledger_.calls(target, node.others.untried) == 0;
  for (const YardNode& other : plan.yard.nodes) {
    if (other.state == target) continue;
    const double least = optimistic(other) - node.vector_seconds;
    least_elsewhere_ = std::min(least_elsewhere_, least);
    const bool untried = ledger_.calls(other.state) == 0;
    curious_ = curious_ || (!reproducible_ && untried && least < node.multiply_seconds);
  }
}

void Dispatcher::note_trial(const Plan& plan, const YardNode& node) noexcept {
  if (plan.reason != Reason::Trial || trial_) return;
  if (at_ == node.state) {
    trials_seconds_ += trial_calls * std::max(node.multiply_seconds - expected_seconds_, 0.0);
    return;
  }
  trial_ = {node.state, calls_ + trial_calls, most_for_trials(plan)};
  trials_seconds_ += plan.predicted_seconds - node.seconds(plan.yard.horizon) -
                     node.companion_seconds + trial_calls * node.seconds_per_call();
}

void Dispatcher::note_move(const Step& step, double seconds) noexcept {
  moves_seconds_ += reproducible_ ? step.predicted_seconds : seconds;
  if (reproducible_) return;
  if (trial_) trials_seconds_ += std::max(seconds - step.predicted_seconds, 0.0);
  if (!is_host_conversion(step)) return;
  conversions_.predicted += step.predicted_seconds / conversions_.delay();
  conversions_.measured += seconds;
}

double Dispatcher::Conversions::delay() const noexcept {
  return predicted > 0 ? std::max(measured / predicted, 1.0) : 1;
}

void Dispatcher::delay_conversions(Yard& yard) const {
  const double delay = conversions_.delay();
  if (delay == 1) return;
  for (YardEdge& edge : yard.edges) {
    if (is_host_conversion(edge)) edge.seconds *= delay;
  }
}

bool Dispatcher::note_product(State state, std::string_view variant) {
  ++calls_;
  if (hinted_ > 0) --hinted_;
  ledger_.count(state, variant);
  const bool tried = trial_ && calls_ >= trial_->until_calls;
  if (tried) trial_.reset();
  return tried;
}

}  // namespace switchyard
