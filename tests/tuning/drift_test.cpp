// Drift: measured against predicted, by operation and space.
#include <gtest/gtest.h>

#include <limits>
#include <switchyard/backends/opencl.hpp>
#include <switchyard/backends/openmp.hpp>

#include "drift_of.hpp"
#include "models/synthetic.hpp"

namespace switchyard {
namespace {

double streaming_seconds(const Features& f) { return 1e-6 + f[Quantity::Bytes] / 2e10; }

/// A profile of a link and of products on the host.
Profile profile_of(double p95_error = 0) {
  std::vector<CostModel> models;
  models.push_back(
      fit_cost_model(synthetic::link_key(), synthetic::transfers(40, 8e-6, 5e10), {}).value());
  models.push_back(
      fit_cost_model(synthetic::csr_key(), synthetic::csr_products(40, 1, streaming_seconds), {})
          .value());
  for (CostModel& model : models) model.quality.p95_error = p95_error;
  return Profile({}, std::move(models));
}

std::vector<KeyedSample> samples_times(double factor) {
  std::vector<KeyedSample> samples;
  for (const double bytes : {1e4, 1e6, 1e8}) {
    const Features features = transfer_features(bytes);
    samples.push_back(
        {synthetic::link_key(), {features, factor * synthetic::link_seconds(features)}});
  }
  for (const Sample& exact : synthetic::csr_products(5, 1, streaming_seconds)) {
    samples.push_back({synthetic::csr_key(), {exact.features, factor * exact.seconds}});
  }
  return samples;
}

TEST(DriftOf, IsTheFactorOfEachOperationAndSpace) {
  const auto drifts = drift_of(samples_times(1.5), profile_of(0.25));
  ASSERT_EQ(drifts.size(), 2U);
  EXPECT_EQ(drifts[0].operation, Operation::Multiply);
  EXPECT_TRUE(drifts[0].from.is_host());
  EXPECT_EQ(drifts[0].samples, 5);
  EXPECT_EQ(drifts[1].operation, Operation::Transfer);
  EXPECT_EQ(drifts[1].to, Space::device(0));
  for (const Drift& drift : drifts) {
    EXPECT_NEAR(drift.factor, 1.5, 1e-3);
    EXPECT_NEAR(drift.promised, 1.25, 1e-9);
    EXPECT_FALSE(drift.drifted());
  }
}

TEST(DriftOf, BeyondWhatWasPromisedAndTwiceEitherWayIsDrift) {
  struct Case {
    double factor;
    double error;
    bool drifted;
  };
  for (const auto& [factor, error, drifted] :
       {Case{1.9, 0, false}, Case{2.1, 0, true}, Case{0.55, 0, false}, Case{0.45, 0, true},
        Case{10, 0.4, true}, Case{2.5, 2, false}, Case{3.5, 2, true}, Case{0.1, 0.4, true}}) {
    for (const Drift& drift : drift_of(samples_times(factor), profile_of(error))) {
      EXPECT_EQ(drift.drifted(), drifted) << factor << " " << error;
    }
  }
}

TEST(DriftOf, OneDisturbedSampleIsNone) {
  auto samples = samples_times(1);
  samples[1].sample.seconds *= 100;
  for (const Drift& drift : drift_of(samples, profile_of())) EXPECT_FALSE(drift.drifted());
}

TEST(DriftOf, DisturbedSamplesCountWhereThereAreNoOthers) {
  auto samples = samples_times(10);
  for (KeyedSample& sample : samples) sample.disturbed = true;
  for (const Drift& drift : drift_of(samples, profile_of())) EXPECT_TRUE(drift.drifted());
  const auto quiet = samples_times(1);
  samples.insert(samples.end(), quiet.begin(), quiet.end());
  for (const Drift& drift : drift_of(samples, profile_of())) EXPECT_FALSE(drift.drifted());
}

TEST(DriftOf, WhatCannotBeComparedIsLeftOut) {
  EXPECT_TRUE(drift_of(samples_times(1), Profile()).empty());
  for (const double absurd : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                              std::numeric_limits<double>::infinity()}) {
    EXPECT_TRUE(drift_of(samples_times(absurd), profile_of()).empty()) << absurd;
  }
  const KeyedSample beyond{synthetic::link_key(), {transfer_features(1e15), 1}};
  EXPECT_TRUE(drift_of({beyond}, profile_of()).empty());
}

TEST(MeasureDrift, MeasuresWhatTheProfileKnowsAndEnds) {
  std::vector<CostModel> models;
  models.push_back(
      fit_cost_model(multiply_key({Space::host(), Format::Csr}, Precision::Float, "balanced"),
                     synthetic::csr_products(60, 1, streaming_seconds), {})
          .value());
  const Profile profile({}, std::move(models));
  const auto drifts = measure_drift({make_host_executor()}, profile, {.seconds = 60});
  ASSERT_EQ(drifts.size(), 1U);
  EXPECT_EQ(drifts[0].operation, Operation::Multiply);
  EXPECT_GE(drifts[0].samples, 3);
  EXPECT_GT(drifts[0].factor, 0);
  EXPECT_TRUE(measure_drift({make_host_executor()}, profile, {.seconds = 0}).empty());
}

TEST(MeasureDrift, MeasuresDevicesAndTheWayToThem) {
  std::vector<std::shared_ptr<Executor>> executors = open_opencl_devices();
  if (executors.empty()) GTEST_SKIP() << "there is no OpenCL device";
  executors.insert(executors.begin(), make_host_executor());
  std::vector<CostModel> models;
  models.push_back(
      fit_cost_model(synthetic::link_key(), synthetic::transfers(40, 8e-6, 5e10), {}).value());
  models.push_back(
      fit_cost_model(multiply_key({Space::device(0), Format::Csr}, Precision::Float, "scalar"),
                     synthetic::csr_products(60, 1, streaming_seconds), {})
          .value());
  const auto drifts = measure_drift(executors, Profile({}, std::move(models)), {.seconds = 60});
  ASSERT_EQ(drifts.size(), 2U);
  for (const Drift& drift : drifts) {
    EXPECT_EQ(drift.to, Space::device(0));
    EXPECT_GE(drift.samples, 3);
    EXPECT_GT(drift.factor, 0);
  }
}

}  // namespace
}  // namespace switchyard
