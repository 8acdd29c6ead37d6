// The timer stands where the thesis had it: around the product, not around conversion or transfer.
#include "thesis_measure.hpp"

#include <algorithm>
#include <chrono>
#include <random>

using namespace switchyard;

namespace {

using Timer = std::chrono::steady_clock;

double seconds_since(Timer::time_point start) {
  return std::chrono::duration<double>(Timer::now() - start).count();
}

std::vector<float> random_vector(Index size) {
  std::mt19937 engine(7);
  std::uniform_real_distribution<float> value(-1, 1);
  std::vector<float> values(static_cast<std::size_t>(size));
  for (float& v : values) v = value(engine);
  return values;
}

Csr<float> thesis_matrix(const ThesisCase& what) {
  return generate<float>({.kind = MatrixKind::Uniform,
                          .rows = what.size,
                          .density = (100 - what.percent_zeros) / 100.0,
                          .seed = 42});
}

/// The matrix with its only copy in `state`.
GMatrix<float> matrix_in(const Runtime& runtime, const Storage<float>& contents, State state) {
  auto matrix = runtime.matrix(transferred(contents, plain_host_memory()));
  matrix.bring_to(state);
  for (const State other : matrix.states()) {
    if (other != state) matrix.evict(other);
  }
  return matrix;
}

/// The median time of a product where the matrix is pinned, the vectors being there too.
double median_product(const GMatrix<float>& matrix, State state, const std::vector<float>& start) {
  constexpr int repetitions = 9;
  const Vector<float> x{std::span<const float>(start)};
  Vector<float> y(matrix.rows());
  matrix.pin(state);
  matrix.measure_products(true);
  std::vector<double> times;
  for (int i = 0; i <= repetitions; ++i) {
    const auto begin = Timer::now();
    matrix.multiply(x, y);
    if (i > 0) times.push_back(seconds_since(begin));
  }
  std::ranges::nth_element(times, times.begin() + repetitions / 2);
  return times[repetitions / 2];
}

AdaptiveRun run_adaptively(const Runtime& runtime, const Storage<float>& contents,
                           const ThesisCase& what, Index calls,
                           const std::vector<ReferenceRow>& expected) {
  const auto matrix = matrix_in(runtime, contents, what.initial);
  const auto start = random_vector(what.size);
  const Vector<float> x{std::span<const float>(start)};
  Vector<float> y(what.size);
  AdaptiveRun run;
  run.calls = calls;
  matrix.expect_calls(calls);
  const auto begin = Timer::now();
  matrix.multiply(x, y);
  for (Index i = 1; i < calls; ++i) matrix.multiply(x, y);
  run.right = worst_error<float>(expected, y.read()) <= 1;
  run.total_seconds = seconds_since(begin);
  const auto history = matrix.history();
  run.predicted = history.back().to;
  run.final_states = matrix.states();
  const Plan next = matrix.plan();
  run.next_prediction = next.target();
  run.product_seconds = median_product(matrix, run.predicted, start);
  return run;
}

}  // namespace

std::vector<State> thesis_states(const Runtime& runtime) {
  std::vector<State> states;
  for (const auto& executor : runtime.executors()) {
    if (executor->space().index() > 1) break;
    for (const auto& facts : format_table) {
      // All values of these matrices are distinct.
      if (facts.values != ValueCoding::Plain) continue;
      states.push_back({executor->space(), facts.format});
    }
  }
  return states;
}

ThesisResult measure_case(const Runtime& runtime, const ThesisCase& what,
                          const std::vector<Index>& calls) {
  ThesisResult result{.what = what, .product_seconds = {}, .adaptive = {}};
  const Storage<float> contents = thesis_matrix(what);
  const auto x = random_vector(what.size);
  const auto expected = reference_multiply<float>(contents, 1.0F, x, 0.0F, {});
  {
    const auto matrix = runtime.matrix(transferred(contents, plain_host_memory()));
    for (const State state : thesis_states(runtime)) {
      result.product_seconds[state] = median_product(matrix, state, x);
    }
  }
  for (const Index k : calls) {
    result.adaptive.push_back(run_adaptively(runtime, contents, what, k, expected));
  }
  return result;
}
