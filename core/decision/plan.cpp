// Plans: their words, what was measured beside them, and the one line of the debug log.
#include <fmt/format.h>

#include <algorithm>
#include <switchyard/core/plan.hpp>

namespace switchyard {
namespace {

/// "[csr/vector]" for the log: format and kernel variant of a multiply.
std::string kernel_name(const Step& step) {
  return fmt::format("{}/{}", name(step.to.format), step.variant);
}

}  // namespace

Refusal Refusal::fixed(std::string_view text) noexcept {
  Refusal refusal;
  refusal.fixed_ = text;
  return refusal;
}

Refusal Refusal::too_large(double factor, Format smaller, double limit) noexcept {
  Refusal refusal;
  refusal.factor_ = factor;
  refusal.smaller_ = smaller;
  refusal.limit_ = limit;
  return refusal;
}

std::string Refusal::text() const {
  if (factor_ > 0) {
    return fmt::format("takes {} the memory of {}; more than {:.2g}x is not considered",
                       format_ratio(factor_), name(smaller_), limit_);
  }
  return own_.empty() ? std::string(fixed_) : own_;
}

std::string_view name(StepKind kind) noexcept {
  switch (kind) {
    case StepKind::Convert:
      return "convert";
    case StepKind::Transfer:
      return "transfer";
    case StepKind::Map:
      return "map";
    case StepKind::MapRows:
      return "map_rows";
    case StepKind::Reduce:
      return "reduce";
    case StepKind::Multiply:
      break;
  }
  return "multiply";
}

std::string_view name(Reason reason) noexcept {
  switch (reason) {
    case Reason::UnknownCalls:
      return "unknown calls";
    case Reason::Trial:
      return "trial";
    case Reason::ShortestPath:
      break;
  }
  return "shortest path";
}

const YardNode* Yard::node(State state) const noexcept {
  const auto found = std::ranges::find(nodes, state, &YardNode::state);
  return found == nodes.end() ? nullptr : &*found;
}

bool Yard::is_valid(State state) const noexcept {
  return std::ranges::find(valid, state) != valid.end();
}

Plan with_measurements(Plan plan, const std::vector<Step>& history) {
  for (Step& step : plan.steps) {
    for (const Step& done : history) {
      const bool same = done.kind == step.kind && done.request == step.request &&
                        done.from == step.from && done.to == step.to;
      if (!same || !done.measured_seconds) continue;
      const bool adds_up = step.kind == StepKind::Multiply;
      step.measured_seconds =
          *done.measured_seconds + (adds_up ? step.measured_seconds.value_or(0) : 0);
      step.measured_calls = done.measured_calls + (adds_up ? step.measured_calls : 0);
      if (done.slowest_seconds) {
        step.slowest_seconds = std::max(step.slowest_seconds.value_or(0), *done.slowest_seconds);
      }
    }
  }
  return plan;
}

std::string plan_line(const Plan& plan, std::string_view subject) {
  const Yard& yard = plan.yard;
  // What is asked is named where it is not the plain y = A x.
  const std::string request = yard.request == Request{} ? "" : " [" + name(yard.request) + "]";
  std::string line = fmt::format("plan {}{} calls={}: {}", subject, request, yard.horizon,
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
  const bool stays = plan.yard.is_valid(next.state);
  return line + fmt::format("; next: {}{} {}", stays ? "stay " : "", name(next.state),
                            format_seconds(next.predicted_seconds));
}

}  // namespace switchyard
