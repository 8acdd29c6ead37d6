// A plan as a page for people.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <switchyard/core/planner.hpp>

#include "explain_words.hpp"

namespace switchyard {
namespace {

// Columns: what, three quantities, and how accurate the prediction is.
constexpr std::size_t label_width = 48;
constexpr std::size_t nesting = 3;
// More would hide the ones that matter.
constexpr std::size_t most_alternatives = 8;
// A call that took so many times as long as the mean of the others was disturbed.
constexpr double outlier_factor = 5;

std::string row(std::string_view label, std::string_view first, std::string_view second,
                std::string_view third, std::string_view accuracy) {
  std::string text = fmt::format("{:<{}}{:>10}{:>11}{:>11}  {}", shortened(label, label_width),
                                 label_width, first, second, third, accuracy);
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string times(Index calls) {
  if (calls == 1) return "once";
  return calls < 1'000'000 ? fmt::format("{} times", calls) : format_count(calls) + " times";
}

std::string step_text(const Step& step) {
  if (step.kind == StepKind::Multiply) {
    return fmt::format("multiply {} in {} [{}]", times(step.calls), name(step.to), step.variant);
  }
  return fmt::format("{} {} -> {}", name(step.kind), name(step.from), name(step.to));
}

/// The error that a prediction keeps within 19 times in 20, and what it is made of.
std::string accuracy_text(const Step& step, bool calibrated) {
  const double percent = 100 * step.relative_error;
  const bool built_in = step.built_in || !calibrated;
  const char* const source = step.price_measured ? "measured" : built_in ? "built-in" : "model";
  const std::string error = !(percent < 999.5) ? ">999" : fmt::format("{:.0f}", std::ceil(percent));
  return fmt::format("{} % {}{}", error, source, step.extrapolated ? " *" : "");
}

/// What was measured of the calls of a multiply, without one that was disturbed.
struct MeasuredCalls {
  double seconds_per_call = 0;
  Index calls = 0;
  std::optional<double> outlier = {};  ///< left out
};

MeasuredCalls measured_calls(const Step& step) {
  const double sum = step.measured_seconds.value_or(0);
  const auto calls = static_cast<double>(step.measured_calls);
  if (step.measured_calls >= 3 && step.slowest_seconds) {
    const double others = (sum - *step.slowest_seconds) / (calls - 1);
    if (*step.slowest_seconds > outlier_factor * others) {
      return {std::max(others, 0.0), step.measured_calls - 1, step.slowest_seconds};
    }
  }
  return {calls > 0 ? sum / calls : 0, step.measured_calls};
}

/// Whether what was measured is the time of the whole step.
bool is_whole(const Step& step) {
  return step.kind != StepKind::Multiply || step.measured_calls == step.calls;
}

/// The measured time of the whole step; with "~" where it is scaled from another number of calls.
std::string measured_text(const Step& step) {
  if (!step.measured_seconds) return "-";
  if (is_whole(step)) return format_seconds(*step.measured_seconds);
  return "~" +
         format_seconds(measured_calls(step).seconds_per_call * static_cast<double>(step.calls));
}

std::string measured_total(const Plan& plan) {
  if (!plan.yard.companions.empty()) return "-";
  double sum = 0;
  for (const Step& step : plan.steps) {
    if (!step.measured_seconds || !is_whole(step)) return "-";
    sum += *step.measured_seconds;
  }
  return format_seconds(sum);
}

std::string rate_text(double bytes, double seconds) {
  if (!(seconds > 0)) return "no time";
  const double rate = bytes / seconds;
  return rate < 1e12 ? fmt::format("{:.3g} GB/s", 1e-9 * rate)
                     : fmt::format("{:.3g} TB/s", 1e-12 * rate);
}

/// Writes the page, section after section.
class Page {
 public:
  Page(const Plan& plan, const TextStyle& style) : plan_(plan), style_(style) {}

  [[nodiscard]] std::string write() {
    add_steps();
    add_rejected();
    add_impossible();
    text_ += '\n';
    add_note("accuracy", accuracy(), !plan_.yard.calibrated || any_extrapolated_ || any_built_in_);
    add_note("why", reason_text(plan_));
    if (plan_.reason == Reason::ShortestPath && !plan_.pinned) {
      add_note("break-even", break_even_text(plan_));
    }
    add_note("vectors", vectors_text(plan_.yard));
    add_note("result", result_text(plan_) + next_step());
    return std::move(text_);
  }

 private:
  void add(std::string_view begin, std::string_view line) {
    if (begin.empty()) {
      text_ += line;
    } else {
      text_.append(begin).append(line).append(style_.end);
    }
    text_ += '\n';
  }
  /// Folded, each line in its style.
  void add_folded(std::string_view begin, std::string_view lead, std::string_view words) {
    const std::string lines = folded(lead, words);
    for (std::size_t at = 0; at < lines.size();) {
      const std::size_t end = lines.find('\n', at);
      add(begin, std::string_view(lines).substr(at, end - at));
      at = end + 1;
    }
  }
  void add_note(std::string_view lead, const std::string& words, bool warns = false) {
    add_folded(warns ? style_.warning : std::string_view{}, fmt::format("{:<11}", lead), words);
  }
  void note_sources(const Step& step) {
    any_extrapolated_ = any_extrapolated_ || step.extrapolated;
    any_measured_ = any_measured_ || step.price_measured;
    any_built_in_ = any_built_in_ || step.built_in;
  }

  [[nodiscard]] std::string title() const {
    std::string title = "Plan for " + calls_text(plan_.yard.horizon);
    if (plan_.yard.request != Request{}) title += ", " + name(plan_.yard.request);
    const bool is_unknown = plan_.reason == Reason::UnknownCalls && !plan_.pinned;
    return is_unknown ? title + " (number unknown)" : title;
  }

  void add_steps() {
    add(style_.heading, row(title(), "predicted", "measured", "bytes", "accuracy"));
    std::size_t depth = 0;
    for (auto step = plan_.steps.rbegin(); step != plan_.steps.rend(); ++step) {
      const bool is_root = depth == 0;
      const std::string indent(nesting * depth++, ' ');
      add(is_root ? style_.chosen : std::string_view{},
          row(indent + "-> " + step_text(*step), format_seconds(step->predicted_seconds),
              measured_text(*step), step->bytes > 0 ? format_bytes(step->bytes) : "",
              accuracy_text(*step, plan_.yard.calibrated)));
      if (is_root) add_call(*step);
      note_sources(*step);
    }
    add({}, std::string(nesting * depth, ' ') + "-> " + name(plan_.steps.front().from) +
                ", where the matrix is");
    add_companions();
    add({},
        row("   total", format_seconds(plan_.predicted_seconds), measured_total(plan_), "", ""));
  }

  /// The calls of other requests that the plan counts on.
  void add_companions() {
    for (const Companion& other : plan_.yard.companions) {
      if (other.from != plan_.target()) continue;
      add({}, row("   other calls", format_seconds(other.seconds), "", "", ""));
      add_folded(style_.faint, "     ",
                 fmt::format("{}, {}, in {}, with the way there", name(other.request),
                             times(other.calls), name(other.state)));
    }
  }

  /// What one of the calls costs, and of what.
  void add_call(const Step& step) {
    const YardNode* const node = plan_.yard.node(step.to);
    if (!node) return;
    std::string words = "each call " + format_seconds(node->seconds_per_call());
    if (node->vector_seconds > 0) {
      words +=
          fmt::format(": multiplication {}, vectors {}", format_seconds(node->multiply_seconds),
                      format_seconds(node->vector_seconds));
    }
    if (node->matrix_bytes > 0) {
      words += fmt::format("; reads {} of the matrix, {}", format_bytes(node->matrix_bytes),
                           rate_text(node->matrix_bytes, node->multiply_seconds));
    }
    if (node->travel_bytes > 0) {
      words += "; transfers " + format_bytes(node->travel_bytes) + " of vectors";
    }
    add_folded(style_.faint, "     ", words);
    if (node->once_seconds > 0) {
      add_folded(style_.faint, "     ",
                 "one-off " + format_seconds(node->once_seconds) +
                     ": kernel builds and vector transfers before the first call");
    }
    add_measured(step, *node);
    constexpr double worth_saying = 0.1;
    if (node->stalled_share >= worth_saying) {
      add_folded(style_.faint, "     ",
                 fmt::format("{:.0f} % of that is waiting for processors that other programs use",
                             100 * node->stalled_share));
    }
  }

  void add_measured(const Step& step, const YardNode& node) {
    if (!step.measured_seconds || step.measured_calls < 1) return;
    const MeasuredCalls measured = measured_calls(step);
    std::string words =
        fmt::format("measured {} per call over {}", format_seconds(measured.seconds_per_call),
                    calls_text(measured.calls));
    if (node.matrix_bytes > 0) {
      words += ", " + rate_text(node.matrix_bytes, measured.seconds_per_call);
    }
    if (measured.outlier) {
      words += fmt::format("; an outlier of {} is left out of this mean",
                           format_seconds(*measured.outlier));
    }
    add_folded(style_.faint, "     ", words);
  }

  void add_rejected() {
    if (plan_.alternatives.empty()) return;
    add(style_.heading, row("Rejected", "predicted", "extra cost", "factor", "accuracy"));
    const std::size_t shown = std::min(plan_.alternatives.size(), most_alternatives);
    for (std::size_t k = 0; k < shown; ++k) add_alternative(plan_.alternatives[k]);
    const std::size_t left_out = plan_.alternatives.size() - shown;
    if (left_out == 0) return;
    add_folded(style_.faint, "   ",
               fmt::format("{} slower state{} not shown, from {} on; --json lists all", left_out,
                           left_out == 1 ? "" : "s",
                           format_seconds(plan_.alternatives[shown].predicted_seconds)));
  }

  void add_alternative(const Alternative& other) {
    const Plan path = shortest_plan(plan_.yard, other.state);
    const double more = other.predicted_seconds - plan_.predicted_seconds;
    const Step& multiply = path.multiply_step();
    add({}, row("   " + name(other.state), format_seconds(other.predicted_seconds),
                (more < 0 ? "" : "+") + format_seconds(more),
                format_ratio(other.predicted_seconds / plan_.predicted_seconds),
                accuracy_text(multiply, plan_.yard.calibrated)));
    add_folded(style_.faint, "     ", path_text(path));
    if (too_close_to_call(plan_, path)) {
      close_.push_back(other.state);
      close_extrapolated_ = close_extrapolated_ || multiply.extrapolated;
      add_folded(style_.warning, "     ",
                 "too close to call: the difference is within the prediction errors");
    }
    note_sources(multiply);
  }

  [[nodiscard]] std::string path_text(const Plan& path) const {
    std::string words;
    for (const Step& step : path.steps) {
      if (step.kind == StepKind::Multiply) continue;
      words += fmt::format("{} -> {} {} ({}), ", name(step.kind), name(step.to),
                           format_seconds(step.predicted_seconds), format_bytes(step.bytes));
    }
    const Step& multiply = path.multiply_step();
    words += fmt::format("multiply [{}] {} ({})", multiply.variant,
                         format_seconds(multiply.predicted_seconds), format_bytes(multiply.bytes));
    const YardNode& node = *plan_.yard.node(multiply.to);
    const double vectors = static_cast<double>(multiply.calls) * node.vector_seconds;
    if (vectors > 0) words += fmt::format(", of which vectors {}", format_seconds(vectors));
    if (node.once_seconds > 0) {
      words += fmt::format("{} one-off {}", vectors > 0 ? "," : ", of which",
                           format_seconds(node.once_seconds));
    }
    return words;
  }

  /// States of one format that are refused for the same reason.
  struct RefusedGroup {
    Format format;
    std::string states;  // "ell@host, @device0"
    std::string reason;
  };

  void add_impossible() {
    if (plan_.yard.refused.empty()) return;
    add(style_.heading, "Not considered");
    std::vector<RefusedGroup> groups;
    for (const RefusedState& refused : plan_.yard.refused) {
      const std::string reason = refused.reason.text();
      const auto same = std::ranges::find_if(groups, [&](const RefusedGroup& group) {
        return group.format == refused.state.format && group.reason == reason;
      });
      if (same == groups.end()) {
        groups.push_back({refused.state.format, name(refused.state), reason});
      } else {
        same->states += ", @" + name(refused.state.space);
      }
    }
    for (const RefusedGroup& group : groups) {
      add_folded({}, fmt::format("   {:<22} ", group.states), group.reason);
    }
  }

  [[nodiscard]] std::string accuracy() const {
    std::string words =
        plan_.yard.calibrated
            ? "95 % of predictions fall within the error shown (100 %: half to twice the time)"
            : "predictions come from built-in models that were not calibrated on this machine; "
              "expect errors of a factor of two or more";
    if (any_measured_) words += "; 'measured': from this matrix's own times instead of a model";
    if (plan_.yard.calibrated && any_built_in_) {
      words += "; 'built-in': calibration has no model of this, expect a factor of two or more";
    }
    if (any_extrapolated_) words += "; * extrapolated beyond the calibrated sizes";
    return words + expected_text();
  }

  /// Why some figures are above what the models predict.
  [[nodiscard]] std::string expected_text() const {
    constexpr double worth_expecting = 1.1;
    std::string words;
    const auto& nodes = plan_.yard.nodes;
    for (auto node = nodes.begin(); node != nodes.end();) {  // nodes come space by space
      const Space space = node->state.space;
      double most = 1;
      for (; node != nodes.end() && node->state.space == space; ++node) {
        most = std::max(most, node->expected_factor);
      }
      if (most < worth_expecting) continue;
      words += fmt::format(
          "; {}: measured states took longer than predicted, so up to {:.2g}x is expected of the "
          "others",
          name(space), most);
    }
    return words;
  }

  /// What the reader can do where the choice is uncertain.
  [[nodiscard]] std::string next_step() const {
    if (!plan_.yard.calibrated || any_built_in_) {
      return " For accurate predictions run 'switchyard calibrate'.";
    }
    if (close_.empty()) return "";
    std::string words = " Too close to call against ";
    for (std::size_t k = 0; k < close_.size(); ++k) {
      words += (k == 0 ? "" : k + 1 < close_.size() ? ", " : " and ") + name(close_[k]);
    }
    return words + (plan_.multiply_step().extrapolated || close_extrapolated_
                        ? ": 'switchyard calibrate --thorough' covers larger sizes."
                        : ": 'switchyard multiply --state STATE' measures a state.");
  }

  const Plan& plan_;
  const TextStyle& style_;
  std::string text_;
  bool any_extrapolated_ = false;
  bool any_measured_ = false;
  bool any_built_in_ = false;
  std::vector<State> close_;  ///< shown, and too close to call
  bool close_extrapolated_ = false;
};

}  // namespace

std::string explain_plan(const Plan& plan, const TextStyle& style) {
  return Page(plan, style).write();
}

}  // namespace switchyard
