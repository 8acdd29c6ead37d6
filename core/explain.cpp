// Plans in words: one line for the log, a page for people.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <switchyard/core/plan.hpp>

namespace switchyard {
namespace {

/// "[csr/vector]" for the log: format and kernel variant of a multiply.
std::string kernel_name(const Step& step) {
  return fmt::format("{}/{}", name(step.to.format), step.variant);
}

std::string measured_text(const Step& step) {
  if (!step.measured_seconds) return "-";
  return format_seconds(*step.measured_seconds);
}

std::string step_text(const Step& step) {
  if (step.kind == StepKind::Multiply) {
    return fmt::format("multiply {} in {} [{}]",
                       step.calls == 1 ? "once" : fmt::format("{} times", step.calls),
                       name(step.to), step.variant);
  }
  return fmt::format("{} {} -> {}", name(step.kind), name(step.from), name(step.to));
}

/// Why the plan goes where it goes, where that is not simply the shortest path.
std::string grounds_text(const Plan& plan) {
  const std::string until =
      plan.holds_for ? fmt::format("; looked at again in {} calls", *plan.holds_for) : "";
  switch (plan.grounds) {
    case Grounds::ShortestPath:
      return "";
    case Grounds::UnknownCalls:
      return fmt::format(
          "Nobody says how many calls are to come: at most {:.3g} times the best in hindsight{}.\n",
          plan.bound, until);
    case Grounds::Trial:
      break;
  }
  return "Tried because it may be better than predicted" + until + ".\n";
}

}  // namespace

std::string_view name(StepKind kind) noexcept {
  switch (kind) {
    case StepKind::Convert:
      return "convert";
    case StepKind::Transfer:
      return "transfer";
    case StepKind::Multiply:
      break;
  }
  return "multiply";
}

std::string_view name(Grounds grounds) noexcept {
  switch (grounds) {
    case Grounds::UnknownCalls:
      return "unknown calls";
    case Grounds::Trial:
      return "trial";
    case Grounds::ShortestPath:
      break;
  }
  return "shortest path";
}

std::string format_seconds(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  const double magnitude = std::abs(seconds);
  const auto [scale, unit] = magnitude >= 1 || magnitude == 0 ? std::pair(1.0, "s")
                             : magnitude >= 1e-3              ? std::pair(1e3, "ms")
                             : magnitude >= 1e-6              ? std::pair(1e6, "us")
                                                              : std::pair(1e9, "ns");
  const double value = seconds * scale;
  const int digits = std::abs(value) >= 100 ? 0 : std::abs(value) >= 10 ? 1 : 2;
  return fmt::format("{:.{}f}{}", value, digits, unit);
}

std::string format_count(Index count) {
  if (count < 1000) return fmt::format("{}", count);
  constexpr std::string_view units = "kMGTPE";
  auto value = static_cast<double>(count);
  std::size_t unit = 0;
  for (value /= 1000; value >= 999.5 && unit + 1 < units.size(); value /= 1000) ++unit;
  const int digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return fmt::format("{:.{}f}{}", value, digits, units[unit]);
}

Plan with_measurements(Plan plan, const std::vector<Step>& history) {
  for (Step& step : plan.steps) {
    for (const Step& done : history) {
      const bool same = done.kind == step.kind && done.from == step.from && done.to == step.to;
      if (!same || !done.measured_seconds) continue;
      const bool adds_up = step.kind == StepKind::Multiply;
      step.measured_seconds =
          *done.measured_seconds + (adds_up ? step.measured_seconds.value_or(0) : 0);
      step.measured_calls = done.measured_calls + (adds_up ? step.measured_calls : 0);
    }
  }
  return plan;
}

std::string plan_line(const Plan& plan, std::string_view subject) {
  std::string line = fmt::format("plan {} calls={}: {}", subject, plan.yard.horizon,
                                 name(plan.steps.front().from));
  for (const Step& step : plan.steps) {
    const std::string time = format_seconds(step.predicted_seconds);
    if (step.kind == StepKind::Multiply) {
      line += fmt::format(" -multiply[{}] {}", kernel_name(step), time);
    } else {
      line += fmt::format(" -{} {}-> {}", name(step.kind), time, name(step.to));
    }
  }
  line += fmt::format(" = {}", format_seconds(plan.predicted_seconds));
  if (plan.alternatives.empty()) return line + "; no alternative";
  const Alternative& next = plan.alternatives.front();
  const bool stays = std::ranges::find(plan.yard.valid, next.state) != plan.yard.valid.end();
  return line + fmt::format("; next: {}{} {}", stays ? "stay " : "", name(next.state),
                            format_seconds(next.predicted_seconds));
}

std::string explain_plan(const Plan& plan) {
  std::string text = fmt::format("{:<52} {:>10} {:>10}\n", "Plan", "predicted", "measured");
  for (const Step& step : plan.steps) {
    text += fmt::format("  {:<50} {:>10} {:>10}\n", step_text(step),
                        format_seconds(step.predicted_seconds), measured_text(step));
  }
  text += fmt::format("  {:<50} {:>10}\n", "total", format_seconds(plan.predicted_seconds));
  if (!plan.alternatives.empty()) text += "Rejected\n";
  for (const Alternative& other : plan.alternatives) {
    const double ratio = other.predicted_seconds / plan.predicted_seconds;
    text += fmt::format("  {:<50} {:>10} {:>9.2f}x\n", name(other.state),
                        format_seconds(other.predicted_seconds), ratio);
  }
  for (const RefusedState& refused : plan.yard.refused) {
    text += fmt::format("  {:<50} {:>10}\n", name(refused.state), refused.reason);
  }
  text += grounds_text(plan);
  if (plan.grounds != Grounds::ShortestPath) return text;
  if (plan.changes_from)
    text += fmt::format("From {} calls on, the choice changes.\n", *plan.changes_from);
  if (plan.changes_below) {
    text += fmt::format("Below {} calls, another state would be chosen.\n", *plan.changes_below);
  }
  return text;
}

}  // namespace switchyard
