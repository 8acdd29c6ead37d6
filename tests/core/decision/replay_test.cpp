// Decisions over recorded costs: what errors in predictions may cost.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <switchyard/core/replay.hpp>

#include "core/decision/yards.hpp"

namespace switchyard {
namespace {

using testing::complete_yard;
using testing::nth_state;
using testing::random_yard;

const std::vector<Index> call_counts{1, 2, 3, 5, 10, 30, 100, 300, 1000};

/// The same yard with every cost off by a factor of up to `most` either way.
Yard mispredicted(Yard yard, double most, std::mt19937_64& engine) {
  std::uniform_real_distribution<double> exponent(-std::log(most), std::log(most));
  for (YardNode& node : yard.nodes) {
    node.multiply_seconds *= std::exp(exponent(engine));
    node.relative_error = most - 1;
  }
  for (YardEdge& edge : yard.edges) edge.seconds *= std::exp(exponent(engine));
  return yard;
}

TEST(Replay, WithAHintAndExactCostsNothingIsLost) {
  std::mt19937_64 engine(1);
  for (int k = 0; k < 200; ++k) {
    const Yard yard = random_yard(2 + k % 5, engine);
    for (const Index calls : call_counts) {
      const double best = best_in_hindsight(yard, calls);
      EXPECT_LE(replay(yard, yard, calls, true).seconds, best * (1 + 1e-9)) << calls;
    }
  }
}

TEST(Replay, WithoutAHintAndExactCostsTheBoundHolds) {
  std::mt19937_64 engine(2);
  for (int k = 0; k < 400; ++k) {
    const int states = 2 + k % 7;
    const Yard yard = random_yard(states, engine);
    for (const Index calls : call_counts) {
      // The margin that a switch needs is beside the bound of the rule.
      const double bound = (states == 2 ? 2 : 2.5) * 1.03;
      EXPECT_LE(replay(yard, yard, calls, false).seconds, bound * best_in_hindsight(yard, calls))
          << states << " states, " << calls << " calls";
    }
  }
}

TEST(Replay, PredictionsAFifthOffCostBoundedlyMore) {
  std::mt19937_64 engine(3);
  double worst[2] = {0, 0};
  for (int k = 0; k < 400; ++k) {
    const Yard truth = random_yard(2 + k % 7, engine);
    const Yard predicted = mispredicted(truth, 1.2, engine);
    for (const Index calls : call_counts) {
      for (const bool hinted : {false, true}) {
        const double ratio =
            replay(predicted, truth, calls, hinted).seconds / best_in_hindsight(truth, calls);
        worst[hinted] = std::max(worst[hinted], ratio);
      }
    }
  }
  EXPECT_LE(worst[false], 4);
  EXPECT_LE(worst[true], 1.5);
}

TEST(Replay, NothingFlipsToAndFro) {
  std::mt19937_64 engine(4);
  for (int k = 0; k < 400; ++k) {
    const int states = 2 + k % 7;
    const Yard truth = random_yard(states, engine);
    const Yard predicted = mispredicted(truth, 3, engine);
    // A state is entered once, and once more where another disappointed; each is tried once.
    EXPECT_LE(replay(predicted, truth, 3000, k % 2 == 0).switches, 2 * states);
  }
}

TEST(Replay, AStateThatDisappointsIsLeftForGood) {
  const Yard predicted = complete_yard({10, 1}, {0, 20});
  const Yard truth = complete_yard({10, 15}, {0, 20});
  const ReplayedRun run = replay(predicted, truth, 1000, true);
  EXPECT_EQ(run.visited, (std::vector{nth_state(1), nth_state(0)}));
  EXPECT_EQ(run.switches, 1);
  EXPECT_LE(run.seconds, 1000 * 10 + 20 + 5 * 5);
}

TEST(Replay, AStateThatMayBeBetterIsTriedWhereThatCostsLittle) {
  Yard predicted = complete_yard({10, 11}, {0, 20});
  for (YardNode& node : predicted.nodes) node.relative_error = 0.5;
  const Yard truth = complete_yard({10, 3}, {0, 20});
  const ReplayedRun many = replay(predicted, truth, 1000, true);
  EXPECT_EQ(many.visited, (std::vector{nth_state(0), nth_state(1)}));
  EXPECT_LE(many.seconds, 1.03 * best_in_hindsight(truth, 1000));
  EXPECT_EQ(replay(predicted, truth, 100, true).visited, std::vector{nth_state(0)});
}

TEST(Replay, ATrialThatFailsCostsAFewHundredths) {
  Yard predicted = complete_yard({10, 11}, {0, 20});
  for (YardNode& node : predicted.nodes) node.relative_error = 0.5;
  const Yard truth = complete_yard({10, 16}, {0, 20});
  for (const bool hinted : {false, true}) {
    const ReplayedRun run = replay(predicted, truth, 3000, hinted);
    EXPECT_EQ(run.switches, 2);
    EXPECT_LE(run.seconds, 1.03 * best_in_hindsight(truth, 3000));
  }
}

TEST(Replay, ATableThatLacksAStateIsRefused) {
  const Yard two = complete_yard({1, 2}, {0, 1});
  const Yard three = complete_yard({1, 2, 3}, {0, 1, 1});
  EXPECT_THROW(static_cast<void>(replay(three, two, 1, true)), Error);
  EXPECT_NO_THROW(static_cast<void>(replay(two, three, 1, true)));
}

TEST(Replay, ASwitchThatWasNeverMeasuredCostsWhatWasPredicted) {
  const Yard predicted = complete_yard({10, 1}, {0, 5});
  Yard truth = predicted;
  truth.edges.clear();
  EXPECT_DOUBLE_EQ(replay(predicted, truth, 10, true).seconds, 15);
}

// The edges from and to other states are no part of the way.
TEST(Replay, ASwitchCostsWhatItsOwnEdgeDoes) {
  Yard yard = complete_yard({10, 1, 100}, {0, 5, 3});
  yard.edges.push_back({nth_state(2), nth_state(1), StepKind::Transfer, 4});
  EXPECT_DOUBLE_EQ(replay(yard, yard, 10, true).seconds, 5 + 10);
  yard.edges.push_back({nth_state(0), nth_state(1), StepKind::Convert, 2});
  EXPECT_DOUBLE_EQ(replay(yard, yard, 10, true).seconds, 2 + 10) << "the faster of two";
}

}  // namespace
}  // namespace switchyard
