// Mixes of calls: combinations of states worth trying, and all contenders in turn.
#include "mixes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "command/run.hpp"
#include "decisions.hpp"
#include "decisions_states.hpp"
#include "race.hpp"

namespace switchyard::command::bench {
namespace {

// Combinations that are run for each number of calls.
constexpr std::size_t most_combinations = 4;
// One call of each kind in one state is measured so often.
constexpr int samples = 5;

/// All calls of one contender may take so long.
double most_seconds(const BenchOptions& options) { return options.quick ? 0.1 : 0.4; }
/// All rounds of one number of calls take about so long.
double seconds_for_rounds(const BenchOptions& options) { return options.quick ? 0.5 : 2; }

/// The operands of one kind of call, and what their product has to be.
template <Element T>
struct Operands {
  Operands(Forms<T>& forms, const Request& kind)
      : request(kind),
        x(x_rows(kind, forms.structure().rows, forms.structure().cols), kind.columns,
          test_vector<T>(x_size(kind, forms.structure().rows, forms.structure().cols))),
        y(y_rows(kind, forms.structure().rows, forms.structure().cols), kind.columns),
        expected(reference_multiply<T>(forms.in(Format::Csr), T{1}, x.read(), T{0}, {}, kind)) {}

  void multiply(const GMatrix<T>& matrix) {
    if (request.operand == Operand::Matrix) return matrix.multiply(x, y);
    matrix.multiply_transposed(x, y);
  }

  Request request;
  MultiVector<T> x;
  MultiVector<T> y;
  std::vector<ReferenceRow> expected;
};

/// A combination of states, or automatic choice with or without a hint.
struct MixContender {
  StateOfKinds pinned = {};  ///< empty: automatic
  bool hinted = false;
};

/// What came of a contender's runs.
struct MixRuns {
  std::vector<double> seconds = {};
  StateOfKinds last = {};
  double max_error = 0;
};

/// One matrix in one precision.
template <Element T>
class MatrixMixes {
 public:
  MatrixMixes(Laboratory& lab, const Subject& subject, std::vector<MixCase>& cases)
      : lab_(lab),
        subject_(subject),
        cases_(cases),
        forms_(*lab.runtime.executors().front(), subject.make<T>()) {
    for (const Request& kind : kinds_of_mix(lab.options.request)) {
      operands_.push_back(std::make_unique<Operands<T>>(forms_, kind));
    }
  }

  void run() {
    measure_states();
    std::vector<Index> all_calls = lab_.options.calls;
    if (all_calls.empty()) all_calls = {1, 10, 100, 1000};
    for (const Index calls : all_calls) {
      const auto combinations = promising(calls);
      if (combinations.empty()) continue;
      if (estimate(combinations.front(), calls) > most_seconds(lab_.options)) {
        lab_.notes.push_back(fmt::format("{} ({}) is left out with {} calls: they take too long",
                                         subject_.name, name(precision_of<T>), calls));
        continue;
      }
      contest(calls, combinations);
    }
  }

 private:
  [[nodiscard]] GMatrix<T> standing_in_csr() {
    GMatrix<T> matrix =
        lab_.runtime.matrix(transferred(forms_.in(Format::Csr), plain_host_memory()));
    stand_in(matrix, {csr_host});
    return matrix;
  }

  /// The seconds of one call of each kind in each state, and of the way there from CSR.
  void measure_states() {
    calls_.resize(operands_.size());
    for (const State state :
         states_for(lab_, subject_.name, forms_.structure(), precision_of<T>, kinds())) {
      try {
        const GMatrix<T> matrix = standing_in_csr();
        ways_[state] = seconds_of([&] { matrix.bring_to(state); });
        matrix.pin(state);
        for (std::size_t kind = 0; kind < operands_.size(); ++kind) measure_calls(matrix, kind);
      } catch (const Error& error) {
        lab_.notes.push_back(
            fmt::format("{} is left out of {}: {}", name(state), subject_.name, error.what()));
      }
    }
  }

  void measure_calls(const GMatrix<T>& matrix, std::size_t kind) {
    const State state = *matrix.pinned();
    Executor& executor = *lab_.runtime.executor(state.space);
    std::vector<double> seconds;
    try {
      for (int i = 0; i <= samples; ++i) {
        seconds.push_back(seconds_of([&] {
          operands_[kind]->multiply(matrix);
          executor.finish();
        }));
      }
    } catch (const Error& error) {
      if (error.code() != ErrorCode::Unsupported) throw;
      return;
    }
    calls_[kind][state] = median_of({seconds.begin() + 1, seconds.end()});
  }

  [[nodiscard]] std::vector<Request> kinds() const {
    std::vector<Request> all;
    for (const auto& operands : operands_) all.push_back(operands->request);
    return all;
  }

  [[nodiscard]] double estimate(const StateOfKinds& states, Index calls) const {
    double seconds = 0;
    for (std::size_t kind = 0; kind < states.size(); ++kind) {
      seconds += static_cast<double>(calls) * calls_[kind].at(states[kind]);
      const bool again =
          std::find(states.begin(), states.begin() + static_cast<std::ptrdiff_t>(kind),
                    states[kind]) != states.begin() + static_cast<std::ptrdiff_t>(kind);
      if (!again) seconds += ways_.at(states[kind]);
    }
    return seconds;
  }

  /// The best combinations by the estimate, the best first.
  [[nodiscard]] std::vector<StateOfKinds> promising(Index calls) const {
    std::vector<StateOfKinds> all{{}};
    for (const auto& states : calls_) {
      std::vector<StateOfKinds> longer;
      for (const StateOfKinds& begin : all) {
        for (const auto& [state, seconds] : states) {
          longer.push_back(begin);
          longer.back().push_back(state);
        }
      }
      all = std::move(longer);
    }
    std::ranges::sort(all, {}, [&](const StateOfKinds& states) { return estimate(states, calls); });
    all.resize(std::min(all.size(), most_combinations));
    return all;
  }

  void contest(Index calls, const std::vector<StateOfKinds>& combinations) {
    std::vector<MixContender> contenders{{.hinted = true}, {.hinted = false}};
    for (const StateOfKinds& states : combinations) contenders.push_back({.pinned = states});
    std::vector<MixRuns> runs(contenders.size());
    std::vector<std::size_t> turns;
    for (std::size_t i = 0; i < contenders.size(); ++i) turns.push_back(i);
    const double limit = lab_.options.seconds_for_rounds(seconds_for_rounds(lab_.options));
    constexpr Index fewest = 3;
    double spent = 0;
    Index rounds = -1;  // the first finds memory and caches as the contest before left them
    for (; rounds < fewest || (rounds < lab_.options.rounds() && spent < limit); ++rounds) {
      if (rounds == 0) runs.assign(contenders.size(), {});
      std::mt19937_64 random(static_cast<std::uint64_t>(rounds + 1));
      std::ranges::shuffle(turns, random);
      spent += seconds_of([&] {
        for (const std::size_t turn : turns) run_once(contenders[turn], calls, runs[turn]);
      });
    }
    take(calls, rounds, combinations, runs);
  }

  void run_once(const MixContender& contender, Index calls, MixRuns& runs) {
    const GMatrix<T> matrix = standing_in_csr();
    for (std::size_t kind = 0; kind < contender.pinned.size(); ++kind) {
      matrix.pin(contender.pinned[kind], operands_[kind]->request);
    }
    for (const auto& operands : operands_) static_cast<void>(operands->x.write());
    runs.seconds.push_back(seconds_of([&] {
      if (contender.hinted) expect(matrix, calls);
      for (Index call = 0; call < calls; ++call) {
        for (const auto& operands : operands_) operands->multiply(matrix);
      }
      for (const auto& operands : operands_) static_cast<void>(operands->y.read());
    }));
    runs.last.clear();
    for (const auto& operands : operands_) {
      runs.max_error =
          std::max(runs.max_error, worst_error<T>(operands->expected, operands->y.read()));
      runs.last.push_back(matrix.plan(operands->request).target());
    }
  }

  void expect(const GMatrix<T>& matrix, Index calls) {
    const Request& asked = lab_.options.request;
    const bool transposed = asked.operand == Operand::Transpose;
    matrix.expect_calls(
        {.products = calls, .transposed = transposed ? calls : 0, .columns = asked.columns});
  }

  void take(Index calls, Index rounds, const std::vector<StateOfKinds>& combinations,
            const std::vector<MixRuns>& runs) {
    const Counts counts = lab_.options.counts();
    MixCase entry{.matrix = subject_.name,
                  .precision = precision_of<T>,
                  .from = csr_host,
                  .kinds = kinds(),
                  .calls = calls,
                  .rounds = rounds};
    for (std::size_t i = 0; i < combinations.size(); ++i) {
      entry.seconds[combinations[i]] = that_counts(runs[i + 2].seconds, counts);
    }
    for (const MixRuns& run : runs) entry.max_error = std::max(entry.max_error, run.max_error);
    if (entry.max_error > 1) {
      lab_.failures.push_back(fmt::format("{}, {}: an error of {:.3g} times what rounding allows",
                                          subject_.name, name(precision_of<T>), entry.max_error));
    }
    for (const bool hinted : {true, false}) {
      const MixRuns& adaptive = runs[hinted ? 0 : 1];
      entry.hinted = hinted;
      entry.seconds_adaptive = that_counts(adaptive.seconds, counts);
      entry.last = adaptive.last;
      cases_.push_back(entry);
    }
  }

  Laboratory& lab_;
  const Subject& subject_;
  std::vector<MixCase>& cases_;
  Forms<T> forms_;
  std::vector<std::unique_ptr<Operands<T>>> operands_;  // of each kind
  std::vector<std::map<State, double>> calls_;          // seconds of one, by kind
  std::map<State, double> ways_;                        // seconds from CSR on the host
};

}  // namespace

StateOfKinds MixCase::best() const {
  return std::ranges::min_element(seconds, {}, [](const auto& pair) { return pair.second; })->first;
}

std::vector<Request> kinds_of_mix(const Request& asked) {
  std::vector<Request> kinds{{Operand::Matrix, asked.columns}};
  if (asked.operand == Operand::Transpose) kinds.push_back(asked);
  return kinds;
}

std::vector<MixCase> bench_mixes(Laboratory& lab) {
  std::vector<MixCase> cases;
  const auto subjects = decision_subjects(lab.options);
  const auto work = [&]<Element T>(std::size_t i) {
    if (!lab.options.wants(precision_of<T>)) return;
    lab.show_progress(2 * i + sizeof(T) / sizeof(double), 2 * subjects.size(),
                      "mixes of calls on " + subjects[i].name);
    lab.attempt(subjects[i].name, [&] { MatrixMixes<T>(lab, subjects[i], cases).run(); });
  };
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    work.template operator()<float>(i);
    work.template operator()<double>(i);
  }
  return cases;
}

}  // namespace switchyard::command::bench
