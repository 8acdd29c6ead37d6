// Renting skis in a yard: every schedule of ever cheaper states, and the best of those that hold.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <switchyard/containers/error.hpp>
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/core/policy.hpp>

#include "ways.hpp"

namespace switchyard {
namespace {

constexpr double endless = std::numeric_limits<double>::infinity();
constexpr double rounding = 1 + 1e-12;
// What nobody lives to see counts as never.
constexpr double never = 1e12;
// States that a schedule is chosen from: twice as many subsets for each more.
constexpr std::size_t most_candidates = 8;
// Doubling numbers of calls at which schedules are compared.
constexpr std::size_t horizons_compared = 12;
constexpr double least_bound = 2;
constexpr double bound_resolution = 1.005;

/// A total that grows with the calls: fixed + calls x rate.
struct Line {
  double fixed = 0;
  double rate = 0;
  [[nodiscard]] double at(double calls) const { return fixed + calls * rate; }
};

/// The best choice in hindsight as a function of the number of calls: the lower envelope of one
/// line for each state.
class Hindsight {
 public:
  explicit Hindsight(std::vector<Line> lines) {
    std::ranges::sort(lines, [](const Line& a, const Line& b) {
      return a.rate != b.rate ? a.rate > b.rate : a.fixed < b.fixed;
    });
    for (const Line& line : lines) add(line);
  }

  [[nodiscard]] double at(double calls) const {
    double best = endless;
    for (const Piece& piece : pieces_) best = std::min(best, piece.line.at(calls));
    return best;
  }
  [[nodiscard]] double final_rate() const { return pieces_.back().line.rate; }

  /// The first whole number of calls from `calls` on at which `line` is at most `bound` times the
  /// best; endless where it never is.
  [[nodiscard]] double first_within(const Line& line, double bound, double calls) const {
    for (std::size_t k = 0; k < pieces_.size(); ++k) {
      const double end = k + 1 < pieces_.size() ? pieces_[k + 1].from : endless;
      const double begin = std::max(calls, std::ceil(pieces_[k].from));
      if (begin >= end) continue;
      const Line& best = pieces_[k].line;
      if (line.at(begin) <= bound * best.at(begin) * rounding) return begin;
      const double gain = bound * best.rate - line.rate;
      if (gain <= 0) continue;
      const double meet = std::ceil((line.fixed - bound * best.fixed) / gain / rounding);
      if (meet < end && meet < never) return std::max(meet, begin);
    }
    return endless;
  }

 private:
  struct Piece {
    Line line;
    double from = 0;  ///< the calls from which it is the lowest
  };

  /// REQUIRES: rates falling from one call to the next.
  void add(const Line& line) {
    if (!pieces_.empty() && pieces_.back().line.rate <= line.rate) return;
    double from = 0;
    while (!pieces_.empty()) {
      const Piece& last = pieces_.back();
      from = (line.fixed - last.line.fixed) / (last.line.rate - line.rate);
      if (from > last.from) break;
      pieces_.pop_back();
      from = 0;
    }
    if (from < never) pieces_.push_back({line, from});
  }

  std::vector<Piece> pieces_;
};

/// A state that products may be computed in.
struct Candidate {
  State state;
  double rate = 0;  ///< seconds a product
  double once = 0;  ///< what its first product costs more
};

/// A stretch of a schedule: from so many calls on, in that candidate.
struct Stretch {
  std::size_t candidate = 0;
  double from_calls = 0;
  Line total;
};

/// A schedule with the stretch under way as its first.
struct Schedule {
  std::array<Stretch, most_candidates + 1> stretches;
  std::size_t size = 0;

  void add(const Stretch& stretch) { stretches[size++] = stretch; }
  [[nodiscard]] const Stretch& last() const { return stretches[size - 1]; }
  [[nodiscard]] double total(double calls) const {
    std::size_t k = size - 1;
    while (k > 0 && stretches[k].from_calls >= calls) --k;
    return stretches[k].total.at(calls);
  }
};

/// The search for a schedule.
class Scheduler {
 public:
  Scheduler(const Yard& yard, const Course& course)
      : ways_(yard), course_(course), calls_(static_cast<double>(course.calls)), held_(yard.valid) {
    gather(yard);
    hindsight_.emplace(lines_in_hindsight(yard));
    double calls = calls_ + 1;
    for (double& best : best_at_doubling_calls_) {
      best = std::max(hindsight_->at(calls), 1e-12);
      calls *= 2;
    }
  }

  [[nodiscard]] Choice choose() const {
    double bound = least_bound;
    if (const auto schedule = best_within(bound)) return choice_of(*schedule, bound);
    double broken = bound;
    while (bound < never && !best_within(bound)) {
      broken = bound;
      bound *= 1.5;
    }
    while (bound > broken * bound_resolution) {
      const double middle = std::sqrt(bound * broken);
      (best_within(middle) ? bound : broken) = middle;
    }
    const auto schedule = best_within(bound);
    return schedule ? choice_of(*schedule, bound) : Choice{candidates_.back().state};
  }

 private:
  /// The state under way first, then the cheaper ones, the cheapest last.
  void gather(const Yard& yard) {
    for (const YardNode& node : yard.nodes) {
      if (ways_.from_any(yard.valid, node.state) < endless) {
        candidates_.push_back(
            {node.state, node.multiply_seconds + node.vector_seconds, node.once_seconds});
      }
    }
    if (candidates_.empty()) {
      throw Error(ErrorCode::DeviceUnavailable,
                  "no state can be computed in from where the matrix is", "planner");
    }
    const Candidate start = start_of(yard);
    underway_ = start.rate < endless;
    std::erase_if(candidates_,
                  [&](const Candidate& candidate) { return candidate.rate >= start.rate; });
    std::ranges::sort(candidates_, [](const Candidate& a, const Candidate& b) {
      return a.rate != b.rate ? a.rate > b.rate : a.state > b.state;
    });
    if (candidates_.size() > most_candidates) {
      candidates_.erase(candidates_.begin(), candidates_.end() - most_candidates);
    }
    candidates_.insert(candidates_.begin(), start);
  }

  /// Where the products are; before the first, a place of endless cost that must be left at once.
  [[nodiscard]] Candidate start_of(const Yard& yard) const {
    const auto here = std::ranges::find_if(candidates_, [&](const Candidate& candidate) {
      return candidate.state == course_.at && is_held(yard, candidate.state);
    });
    return here != candidates_.end() ? *here : Candidate{.state = {}, .rate = endless};
  }

  [[nodiscard]] static bool is_held(const Yard& yard, State state) {
    return std::ranges::find(yard.valid, state) != yard.valid.end();
  }

  [[nodiscard]] std::vector<Line> lines_in_hindsight(const Yard& yard) const {
    std::vector<Line> lines;
    for (const YardNode& node : yard.nodes) {
      double way = ways_.from_any(course_.origin, node.state);
      if (way == endless) way = ways_.from_any(yard.valid, node.state);
      if (way == endless) continue;
      lines.push_back({way + node.once_seconds, node.multiply_seconds + node.vector_seconds});
    }
    return lines;
  }

  /// Seconds from any state held or in the schedule so far to the first product in candidate `to`.
  [[nodiscard]] double way_to(std::size_t to, const Schedule& schedule) const {
    double way = ways_.from_any(held_, candidates_[to].state);
    for (std::size_t k = underway_ ? 0 : 1; k < schedule.size; ++k) {
      const State passed = candidates_[schedule.stretches[k].candidate].state;
      way = std::min(way, ways_.between(passed, candidates_[to].state));
    }
    return way + candidates_[to].once;
  }

  void begin(Schedule& schedule) const {
    const Candidate& start = candidates_.front();
    schedule.size = 0;
    const Line total{course_.spent_seconds + start.once - calls_ * start.rate, start.rate};
    schedule.add({0, calls_, underway_ ? total : Line{course_.spent_seconds, 0}});
  }

  /// Makes `schedule` the one through the candidates of `subset` (bit k: candidate k + 1), each
  /// entered as soon as `bound` allows. Returns whether it keeps to the bound.
  [[nodiscard]] bool keeps_within(unsigned subset, double bound, Schedule& schedule) const {
    begin(schedule);
    for (std::size_t to = 1; to < candidates_.size(); ++to) {
      if (!(subset >> (to - 1) & 1)) continue;
      const Stretch& stretch = schedule.last();
      const double way = way_to(to, schedule);
      // Entered after `calls`, the first product there is included in what must be within bounds.
      const Line entered{stretch.total.fixed + way + candidates_[to].rate - stretch.total.rate,
                         stretch.total.rate};
      const double calls = hindsight_->first_within(entered, bound, stretch.from_calls + 1) - 1;
      if (!(calls < never)) return false;
      if (calls > stretch.from_calls && !stays(stretch, bound, calls)) return false;
      const double fixed = stretch.total.at(calls) + way - calls * candidates_[to].rate;
      schedule.add({to, calls, {fixed, candidates_[to].rate}});
    }
    const Stretch& last = schedule.last();
    return last.total.rate <= bound * hindsight_->final_rate() * rounding &&
           stays(last, bound, last.from_calls + 1);
  }

  /// Whether the bound holds from the stretch's first product to that number of calls: in between
  /// it does where it does at both ends, since the best in hindsight is concave.
  [[nodiscard]] bool stays(const Stretch& stretch, double bound, double calls) const {
    const bool computes = underway_ || stretch.candidate > 0;
    return computes && keeps(stretch.total, bound, stretch.from_calls + 1) &&
           keeps(stretch.total, bound, calls);
  }

  [[nodiscard]] bool keeps(const Line& total, double bound, double calls) const {
    return total.at(calls) <= bound * hindsight_->at(calls) * rounding;
  }

  /// The product of the ratios to hindsight at doubling numbers of calls.
  [[nodiscard]] double badness(const Schedule& schedule) const {
    double product = 1;
    double calls = calls_ + 1;
    for (const double best : best_at_doubling_calls_) {
      product *= schedule.total(calls) / best;
      calls *= 2;
    }
    return product;
  }

  [[nodiscard]] std::optional<Schedule> best_within(double bound) const {
    std::optional<unsigned> best;
    double least = endless;
    Schedule schedule;
    const unsigned subsets = 1U << (candidates_.size() - 1);
    for (unsigned subset = 0; subset < subsets; ++subset) {
      if (!keeps_within(subset, bound, schedule)) continue;
      const double product = badness(schedule);
      if (best && product >= least) continue;
      least = product;
      best = subset;
    }
    if (!best || !keeps_within(*best, bound, schedule)) return std::nullopt;
    return schedule;
  }

  [[nodiscard]] Choice choice_of(const Schedule& schedule, double bound) const {
    std::size_t now = 0;
    while (now + 1 < schedule.size && schedule.stretches[now + 1].from_calls <= calls_) ++now;
    Choice choice{.target = candidates_[schedule.stretches[now].candidate].state, .bound = bound};
    if (now + 1 < schedule.size) {
      choice.until_calls = static_cast<Index>(schedule.stretches[now + 1].from_calls);
    }
    return choice;
  }

  const Ways ways_;
  const Course& course_;
  const double calls_;
  bool underway_ = false;
  std::vector<Candidate> candidates_;
  const std::vector<State>& held_;
  std::optional<Hindsight> hindsight_;
  std::array<double, horizons_compared> best_at_doubling_calls_{};
};

}  // namespace

Choice choose_for_unknown_calls(const Yard& yard, const Course& course) try {
  return Scheduler(yard, course).choose();
} catch (const std::bad_alloc&) {
  throw_out_of_memory();
}

}  // namespace switchyard
