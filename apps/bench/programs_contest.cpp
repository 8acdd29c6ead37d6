// Taking turns with programs, and comparing the answers.
#include "programs_contest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "command/run.hpp"
#include "decisions_runs.hpp"
#include "decisions_states.hpp"
#include "fixed_choice.hpp"
#include "race.hpp"

namespace switchyard::command::bench {
namespace {

constexpr Index fewest_rounds = 3;

/// What all rounds of one program may take, about; the fewest may take so many times as long.
constexpr double patience = 4;
double seconds_alone(const BenchOptions& options) {
  return options.quick ? 0.3 : options.thorough ? 12 : 1;
}

/// A choice that takes so many times as long as the fastest decides nothing: once is enough. Beside
/// load a stall may have done that.
double hopeless(Counts counts) { return counts == Counts::Mean ? 10 : 4; }

/// One contender; absent `fixed` is the automatic choice.
template <Element T>
struct Runner {
  std::optional<FixedChoice> fixed = {};
  std::vector<double> seconds = {};
  ProgramAnswer<T> answer = {};
  std::vector<State> visited = {};
  std::string failure = {};
  bool again = true;
};

/// What can be held of all matrices.
template <Element T>
std::vector<FixedChoice> choices_of_all(Laboratory& lab, const Program<T>& program) {
  std::vector<FixedChoice> common;
  for (std::size_t i = 0; i < program.matrices->size(); ++i) {
    const auto& csr = std::get<Csr<T>>((*program.matrices)[i]);
    const auto choices = choices_to_hold(lab, program.matrix, structure_of(csr), precision_of<T>);
    if (i == 0) common = choices;
    std::erase_if(common, [&](const FixedChoice& choice) {
      return std::ranges::find(choices, choice) == choices.end();
    });
  }
  return common;
}

template <Element T>
void run_once(Laboratory& lab, const Program<T>& program, Runner<T>& runner) {
  if (!runner.again || !runner.failure.empty()) return;
  try {
    const FixedChoice choice = runner.fixed.value_or(FixedChoice{});
    const Runtime& runtime = runtime_holding(lab, choice);
    std::vector<GMatrix<T>> handles;
    for (const Storage<T>& storage : *program.matrices) {
      handles.push_back(runtime.matrix(transferred(storage, plain_host_memory())));
      if (runner.fixed) handles.back().pin(runner.fixed->state);
    }
    runner.answer = program.run(runtime, handles);
    runner.seconds.push_back(runner.answer.seconds);
    runner.visited.clear();
    for (const GMatrix<T>& handle : handles) {
      if (runner.fixed) check_held(*runner.fixed, handle.history());
      std::ranges::copy(Run{.seconds = {}, .history = handle.history()}.states_visited(),
                        std::back_inserter(runner.visited));
    }
    runner.visited.erase(std::ranges::unique(runner.visited).begin(), runner.visited.end());
  } catch (const std::exception& error) {
    runner.failure = error.what();
  }
}

/// The first round finds memory and caches as somebody else left them, and counts only for those
/// that are left at that.
template <Element T>
void end_first_round(std::vector<Runner<T>>& runners, Counts counts) {
  double fastest = std::numeric_limits<double>::infinity();
  for (const Runner<T>& runner : runners) {
    if (runner.failure.empty()) fastest = std::min(fastest, runner.seconds.front());
  }
  for (Runner<T>& runner : runners) {
    if (!runner.failure.empty()) continue;
    runner.again = !runner.fixed || runner.seconds.front() <= hopeless(counts) * fastest;
    if (runner.again) runner.seconds.clear();
  }
}

template <Element T>
void run_rounds(Laboratory& lab, const Program<T>& program, std::vector<Runner<T>>& runners) {
  const auto run_all = [&](std::size_t first) {
    for (std::size_t i = 0; i < runners.size(); ++i) {
      run_once(lab, program, runners[(first + i) % runners.size()]);
    }
  };
  run_all(0);
  end_first_round(runners, lab.options.counts());
  double spent = 0;
  // Beside load, too, a program is a sum by itself: it needs fewer rounds than a workload.
  const double share = lab.options.load > 0 ? 1.0 / 3 : 1;
  const double limit = share * lab.options.seconds_for_rounds(seconds_alone(lab.options));
  for (Index round = 0; round < std::max<Index>(lab.options.rounds(), fewest_rounds); ++round) {
    if (spent >= (round < fewest_rounds ? patience * limit : limit)) break;
    spent += seconds_of([&] { run_all(static_cast<std::size_t>(round)); });
  }
}

/// The largest |x_i - y_i| over the largest |y_i|; NaN where there is one.
template <Element T>
double difference(const std::vector<T>& x, const std::vector<T>& y) {
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double distance = std::fabs(static_cast<double>(x[i]) - static_cast<double>(y[i]));
    if (!(distance <= worst)) worst = distance;
    if (std::isnan(worst)) return worst;
    largest = std::max(largest, std::fabs(static_cast<double>(y[i])));
  }
  return worst == 0 ? 0 : worst / largest;
}

template <Element T>
ProgramFigures figures_of(const Program<T>& program, const Runner<T>& runner,
                          const Runner<T>& reference, Counts counts) {
  ProgramFigures figures{.seconds = that_counts(runner.seconds, counts),
                         .rounds = static_cast<int>(runner.seconds.size()),
                         .iterations = runner.answer.iterations,
                         .difference = difference(runner.answer.x, reference.answer.x)};
  if (program.residual) figures.residual = program.residual(runner.answer);
  return figures;
}

/// Sums are added in another order in each state. Half of the digits are more than that takes from
/// an answer that depends smoothly on them; a method on its way, which does not, has to have come
/// about as far. One that has come nowhere has no answer yet.
template <Element T>
bool agrees(const ProgramFigures& one, const ProgramFigures& reference) {
  const double half_the_digits = std::sqrt(std::numeric_limits<T>::epsilon());
  if (one.difference <= half_the_digits) return true;
  if (!one.residual || !std::isfinite(one.difference)) return false;
  constexpr double nowhere = 0.01;
  return *reference.residual > nowhere ||
         *one.residual <= std::max(10 * *reference.residual, half_the_digits);
}

/// A state has the figures of its fastest variant.
void add_figures(const BenchOptions& options, ProgramCase& entry,
                 const std::optional<FixedChoice>& fixed, const ProgramFigures& figures) {
  if (!fixed) {
    entry.automatic = figures;
    return;
  }
  if (options.holds_variants()) {
    const std::string variant = fixed->variant.empty() ? "auto" : std::string(fixed->variant);
    entry.variants[fixed->state][variant] = figures.seconds;
  }
  const auto [place, is_new] = entry.pinned.try_emplace(fixed->state, figures);
  if (!is_new && figures.seconds < place->second.seconds) place->second = figures;
}

/// Why other answers cannot be compared with that one; empty where they can.
template <Element T>
std::string why_no_reference(const Program<T>& program, const Runner<T>& runner) {
  if (!runner.failure.empty()) return runner.failure;
  if (std::isnan(difference(runner.answer.x, runner.answer.x))) return "numbers are not finite";
  // Power iteration may run for ever on a matrix like that; its x is compared all the same.
  const double residual = program.residual && !program.told ? program.residual(runner.answer) : 0;
  return residual <= 1 ? "" : fmt::format("the residual grows to {:.3g}", residual);
}

}  // namespace

template <Element T>
std::optional<ProgramCase> contest_program(Laboratory& lab, const Program<T>& program) {
  const std::string what =
      fmt::format("{} on {}, {}", program.name, program.matrix, name(precision_of<T>));
  std::vector<Runner<T>> runners(1);
  for (const auto& choice : choices_of_all(lab, program)) runners.push_back({.fixed = choice});
  const auto reference =
      std::ranges::find(runners, std::optional(FixedChoice{csr_host}), &Runner<T>::fixed);
  if (reference == runners.end()) return std::nullopt;
  run_rounds(lab, program, runners);
  if (const auto why = why_no_reference(program, *reference); !why.empty()) {
    lab.notes.push_back(what + " is left out: in csr@host " + why);
    return std::nullopt;
  }
  if (!runners.front().failure.empty()) {
    lab.failures.push_back(what + ": " + runners.front().failure);
    return std::nullopt;
  }
  ProgramCase entry{.program = program.name,
                    .matrix = program.matrix,
                    .precision = precision_of<T>,
                    .told = program.told,
                    .automatic = {},
                    .visited = runners.front().visited};
  const ProgramFigures expected = figures_of(program, *reference, *reference, lab.options.counts());
  for (const Runner<T>& runner : runners) {
    const std::string who = runner.fixed ? name(*runner.fixed) : "auto";
    if (!runner.failure.empty()) {
      lab.notes.push_back(fmt::format("{} in {}: {}", what, who, runner.failure));
      continue;
    }
    const ProgramFigures figures = figures_of(program, runner, *reference, lab.options.counts());
    add_figures(lab.options, entry, runner.fixed, figures);
    if (agrees<T>(figures, expected)) continue;
    entry.agree = false;
    lab.failures.push_back(
        fmt::format("{} in {}: {:.3g} from the answer in csr@host", what, who, figures.difference));
  }
  return entry;
}

template std::optional<ProgramCase> contest_program(Laboratory&, const Program<float>&);
template std::optional<ProgramCase> contest_program(Laboratory&, const Program<double>&);

}  // namespace switchyard::command::bench
