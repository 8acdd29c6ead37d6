// Plans in sentences.
#include "explain_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <switchyard/core/dispatcher.hpp>

namespace switchyard {
namespace {

/// "read by the program after each call".
std::string share_text(std::string_view what, std::string_view when, double share) {
  if (share <= 0) return fmt::format("never {} by the program", what);
  if (share >= 1) return fmt::format("{} by the program {} each call", what, when);
  return fmt::format("{} by the program {} {:.0f} % of the calls", what, when, 100 * share);
}

std::string spaces_text(std::uint64_t mask) {
  std::string text;
  for (int i = 0; i < 64; ++i) {
    if (!(mask >> i & 1)) continue;
    text += (text.empty() ? "" : " and ") +
            (i == 0 ? std::string("the host") : name(Space::device(i - 1)));
  }
  return text.empty() ? "nowhere yet" : "on " + text;
}

std::string size_text(double bytes) {
  return bytes > 0 ? " (" + format_bytes(bytes) + ")" : std::string();
}

std::string shortest_path_text(const Plan& plan) {
  const Index horizon = plan.yard.horizon;
  const bool has_faster = !plan.alternatives.empty() &&
                          plan.alternatives.front().predicted_seconds < plan.predicted_seconds;
  std::string words =
      has_faster ? fmt::format("no other state is more than {:.0f} % faster for the {} expected",
                               100 * Dispatcher::margin, calls_text(horizon))
                 : "lowest predicted total for the " + calls_text(horizon) + " expected";
  if (plan.holds_for && plan.steps.size() == 1 && *plan.holds_for < horizon) {
    words += fmt::format("; planned again after {}", calls_text(*plan.holds_for));
  }
  return words;
}

std::string unknown_calls_text(const Plan& plan) {
  const std::string words = fmt::format(
      "number of calls unknown ({} so far); guaranteed at most {:.3g}x the best fixed "
      "choice, if the predictions hold",
      plan.yard.horizon - 1, plan.bound);
  return words + (plan.holds_for ? "; moves on after " + calls_text(*plan.holds_for) + " more"
                                 : "; stays for any number of further calls");
}

/// Of the states that hold the matrix, but for the one chosen, the best to compute in; else the
/// best of all. Null where there is no other.
const Alternative* compared_with(const Plan& plan) {
  if (plan.alternatives.empty()) return nullptr;
  if (!plan.yard.is_valid(plan.target())) {
    for (const Alternative& other : plan.alternatives) {
      if (plan.yard.is_valid(other.state)) return &other;
    }
  }
  return &plan.alternatives.front();
}

}  // namespace

std::string calls_text(Index calls) {
  if (calls == 1) return "1 call";
  return (calls < 1'000'000 ? fmt::format("{}", calls) : format_count(calls)) + " calls";
}

std::string reason_text(const Plan& plan) {
  const std::string target = name(plan.target());
  if (plan.pinned) return "the program pinned the matrix to " + target;
  switch (plan.reason) {
    case Reason::UnknownCalls:
      return unknown_calls_text(plan);
    case Reason::Trial:
      return fmt::format(
          "trial of {}: {} may be faster than predicted. Trials take at most {:.0f} % of the total "
          "time; then the measured times decide",
          calls_text(plan.holds_for.value_or(1)), target, 100 * Dispatcher::trial_share);
    case Reason::ShortestPath:
      break;
  }
  return shortest_path_text(plan);
}

std::string break_even_text(const Plan& plan) {
  std::string words;
  if (plan.changes_below) {
    words = fmt::format("below {}, {} would be chosen", calls_text(*plan.changes_below),
                        name(plan.changes_below_state.value_or(plan.target())));
  }
  if (plan.changes_from) {
    words += fmt::format("{}from {} on, {} would be chosen", words.empty() ? "" : "; ",
                         calls_text(*plan.changes_from),
                         name(plan.changes_from_state.value_or(plan.target())));
  }
  return words.empty() ? "none: the choice is the same for any number of calls" : words;
}

std::string vectors_text(const Yard& yard) {
  const VectorWork& work = yard.vectors.between;
  std::string words = fmt::format(
      "x{} is {}, {}; y{} is {}, {}", size_text(yard.x_bytes), spaces_text(yard.vectors.x_valid),
      share_text("written", "before", yard.vectors.x_fresh), size_text(yard.y_bytes),
      spaces_text(yard.vectors.y_valid), share_text("read", "after", yard.vectors.y_read));
  if (work.operations > 0) {
    words += fmt::format("; {} vector operations between calls, {} of them reductions",
                         work.operations, work.sums);
  }
  return words;
}

bool too_close_to_call(const Plan& plan, const Plan& other) {
  double most = 0;
  for (const Step& step : plan.steps) {
    most += step.predicted_seconds * (1 + step.relative_error);
  }
  double least = 0;
  for (const Step& step : other.steps) {
    least += step.predicted_seconds / (1 + step.relative_error);
  }
  return least < plan.predicted_seconds || most > other.predicted_seconds;
}

std::string result_text(const Plan& plan) {
  const std::string target = name(plan.target());
  const bool stays = plan.yard.is_valid(plan.target());
  std::string words = plan.pinned ? "The program chose " : "Switchyard chose ";
  words += target + (stays ? ", where the matrix is" : "");
  const Alternative* const other = compared_with(plan);
  if (!other) return words + (plan.pinned ? "." : ": no other state is possible.");
  const double factor = other->predicted_seconds / plan.predicted_seconds;
  const std::string role = plan.yard.is_valid(other->state) ? ", where the matrix is" : "";
  return words + fmt::format(": predicted {} {} than {}{}.",
                             format_ratio(factor < 1 ? 1 / factor : factor),
                             factor < 1 ? "slower" : "faster", name(other->state), role);
}

}  // namespace switchyard
