// The reproducible mode: nothing that is measured has a say.
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <switchyard/switchyard.hpp>

#include "core/fixtures.hpp"

namespace switchyard {
namespace {

/// What a program got, and where it was computed.
template <Element T>
struct Outcome {
  std::vector<T> y;
  std::vector<State> visited;
  std::vector<std::string> variants;
  bool operator==(const Outcome&) const = default;
};

/// Products in a loop, each with what the last one gave, and one change of the matrix.
template <Element T>
Outcome<T> run_program() {
  RuntimeOptions options;
  options.reproducible = true;
  const Runtime runtime(options);
  auto matrix = runtime.matrix(testing::random_dense<T>(700, 700, 0.1, 5));
  Vector<T> x(std::span<const T>(testing::random_vector<T>(700, 6)));
  Vector<T> y(700);
  Outcome<T> outcome;
  for (int call = 0; call < 120; ++call) {
    if (call == 60) matrix.write_dense([](std::span<T> values) { values[7] = T(0.25); });
    matrix.multiply(T(0.01), x, T(0), y);
    std::swap(x, y);
    const Step last = matrix.history().back();
    outcome.visited.push_back(last.to);
    outcome.variants.emplace_back(last.variant);
  }
  const auto elements = x.read();
  outcome.y.assign(elements.begin(), elements.end());
  return outcome;
}

TEST(Reproducible, TheSameCallsGiveTheSameBitsInTheSameStates) {
  EXPECT_EQ(run_program<float>(), run_program<float>());
  EXPECT_EQ(run_program<double>(), run_program<double>());
}

TEST(Reproducible, IsAskedForInTheEnvironment) {
  EXPECT_FALSE(RuntimeOptions::from_environment().reproducible);
  setenv("SWITCHYARD_REPRODUCIBLE", "1", 1);
  EXPECT_TRUE(RuntimeOptions::from_environment().reproducible);
  setenv("SWITCHYARD_REPRODUCIBLE", "maybe", 1);
  EXPECT_THROW(static_cast<void>(RuntimeOptions::from_environment()), Error);
  unsetenv("SWITCHYARD_REPRODUCIBLE");
}

TEST(Reproducible, ThePlanDoesNotDependOnTheValues) {
  const Runtime runtime{RuntimeOptions{}};
  const auto plain = testing::random_dense<double>(90, 70, 0.2, 1);
  const auto plan_with = [&](double value) {
    auto dense = Dense<double>::sized(plain.rows, plain.cols);
    for (Index i = 0; i < plain.values.size(); ++i) {
      dense.values[i] = plain.values[i] == 0 ? 0 : value;
    }
    return runtime.matrix(std::move(dense)).plan();
  };
  using Limits = std::numeric_limits<double>;
  const Plan plan = plan_with(1);
  for (const double value : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(),
                             Limits::denorm_min(), -1e300}) {
    const Plan other = plan_with(value);
    EXPECT_EQ(other.target(), plan.target()) << value;
    EXPECT_EQ(other.predicted_seconds, plan.predicted_seconds) << value;
  }
}

}  // namespace
}  // namespace switchyard
