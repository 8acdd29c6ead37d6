// Finding in a run's history what its reader wants to know.
#include "outcome_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace switchyard::command {
namespace {

/// Calls in one state, one after another.
struct Visit {
  State state;
  Index calls = 0;
  double measured_seconds = 0;
  Index measured_calls = 0;

  [[nodiscard]] std::optional<double> each() const {
    if (measured_calls < 1) return std::nullopt;
    return measured_seconds / static_cast<double>(measured_calls);
  }
};

std::vector<Visit> visits_of(const Run& run) {
  std::vector<Visit> visits;
  for (const Step& step : run.history) {
    if (step.kind != StepKind::Multiply) continue;
    if (visits.empty() || visits.back().state != step.to) visits.push_back({.state = step.to});
    Visit& visit = visits.back();
    visit.calls += step.calls;
    if (!step.measured_seconds) continue;
    visit.measured_seconds += *step.measured_seconds;
    visit.measured_calls += step.measured_calls;
  }
  return visits;
}

/// What the plan predicted for one call there.
std::optional<double> predicted_each(const Plan& plan, State state) {
  const auto node = std::ranges::find(plan.yard.nodes, state, &YardNode::state);
  if (node == plan.yard.nodes.end()) return std::nullopt;
  return node->multiply_seconds + node->vector_seconds;
}

std::string visit_text(const Visit& visit, const Plan& plan) {
  std::string text =
      fmt::format("{} ({} {}", name(visit.state), visit.calls, visit.calls == 1 ? "call" : "calls");
  if (const auto each = visit.each()) text += ", " + format_seconds(*each) + " each";
  if (const auto each = predicted_each(plan, visit.state)) {
    text += ", predicted " + format_seconds(*each);
  }
  return text + ")";
}

const Alternative* alternative_in(const Plan& plan, State state) {
  const auto found = std::ranges::find(plan.alternatives, state, &Alternative::state);
  return found == plan.alternatives.end() ? nullptr : &*found;
}

/// "3.1x faster than" or "1.2x slower than".
std::string speedup_text(double ratio) {
  return ratio >= 1 ? fmt::format("{:.2g}x faster than", ratio)
                    : fmt::format("{:.2g}x slower than", 1 / ratio);
}

}  // namespace

std::string visits_text(const Run& run, const Plan& plan) {
  const std::vector<Visit> visits = visits_of(run);
  if (visits.empty()) return "none";
  if (visits.size() == 1) return name(visits.front().state);
  std::string text;
  for (const Visit& visit : visits) text += (text.empty() ? "" : " -> ") + visit_text(visit, plan);
  return text;
}

std::string why_it_moved(const Run& run, const Plan& plan, bool hinted) {
  constexpr double off = 1.25;
  const std::vector<Visit> visits = visits_of(run);
  if (visits.size() < 2) return {};
  for (std::size_t i = 0; i + 1 < visits.size(); ++i) {
    const auto measured = visits[i].each();
    const auto predicted = predicted_each(plan, visits[i].state);
    if (!measured || !predicted || *measured < off * *predicted) continue;
    return fmt::format("{} took {:.2g}x its predicted time; measured times override predictions",
                       name(visits[i].state), *measured / *predicted);
  }
  if (hinted) return "times measured on this matrix changed which state is predicted to be fastest";
  return "without a call-count hint, a move is made once enough calls have been seen to pay for it";
}

std::string far_off_text(const Plan& plan) {
  constexpr double far = 2;
  double predicted = 0;
  double measured = 0;
  for (const Step& step : plan.steps) {
    if (!step.measured_seconds) return {};
    const bool is_whole = step.kind != StepKind::Multiply || step.measured_calls == step.calls;
    if (!is_whole) return {};
    predicted += step.predicted_seconds * (1 + step.relative_error);
    measured += *step.measured_seconds;
  }
  const double ratio = measured / plan.predicted_seconds;
  if (measured < far * predicted && ratio > 1 / far) return {};
  return fmt::format("measured {} in total, {:.2g}x the predicted {}; ", format_seconds(measured),
                     ratio, format_seconds(plan.predicted_seconds)) +
         (plan.yard.calibrated
              ? "other programs may be running: repeat, and if it stays so, run 'switchyard doctor'"
              : "predictions use built-in figures: run 'switchyard calibrate'");
}

std::string closing_text(const Plan& plan, const Run& run) {
  const std::size_t calls = run.seconds.size();
  const std::string took = fmt::format("{} {} took {}", calls, calls == 1 ? "call" : "calls",
                                       format_seconds(run.total()));
  const std::string target = name(plan.target());
  if (plan.pinned) return took + " in " + target + ", as asked.";
  for (const State start : plan.yard.valid) {
    const Alternative* const stay = start == plan.target() ? nullptr : alternative_in(plan, start);
    if (!stay) continue;
    const double ratio = run.total() > 0 ? stay->predicted_seconds / run.total() : 1;
    return fmt::format(
        "{}, moving to {} included: {} the {} predicted for {}, where the matrix was.", took,
        target, speedup_text(ratio), format_seconds(stay->predicted_seconds), name(stay->state));
  }
  if (plan.alternatives.empty()) return took + " in " + target + ", the only possible state.";
  const Alternative& next = plan.alternatives.front();
  return fmt::format("{} in {}, where the matrix was; {}, the next best, was predicted to take {}.",
                     took, target, name(next.state), format_seconds(next.predicted_seconds));
}

}  // namespace switchyard::command
