// A plan as a page for people.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <switchyard/core/dispatcher.hpp>
#include <switchyard/core/planner.hpp>

namespace switchyard {
namespace {

// Columns: what, three quantities, and how sure the price is.
constexpr std::size_t label_width = 50;
constexpr std::size_t nesting = 3;

std::string row(std::string_view label, std::string_view first, std::string_view second,
                std::string_view third, std::string_view price) {
  std::string text = fmt::format("{:<{}}{:>10}{:>10}{:>11}  {}", shortened(label, label_width),
                                 label_width, first, second, third, price);
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string times(Index calls) {
  if (calls == 1) return "once";
  return calls < 1'000'000 ? fmt::format("{} times", calls) : format_count(calls) + " times";
}

std::string products(Index calls) {
  if (calls == 1) return "1 product";
  return (calls < 1'000'000 ? fmt::format("{}", calls) : format_count(calls)) + " products";
}

std::string step_text(const Step& step) {
  if (step.kind == StepKind::Multiply) {
    return fmt::format("multiply {} in {} [{}]", times(step.calls), name(step.to), step.variant);
  }
  return fmt::format("{} {} -> {}", name(step.kind), name(step.from), name(step.to));
}

/// Where a step's price comes from, and how far off it may be.
std::string price_text(const Step& step, bool calibrated) {
  const double percent = 100 * step.relative_error;
  const char* const source = step.price_measured ? "measured" : calibrated ? "model" : "built-in";
  const std::string off = !(percent < 999.5) ? ">999" : fmt::format("{:.0f}", std::ceil(percent));
  return fmt::format("{} {} %{}", source, off, step.extrapolated ? " *" : "");
}

/// The measured time of the whole step; with "~" where it is the mean of other calls than the
/// planned ones.
std::string measured_text(const Step& step) {
  if (!step.measured_seconds) return "-";
  const bool is_whole = step.kind != StepKind::Multiply || step.measured_calls == step.calls;
  if (is_whole) return format_seconds(*step.measured_seconds);
  const auto share = static_cast<double>(step.calls) / static_cast<double>(step.measured_calls);
  return "~" + format_seconds(*step.measured_seconds * share);
}

std::string measured_total(const Plan& plan) {
  double sum = 0;
  for (const Step& step : plan.steps) {
    const bool is_whole = step.kind != StepKind::Multiply || step.measured_calls == step.calls;
    if (!step.measured_seconds || !is_whole) return "-";
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

/// The least (most) that a plan takes if each model is as far off as it may be.
double at_least(const Plan& plan) {
  double sum = 0;
  for (const Step& step : plan.steps) sum += step.predicted_seconds / (1 + step.relative_error);
  return sum;
}
double at_most(const Plan& plan) {
  double sum = 0;
  for (const Step& step : plan.steps) sum += step.predicted_seconds * (1 + step.relative_error);
  return sum;
}

/// "read by the program after each product".
std::string share_text(std::string_view what, std::string_view when, double share) {
  if (share <= 0) return fmt::format("never {} by the program", what);
  if (share >= 1) return fmt::format("{} by the program {} each product", what, when);
  return fmt::format("{} by the program {} {:.0f} products in 100", what, when, 100 * share);
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

/// Writes the page, section after section.
class Page {
 public:
  Page(const Plan& plan, const TextStyle& style) : plan_(plan), style_(style) {}

  [[nodiscard]] std::string write() {
    add_steps();
    add_rejected();
    add_impossible();
    text_ += '\n';
    add_note("why", why());
    if (plan_.reason == Reason::ShortestPath && !plan_.pinned) add_note("turns", turns());
    add_note("sure", how_sure(), !plan_.yard.calibrated || any_extrapolated_);
    add_note("x and y", vectors());
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
    add_folded(warns ? style_.warning : std::string_view{}, fmt::format("{:<9}", lead), words);
  }

  void add_steps() {
    add(style_.heading, row("Plan for " + products(plan_.yard.horizon), "predicted", "measured",
                            "bytes", "price, off by"));
    std::size_t depth = 0;
    for (auto step = plan_.steps.rbegin(); step != plan_.steps.rend(); ++step) {
      const bool is_root = depth == 0;
      const std::string indent(nesting * depth++, ' ');
      add(is_root ? style_.chosen : std::string_view{},
          row(indent + "-> " + step_text(*step), format_seconds(step->predicted_seconds),
              measured_text(*step), step->bytes > 0 ? format_bytes(step->bytes) : "",
              price_text(*step, plan_.yard.calibrated)));
      if (is_root) add_products(*step);
      any_extrapolated_ = any_extrapolated_ || step->extrapolated;
      any_measured_ = any_measured_ || step->price_measured;
    }
    add({}, std::string(nesting * depth, ' ') + "-> " + name(plan_.steps.front().from) +
                ", where the matrix is");
    add({},
        row("   total", format_seconds(plan_.predicted_seconds), measured_total(plan_), "", ""));
  }

  /// What one of the products costs, and of what.
  void add_products(const Step& step) {
    const YardNode* const node = plan_.yard.node(step.to);
    if (!node) return;
    const double each = node->multiply_seconds + node->vector_seconds;
    std::string words = "each " + format_seconds(each);
    if (node->vector_seconds > 0) {
      words += fmt::format(": the product {}, x and y {}", format_seconds(node->multiply_seconds),
                           format_seconds(node->vector_seconds));
    }
    if (node->matrix_bytes > 0) {
      words += fmt::format("; reads {} of the matrix, {}", format_bytes(node->matrix_bytes),
                           rate_text(node->matrix_bytes, node->multiply_seconds));
    }
    if (node->travel_bytes > 0) words += "; " + format_bytes(node->travel_bytes) + " travel";
    add_folded(style_.faint, "     ", words);
    if (node->once_seconds > 0) {
      add_folded(style_.faint, "     ",
                 "once " + format_seconds(node->once_seconds) +
                     ": a kernel to build, or a vector to bring");
    }
    if (!step.measured_seconds || step.measured_calls < 1) return;
    const double measured = *step.measured_seconds / static_cast<double>(step.measured_calls);
    words = fmt::format("measured {} each over {}", format_seconds(measured),
                        products(step.measured_calls));
    if (node->matrix_bytes > 0) words += ", " + rate_text(node->matrix_bytes, measured);
    add_folded(style_.faint, "     ", words);
  }

  void add_rejected() {
    if (plan_.alternatives.empty()) return;
    add(style_.heading, row("Rejected", "predicted", "dearer by", "ratio", "price, off by"));
    for (const Alternative& other : plan_.alternatives) {
      const Plan way = shortest_plan(plan_.yard, other.state);
      const double more = other.predicted_seconds - plan_.predicted_seconds;
      const double ratio = other.predicted_seconds / plan_.predicted_seconds;
      const Step& product = way.multiply_step();
      add({}, row("   " + name(other.state), format_seconds(other.predicted_seconds),
                  (more < 0 ? "" : "+") + format_seconds(more), format_ratio(ratio),
                  price_text(product, plan_.yard.calibrated)));
      add_folded(style_.faint, "     ", way_text(way));
      const bool close =
          at_least(way) < plan_.predicted_seconds || at_most(plan_) > other.predicted_seconds;
      if (close) {
        add_folded(style_.warning, "     ", "so close that the prices cannot tell the two apart");
      }
      any_extrapolated_ = any_extrapolated_ || product.extrapolated;
      any_measured_ = any_measured_ || product.price_measured;
    }
  }

  [[nodiscard]] std::string way_text(const Plan& way) const {
    std::string words;
    for (const Step& step : way.steps) {
      if (step.kind == StepKind::Multiply) continue;
      words += fmt::format("{} -> {} {} ({}), ", name(step.kind), name(step.to),
                           format_seconds(step.predicted_seconds), format_bytes(step.bytes));
    }
    const Step& product = way.multiply_step();
    words += fmt::format("multiply [{}] {} ({})", product.variant,
                         format_seconds(product.predicted_seconds), format_bytes(product.bytes));
    const YardNode& node = *plan_.yard.node(product.to);
    const double vectors = static_cast<double>(product.calls) * node.vector_seconds;
    if (vectors > 0) words += ", " + format_seconds(vectors) + " of it for x and y";
    if (node.once_seconds > 0) words += ", " + format_seconds(node.once_seconds) + " of it once";
    return words;
  }

  void add_impossible() {
    if (plan_.yard.refused.empty()) return;
    add(style_.heading, "Not possible");
    for (const RefusedState& refused : plan_.yard.refused) {
      add_folded({}, fmt::format("   {:<15} ", name(refused.state)), refused.reason);
    }
  }

  [[nodiscard]] std::string why() const {
    const Index made = plan_.yard.horizon - 1;
    const std::string target = name(plan_.target());
    if (plan_.pinned) return "the program pinned the matrix to " + target;
    switch (plan_.reason) {
      case Reason::UnknownCalls:
        return fmt::format(
                   "nobody says how many products are to come; {} made so far. Whenever they end, "
                   "all of it takes at most {:.3g} times what the best single state in hindsight "
                   "would have",
                   made, plan_.bound) +
               (plan_.holds_for
                    ? fmt::format("; another state will be worth going to after {} more",
                                  products(*plan_.holds_for))
                    : "; no other state will ever be worth going to");
      case Reason::Trial:
        return fmt::format(
            "a trial of {} more: {} may be better than its price says. Trials take at most "
            "{:.0f} % of all products' time; then it is decided by what was measured",
            products(plan_.holds_for.value_or(1)), target, 100 * Dispatcher::trial_share);
      case Reason::ShortestPath:
        break;
    }
    return shortest_path_words();
  }

  [[nodiscard]] std::string shortest_path_words() const {
    const Index horizon = plan_.yard.horizon;
    const bool stays = !plan_.alternatives.empty() &&
                       plan_.alternatives.front().predicted_seconds < plan_.predicted_seconds;
    std::string words = stays ? "stays, since no other state is better by more than noise for "
                              : "the cheapest way to ";
    words += "the " + products(horizon) + " to come";
    if (plan_.holds_for && plan_.steps.size() == 1 && *plan_.holds_for < horizon) {
      words += fmt::format("; looked at again after {}", products(*plan_.holds_for));
    }
    return words;
  }

  [[nodiscard]] std::string turns() const {
    std::string words;
    if (plan_.changes_below) {
      words = fmt::format("below {}, {} would be chosen", products(*plan_.changes_below),
                          name(plan_.changes_below_state.value_or(plan_.target())));
    }
    if (plan_.changes_from) {
      words += fmt::format("{}from {} on, {} would be chosen", words.empty() ? "" : "; ",
                           products(*plan_.changes_from),
                           name(plan_.changes_from_state.value_or(plan_.target())));
    }
    return words.empty() ? "never: the choice is the same for any number of products" : words;
  }

  [[nodiscard]] std::string how_sure() const {
    std::string words =
        plan_.yard.calibrated
            ? "19 of 20 prices are off by no more than the percentage beside them"
            : "prices are built-in figures that nobody measured on this machine, off by a factor "
              "of two or more; 'switchyard calibrate' measures them";
    if (any_measured_) words += "; 'measured' is this matrix's own time, which goes before a model";
    if (any_extrapolated_) words += "; *: the matrix lies outside what was calibrated";
    return words;
  }

  [[nodiscard]] std::string vectors() const {
    const Yard& yard = plan_.yard;
    const auto size = [](double bytes) {
      return bytes > 0 ? " (" + format_bytes(bytes) + ")" : std::string();
    };
    const VectorWork& work = yard.vectors.between;
    std::string words = fmt::format(
        "x{} is {}, {}; y{} is {}, {}", size(yard.x_bytes), spaces_text(yard.vectors.x_valid),
        share_text("written", "before", yard.vectors.x_fresh), size(yard.y_bytes),
        spaces_text(yard.vectors.y_valid), share_text("read", "after", yard.vectors.y_read));
    if (work.operations > 0) {
      words += fmt::format("; between products {} vector operations, {} of them sums",
                           work.operations, work.sums);
    }
    return words;
  }

  const Plan& plan_;
  const TextStyle& style_;
  std::string text_;
  bool any_extrapolated_ = false;
  bool any_measured_ = false;
};

}  // namespace

std::string explain_plan(const Plan& plan, const TextStyle& style) {
  return Page(plan, style).write();
}

}  // namespace switchyard
