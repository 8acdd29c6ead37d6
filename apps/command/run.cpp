// Summing up timed products.
#include "run.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <ranges>

#include "command.hpp"

namespace switchyard::command {

double Run::median() const {
  std::vector<double> sorted = seconds;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
  std::ranges::nth_element(sorted, middle);
  if (sorted.size() % 2 == 1) return *middle;
  return (*middle + *std::min_element(middle + 1, sorted.end())) / 2;
}

double Run::total() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

std::vector<State> Run::states_visited() const {
  std::vector<State> states;
  for (const Step& step : history) {
    if (step.kind != StepKind::Multiply) continue;
    if (states.empty() || states.back() != step.to) states.push_back(step.to);
  }
  return states;
}

Plan with_run(Plan plan, const Run& run) {
  std::vector<Step> moves = run.history;
  std::erase_if(moves, [](const Step& step) { return step.kind == StepKind::Multiply; });
  plan = with_measurements(std::move(plan), moves);
  if (run.states_visited() != std::vector<State>{plan.target()}) return plan;
  double moving = 0;
  for (const Step& step : moves) moving += step.measured_seconds.value_or(0);
  Step& products = plan.steps.back();
  products.measured_seconds = std::max(run.total() - moving, 0.0);
  products.measured_calls = static_cast<Index>(run.seconds.size());
  if (!run.seconds.empty()) {
    // The first call waited for the conversions and transfers.
    double slowest = run.seconds.front() - moving;
    for (const double seconds : run.seconds | std::views::drop(1)) {
      slowest = std::max(slowest, seconds);
    }
    products.slowest_seconds = slowest;
  }
  return plan;
}

template <Element T>
void stand_in(const GMatrix<T>& matrix, const std::vector<State>& states) {
  for (const State state : states) matrix.bring_to(state);
  for (const State state : matrix.states()) {
    if (std::ranges::find(states, state) == states.end()) matrix.evict(state);
  }
}

template <Element T>
void multiply_once(const GMatrix<T>& matrix, const Request& product, std::span<const T> x,
                   std::span<T> y) {
  if (product.operand == Operand::Transpose) {
    matrix.multiply_transposed(x, y, product.columns);
  } else {
    matrix.multiply(x, y, product.columns);
  }
}

template <Element T>
void expect_calls(const GMatrix<T>& matrix, const Request& product, Index calls) {
  const bool transposed = product.operand == Operand::Transpose;
  matrix.expect_calls({.products = transposed ? 0 : calls,
                       .transposed = transposed ? calls : 0,
                       .columns = product.columns});
}

void check_columns(const Request& product, Index rows, Index cols) {
  constexpr double most_elements = 1e15;
  const auto longest = static_cast<double>(std::max({rows, cols, Index{1}}));
  if (static_cast<double>(product.columns) * longest <= most_elements) return;
  throw UsageError("no memory holds vectors of " + std::to_string(product.columns) + " columns",
                   "--columns", "give fewer");
}

template <Element T>
std::vector<T> test_vector(Index count) {
  std::mt19937_64 random(20240229);
  std::vector<T> values(static_cast<std::size_t>(count));
  // The upper 24 bits alone, so that float and double get the same numbers.
  for (T& value : values) {
    value = static_cast<T>(static_cast<double>(random() >> 40) / (1 << 23) - 1.0);
  }
  return values;
}

template void stand_in(const GMatrix<float>&, const std::vector<State>&);
template void stand_in(const GMatrix<double>&, const std::vector<State>&);
template void multiply_once(const GMatrix<float>&, const Request&, std::span<const float>,
                            std::span<float>);
template void multiply_once(const GMatrix<double>&, const Request&, std::span<const double>,
                            std::span<double>);
template void expect_calls(const GMatrix<float>&, const Request&, Index);
template void expect_calls(const GMatrix<double>&, const Request&, Index);
template std::vector<float> test_vector(Index);
template std::vector<double> test_vector(Index);

}  // namespace switchyard::command
