// Callers in threads of their own, alone and at once, in turn.
#include "callers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <latch>
#include <switchyard/backends/reference.hpp>
#include <thread>
#include <tuple>

#include "command/run.hpp"
#include "race.hpp"

namespace switchyard::command::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// What one caller with all calls takes, about, where no number of calls is asked for.
double seconds_for_one(const BenchOptions& options) { return options.quick ? 1e-2 : 5e-2; }
/// What all rounds of one case may take alone, about.
double seconds_alone(const BenchOptions& options) {
  return options.quick ? 0.3 : options.thorough ? 12 : 2;
}

template <Element T>
class CallersBench {
 public:
  CallersBench(Laboratory& lab, const Subject& subject, std::optional<State> pinned)
      : lab_(lab),
        subject_(subject),
        pinned_(pinned),
        matrix_(subject.make<T>()),
        x_(test_vector<T>(structure_of(std::get<Csr<T>>(matrix_)).cols)),
        expected_(reference_multiply<T>(matrix_, T{1}, x_, T{0}, {})) {}

  void run(std::vector<CallersCase>& cases) {
    std::vector<Index> all_calls = lab_.options.calls;
    if (all_calls.empty()) all_calls.push_back(calls_worth_making());
    for (const Index calls : all_calls) {
      for (const bool shared : {false, true}) cases.push_back(contest(calls, shared));
    }
  }

 private:
  /// What one of several callers has; one caller alone has that of all, and computes with each in
  /// turn, so that its caches hold no more of it.
  struct Operands {
    Operands(const GMatrix<T>& a, std::span<const T> values) : matrix(a), x(values), y(a.rows()) {}
    const GMatrix<T>& matrix;
    Vector<T> x;
    Vector<T> y;
  };
  /// The handles that a caller goes through.
  using Work = std::vector<const GMatrix<T>*>;

  [[nodiscard]] GMatrix<T> handle() const {
    GMatrix<T> made = lab_.runtime.matrix(transferred(matrix_, plain_host_memory()));
    if (pinned_) made.pin(*pinned_);
    return made;
  }

  [[nodiscard]] Index calls_worth_making() const {
    const GMatrix<T> matrix = handle();
    const Vector<T> x{std::span<const T>(x_)};
    Vector<T> y(matrix.rows());
    const auto multiply = [&] {
      matrix.multiply(x, y);
      std::ignore = y.read();
    };
    multiply();
    std::vector<double> seconds;
    for (double spent = 0; spent < seconds_for_one(lab_.options) / 5 || seconds.size() < 5;) {
      spent += seconds.emplace_back(seconds_of(multiply));
    }
    const double callers = static_cast<double>(lab_.options.callers);
    const double each = seconds_for_one(lab_.options) / (callers * median_of(seconds));
    return std::max<Index>(1, std::llround(each));
  }

  [[nodiscard]] CallersCase contest(Index calls, bool shared) {
    CallersCase entry{.matrix = subject_.name,
                      .precision = precision_of<T>,
                      .pinned = pinned_,
                      .shared = shared,
                      .callers = lab_.options.callers,
                      .calls = calls};
    try {
      run_rounds(entry);
    } catch (const std::exception& error) {
      entry.failure = error.what();
    }
    const std::string error =
        entry.failure.empty() && entry.max_error > 1
            ? fmt::format("an error of {:.3g} times what rounding allows", entry.max_error)
            : entry.failure;
    if (!error.empty()) {
      lab_.failures.push_back(fmt::format("{}, {}, {} callers: {}", entry.matrix,
                                          name(entry.precision), entry.callers, error));
    }
    return entry;
  }

  void run_rounds(CallersCase& entry) {
    std::vector<double> one;
    std::vector<double> together;
    const auto run_both = [&](bool one_first) {
      for (const bool is_one : {one_first, !one_first}) {
        (is_one ? one : together).push_back(run_once(entry, is_one));
      }
    };
    // As everywhere, the first round finds caches as somebody else left them: it does not count.
    double spent = seconds_of([&] { run_both(true); });
    one.clear();
    together.clear();
    constexpr Index fewest = 3;
    const double limit = lab_.options.seconds_for_rounds(seconds_alone(lab_.options));
    for (Index round = 0; round < std::max<Index>(lab_.options.rounds(), fewest); ++round) {
      if (round >= fewest && spent >= limit) break;
      spent += seconds_of([&] { run_both(round % 2 == 0); });
    }
    entry.rounds = static_cast<Index>(one.size());
    entry.seconds_one = that_counts(one, lab_.options.counts());
    entry.seconds_together = that_counts(together, lab_.options.counts());
  }

  /// New handles each time: what they learn under one contender is of no use to the other.
  double run_once(CallersCase& entry, bool is_one) {
    const auto callers = static_cast<std::size_t>(entry.callers);
    std::vector<GMatrix<T>> handles;
    for (std::size_t i = 0; i < (entry.shared ? 1 : callers); ++i) handles.push_back(handle());
    Work all;
    for (std::size_t i = 0; i < callers; ++i) all.push_back(&handles[entry.shared ? 0 : i]);
    std::vector<Work> work;
    if (is_one) work.push_back(all);
    if (!is_one) {
      for (const GMatrix<T>* const handle : all) work.push_back({handle});
    }
    return time_callers(work, entry);
  }

  /// One thread for each part of the work. From when the first of them begins, all being there,
  /// until the last is done.
  double time_callers(const std::vector<Work>& work, CallersCase& entry) {
    std::vector<std::exception_ptr> problems(work.size());
    std::vector<double> errors(work.size());
    std::vector<Clock::time_point> begun(work.size());
    std::vector<Clock::time_point> done(work.size());
    std::latch begin(static_cast<std::ptrdiff_t>(work.size()));
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < work.size(); ++i) {
      threads.emplace_back([&, i] {
        std::vector<Operands> operands;
        for (const GMatrix<T>* const matrix : work[i]) operands.push_back({*matrix, x_});
        begin.arrive_and_wait();
        begun[i] = Clock::now();
        try {
          for (Index call = 0; call < entry.calls; ++call) {
            for (Operands& each : operands) each.matrix.multiply(each.x, each.y);
          }
          for (const Operands& each : operands) std::ignore = each.y.read();
          done[i] = Clock::now();
          for (const Operands& each : operands) {
            errors[i] = std::max(errors[i], worst_error<T>(expected_, each.y.read()));
          }
        } catch (...) {
          problems[i] = std::current_exception();
        }
      });
    }
    threads.clear();  // waits for them
    for (const std::exception_ptr& problem : problems) {
      if (problem) std::rethrow_exception(problem);
    }
    entry.max_error = std::max(entry.max_error, std::ranges::max(errors));
    return std::chrono::duration<double>(std::ranges::max(done) - std::ranges::min(begun)).count();
  }

  Laboratory& lab_;
  const Subject& subject_;
  std::optional<State> pinned_;
  Storage<T> matrix_;
  std::vector<T> x_;
  std::vector<ReferenceRow> expected_;
};

/// Matrices whose calls take some microseconds, some tens of them, and milliseconds.
std::vector<Subject> callers_subjects(const BenchOptions& options) {
  if (!options.specs.empty() || !options.folder.empty()) return subjects_for(options);
  std::vector<Subject> subjects;
  const auto add = [&](MatrixKind kind, Index rows, std::optional<double> density = {}) {
    subjects.push_back(
        generated_subject({.kind = kind, .rows = rows, .density = density, .seed = 20'240'229}));
  };
  add(MatrixKind::Poisson2d, 8000);
  add(MatrixKind::Pruned, 1024, 0.5);
  if (!options.quick) add(MatrixKind::Poisson2d, 250'000);
  return subjects;
}

}  // namespace

std::vector<CallersCase> bench_callers(Laboratory& lab) {
  std::vector<CallersCase> cases;
  std::vector<std::optional<State>> states(lab.options.states.begin(), lab.options.states.end());
  if (states.empty()) states.emplace_back();
  const auto subjects = callers_subjects(lab.options);
  const auto work = [&]<Element T>(const Subject& subject) {
    if (!lab.options.wants(precision_of<T>)) return;
    for (const auto& state : states) {
      lab.attempt(subject.name, [&] { CallersBench<T>(lab, subject, state).run(cases); });
    }
  };
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    lab.show_progress(i, subjects.size(), "callers of " + subjects[i].name);
    work.template operator()<float>(subjects[i]);
    work.template operator()<double>(subjects[i]);
  }
  return cases;
}

}  // namespace switchyard::command::bench
