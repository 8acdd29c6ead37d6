// Timing runs that are as short as what they show allows.
#include "decisions_runs.hpp"

#include <algorithm>
#include <cmath>

#include "command/run.hpp"

namespace switchyard::command::bench {
namespace {

/// Products beyond these seconds in one state tell nothing new.
double worthwhile_seconds(const BenchOptions& options) { return options.quick ? 5e-3 : 2e-2; }

/// A choice that is still open after so long is not waited for.
double patience_seconds(const BenchOptions& options) { return options.quick ? 0.2 : 1; }

/// After so many calls the planner has seen what a state takes, if it looks at all.
constexpr Index enough_calls = 32;

}  // namespace

std::optional<double> seconds_of_call(const CallSeconds& known, const FixedChoice& choice) {
  auto found = known.find(choice);
  if (found == known.end()) found = known.find({choice.state});
  if (found == known.end()) return std::nullopt;
  return found->second;
}

template <Element T>
GMatrix<T> ContenderRuns<T>::standing_in(State state, const FixedChoice& choice) {
  // A copy, so that each run finds the caches as a matrix just made leaves them, whoever ran
  // before.
  GMatrix<T> matrix = runtime_holding(lab_, choice)
                          .matrix(transferred(forms_.in(state.format), plain_host_memory()));
  stand_in(matrix, {state});
  return matrix;
}

template <Element T>
Index ContenderRuns<T>::worth_making(const FixedChoice& choice, Index calls) const {
  const auto known = seconds_of_call(per_call_, choice);
  if (!known) return calls;
  const double worth = std::floor(worthwhile_seconds(lab_.options) / *known);
  return static_cast<Index>(std::clamp(worth, 1.0, static_cast<double>(calls)));
}

/// Whether all products to come will be made where the last one was, as far as the plan knows.
template <Element T>
bool ContenderRuns<T>::settled(const GMatrix<T>& matrix, const Contender& contender,
                               Index made) const {
  if (contender.fixed) return true;
  const Plan plan = matrix.plan();
  const Step last = matrix.history().back();
  const bool stays =
      plan.steps.size() == 1 && plan.reason != Reason::Trial && plan.target() == last.to;
  // A state that has just been entered is left again where it is slower than predicted.
  const bool is_known = plan.steps.front().price_measured || last.calls >= enough_calls;
  return stays && is_known && made + plan.holds_for.value_or(contender.calls) >= contender.calls;
}

template <Element T>
Index ContenderRuns<T>::next_stop(const GMatrix<T>& matrix, const Contender& contender,
                                  Index made) const {
  const FixedChoice choice = contender.fixed.value_or(last_choice(matrix.history()));
  if (!seconds_of_call(per_call_, choice) || !settled(matrix, contender, made)) {
    return std::min(2 * made, contender.calls);
  }
  return std::max(worth_making(choice, contender.calls), made);
}

template <Element T>
void ContenderRuns<T>::make_calls(const GMatrix<T>& matrix, const Contender& contender,
                                  ContenderRun& run, State from) {
  const Vector<T> x{std::span<const T>(x_)};
  Vector<T> y(matrix.rows());
  if (contender.hinted) {
    run.seconds += seconds_of([&] { matrix.expect_calls(contender.calls); });
  }
  const FixedChoice choice = contender.fixed.value_or(FixedChoice{from});
  Index stop = worth_making(choice, contender.calls);
  while (run.made < stop) {
    run.seconds += seconds_of([&] {
      for (; run.made < stop; ++run.made) matrix.multiply(x, y);
      // Reading y, which waits as well, is timed after the last stop only.
      if (stop == contender.calls) return;
      for (const auto& executor : runtime_holding(lab_, choice).executors()) executor->finish();
    });
    if (run.made == contender.calls) break;
    stop = next_stop(matrix, contender, run.made);
    run.open = stop > run.made && run.seconds > patience_seconds(lab_.options);
    if (run.open) break;
  }
  std::span<const T> result;
  run.seconds += seconds_of([&] { result = y.read(); });
  run.error = worst_error<T>(expected_, result);
}

template <Element T>
ContenderRun ContenderRuns<T>::run(State from, const Contender& contender) {
  const GMatrix<T> matrix = standing_in(from, contender.fixed.value_or(FixedChoice{}));
  const std::size_t steps_before = matrix.history().size();
  if (contender.fixed) matrix.pin(contender.fixed->state);
  ContenderRun run;
  make_calls(matrix, contender, run, from);
  Run done{.seconds = {}, .history = matrix.history()};
  done.history.erase(done.history.begin(),
                     done.history.begin() + static_cast<std::ptrdiff_t>(steps_before));
  run.visited = done.states_visited();
  run.last = contender.fixed.value_or(last_choice(done.history));
  if (contender.fixed) check_held(*contender.fixed, done.history);
  std::ranges::copy_if(done.history, std::back_inserter(run.moves),
                       [](const Step& step) { return step.kind != StepKind::Multiply; });
  return run;
}

template class ContenderRuns<float>;
template class ContenderRuns<double>;

}  // namespace switchyard::command::bench
