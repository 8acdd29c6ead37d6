// What measured states say of those that were not measured.
#include "likeness.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <switchyard/core/dispatcher.hpp>
#include <switchyard/core/planner.hpp>

#include "core/decision/yards.hpp"

namespace switchyard {
namespace {

YardNode node_in(Space space, Format format, double seconds) {
  return {.state = {space, format}, .multiply_seconds = seconds, .model_seconds = seconds};
}

/// Three states on the host, of which the first two were measured, and one on a device.
Yard yard_with(double first, double second) {
  Yard yard;
  yard.nodes = {node_in(Space::host(), Format::Dense, 2), node_in(Space::host(), Format::Csr, 2),
                node_in(Space::host(), Format::Ell, 1.5),
                node_in(Space::device(0), Format::Csr, 1.5)};
  yard.nodes[0].measured = yard.nodes[1].measured = true;
  yard.nodes[0].multiply_seconds = first;
  yard.nodes[1].multiply_seconds = second;
  return yard;
}

TEST(Likeness, WhatTakesLongerThanPredictedIsExpectedOfTheOthersThere) {
  Yard yard = yard_with(16, 8);  // 8 and 4 times the prediction: two thirds of their mean error
  expect_alike(yard);
  EXPECT_NEAR(yard.nodes[2].expected_factor, std::pow(2.0, 5.0 / 3), 1e-12);
  EXPECT_NEAR(yard.nodes[2].multiply_seconds, 1.5 * std::pow(2.0, 5.0 / 3), 1e-12);
  EXPECT_EQ(yard.nodes[3].multiply_seconds, 1.5) << "another space says nothing";
  EXPECT_EQ(yard.nodes[0].multiply_seconds, 16);
  EXPECT_EQ(yard.nodes[1].multiply_seconds, 8);
}

TEST(Likeness, OneStateAloneSaysHalf) {
  Yard yard = yard_with(8, 2);
  yard.nodes[1].measured = false;
  expect_alike(yard);
  EXPECT_NEAR(yard.nodes[1].expected_factor, 2, 1e-12);
  EXPECT_NEAR(yard.nodes[2].expected_factor, 2, 1e-12);
}

TEST(Likeness, AnAccurateModelSharesLessOfTheErrorsOfOthers) {
  const auto factor = [](double measured_error, double error) {
    Yard yard = yard_with(8, 2);
    yard.nodes[1].measured = false;
    yard.nodes[0].model_error = measured_error;
    yard.nodes[1].model_error = error;
    expect_alike(yard);
    return yard.nodes[1].expected_factor;
  };
  EXPECT_NEAR(factor(3, 1), std::sqrt(2.0), 1e-12) << "log 2 / log 4 of it";
  EXPECT_NEAR(factor(1, 1), 2, 1e-12);
  EXPECT_NEAR(factor(1, 3), 2, 1e-12) << "no more than all of it";
}

TEST(Likeness, NoStateIsExpectedToBeFasterThanPredicted) {
  Yard yard = yard_with(1, 1);
  expect_alike(yard);
  EXPECT_EQ(yard.nodes[2].multiply_seconds, 1.5);
  EXPECT_EQ(yard.nodes[2].expected_factor, 1);
}

TEST(Likeness, WhatOtherProgramsCostIsNotTheMatrixs) {
  Yard yard = yard_with(4, 4);
  yard.nodes[0].stalled_share = yard.nodes[1].stalled_share = 0.5;
  expect_alike(yard);
  EXPECT_EQ(yard.nodes[2].expected_factor, 1);
}

TEST(Likeness, NothingMeasuredSaysNothing) {
  Yard yard = yard_with(16, 4);
  for (YardNode& node : yard.nodes) node.measured = false;
  expect_alike(yard);
  for (const YardNode& node : yard.nodes) EXPECT_EQ(node.expected_factor, 1);
}

TEST(Likeness, APromiseCountsAsFarAsItsModelIsKnown) {
  const auto promised = [](double relative_error) {
    Yard yard = yard_with(2, 4);
    yard.nodes[0].measured = yard.nodes[1].measured = false;
    yard.nodes[2].relative_error = relative_error;
    doubt_promises(yard);
    EXPECT_EQ(yard.nodes[0].multiply_seconds, 2);
    EXPECT_EQ(yard.nodes[1].multiply_seconds, 4);
    EXPECT_EQ(yard.nodes[3].multiply_seconds, 1.5) << "what is given is no promise";
    return yard.nodes[2].multiply_seconds;
  };
  EXPECT_NEAR(promised(0), 1.5, 1e-12);
  EXPECT_GT(promised(0.5), 1.5);
  EXPECT_GT(promised(3), 1.8);
  EXPECT_LT(promised(3), 2) << "what promises more is still thought to be faster";
}

TEST(Likeness, ThatCscGathersTheTransposeIsNoPromise) {
  Yard yard;
  yard.request.operand = Operand::Transpose;
  const auto add = [&](Format format, double seconds) {
    yard.nodes.push_back({.state = {Space::device(0), format}, .multiply_seconds = seconds});
    yard.nodes.back().relative_error = 3;
  };
  add(Format::Csr, 100);
  add(Format::Csc, 1);
  add(Format::Coo, 0.5);
  doubt_promises(yard);
  EXPECT_EQ(yard.nodes[1].multiply_seconds, 1);
  EXPECT_GT(yard.nodes[2].multiply_seconds, 0.75) << "beside CSC it promises much";
  yard.nodes[1].multiply_seconds = 1;
  yard.request.operand = Operand::Matrix;
  doubt_promises(yard);
  EXPECT_GT(yard.nodes[1].multiply_seconds, 10) << "beside CSR";
}

TEST(Likeness, WhatWasMeasuredOrIsSlowerIsNoPromise) {
  Yard yard = yard_with(1.2, 2);
  yard.nodes[2].relative_error = 3;
  doubt_promises(yard);
  EXPECT_EQ(yard.nodes[2].multiply_seconds, 1.5);
  yard = yard_with(2, 2);
  yard.nodes[2].relative_error = 3;
  yard.nodes[2].measured = true;
  doubt_promises(yard);
  EXPECT_EQ(yard.nodes[2].multiply_seconds, 1.5);
}

TEST(Likeness, AnAssumedPriceIsNoLowerThanWhatIsCalibratedThere) {
  Yard yard = yard_with(2, 2);
  for (YardNode& node : yard.nodes) node.measured = false;
  yard.nodes[2].built_in = yard.nodes[3].built_in = true;
  doubt_built_in(yard, {});
  EXPECT_EQ(yard.nodes[2].multiply_seconds, 2);
  EXPECT_EQ(yard.nodes[2].model_seconds, 1.5) << "the model says what it says";
  EXPECT_EQ(yard.nodes[3].multiply_seconds, 1.5) << "nothing there is calibrated";
}

TEST(Likeness, DenseAloneHoldsASparseFormatBackByItsBytes) {
  const auto assumed = [](bool knows_csr, double bytes) {
    Yard yard = yard_with(8, 4);
    yard.nodes[0].matrix_bytes = 1000;
    yard.nodes[1].built_in = !knows_csr;
    yard.nodes[2].built_in = true;
    yard.nodes[2].matrix_bytes = bytes;
    doubt_built_in(yard, {});
    return yard.nodes[2].multiply_seconds;
  };
  EXPECT_EQ(assumed(false, 500), 4) << "half of what 8 s read";
  EXPECT_EQ(assumed(false, 10), 1.5) << "its own price";
  EXPECT_EQ(assumed(false, 2000), 8) << "no more than dense takes";
  EXPECT_EQ(assumed(true, 500), 4) << "CSR, whose work is alike";
  EXPECT_EQ(assumed(true, 10), 4);
}

// 2000 x 2000 with 10 thousand nonzeros stayed dense for good, at 50 times what CSR takes.
TEST(Likeness, WithoutCalibrationAMeasuredStateHoldsNoneBack) {
  Yard yard = yard_with(2, 2);
  yard.calibrated = false;
  yard.nodes[2].built_in = true;
  doubt_built_in(yard, {});
  EXPECT_EQ(yard.nodes[2].multiply_seconds, 1.5);
}

TEST(Likeness, TheHostsOwnProcessorsAreAssumedNoFasterAsADevice) {
  for (const bool calibrated : {true, false}) {
    for (const bool on_host_processors : {true, false}) {
      Yard yard = yard_with(2, 2);
      yard.calibrated = calibrated;
      yard.nodes[3].built_in = true;
      yard.nodes[3].multiply_seconds = 0.5;
      SpaceOutlook device{.space = Space::device(0)};
      device.on_host_processors = on_host_processors;
      doubt_built_in(yard, {&device, 1});
      EXPECT_EQ(yard.nodes[3].multiply_seconds, on_host_processors ? 1.5 : 0.5);
    }
  }
}

TEST(Likeness, AHighAssumedPriceStays) {
  Yard yard = yard_with(2, 2);
  yard.nodes[2].built_in = true;
  yard.nodes[2].multiply_seconds = 5;
  doubt_built_in(yard, {});
  EXPECT_EQ(yard.nodes[2].multiply_seconds, 5);
}

TEST(Likeness, ADecisionCountsOnItUnlessItIsReproducible) {
  // 2.25 s measured where 1 was predicted: 1.5 times as much elsewhere is 1.8, and no gain.
  Yard yard = testing::complete_yard({2.25, 1.2}, {0, 1});
  yard.horizon = 2;
  yard.nodes[0].measured = true;
  yard.nodes[0].model_seconds = 1;
  for (const bool reproducible : {false, true}) {
    Dispatcher dispatcher(reproducible);
    dispatcher.begin({testing::nth_state(0)});
    dispatcher.expect_calls(2);
    const Plan plan = dispatcher.decide(yard);
    EXPECT_EQ(plan.target(), testing::nth_state(reproducible ? 1 : 0));
  }
}

}  // namespace
}  // namespace switchyard
