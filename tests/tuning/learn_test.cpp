// From samples to models: disturbed ones, too few of them, and those that need a second look.
#include "learn.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <switchyard/backends/openmp.hpp>
#include <switchyard/models/builtin.hpp>

#include "models/synthetic.hpp"
#include "sampling.hpp"

namespace switchyard {
namespace {

using synthetic::csr_key;
using synthetic::csr_products;
using synthetic::Numbers;
using synthetic::product_seconds;

std::vector<std::shared_ptr<Executor>> host() { return {make_host_executor()}; }

std::vector<KeyedSample> keyed(const ModelKey& key, const std::vector<Sample>& samples) {
  std::vector<KeyedSample> with_key;
  for (const Sample& sample : samples) with_key.push_back({key, sample});
  return with_key;
}

// A run that is resumed on a busy machine: what the first run measured is still worth a model.
TEST(Learn, AResumedRunLosesNoModelThatTheFirstRunHad) {
  auto samples = keyed(csr_key(), csr_products(40, 1, product_seconds));
  ASSERT_EQ(learn(samples, host()).models.size(), 1U);
  Numbers numbers(2);
  for (KeyedSample late : keyed(csr_key(), csr_products(44, 3, product_seconds))) {
    late.sample.seconds *= numbers.uniform(2.5, 6);
    samples.push_back(late);
  }
  const Learnt learnt = learn(samples, host());
  ASSERT_EQ(learnt.models.size(), 1U);
  EXPECT_TRUE(learnt.unfitted.empty());
  for (const Sample& fresh : csr_products(100, 4, product_seconds)) {
    const Estimate estimate = learnt.models[0].predict(fresh.features);
    if (estimate.extrapolated) continue;
    EXPECT_LT(prediction_error(estimate.seconds, fresh.seconds), 0.3);
  }
  EXPECT_GT(learnt.models[0].quality.p95_error, 1);  // and it says that it was disturbed
}

TEST(Learn, WhatCannotBeFittedIsReportedWithItsReason) {
  const State state{Space::host(), Format::Csr};
  const ModelKey few = multiply_key(state, Precision::Float, "few");
  const ModelKey wild = multiply_key(state, Precision::Float, "wild");
  auto samples = keyed(few, csr_products(6, 1, product_seconds));
  for (std::size_t i = 0; i < 3; ++i) samples[i].sample.seconds = 0;
  Numbers numbers(5);
  for (KeyedSample sample : keyed(wild, csr_products(40, 2, product_seconds))) {
    sample.sample.seconds = numbers.logarithmic(1e-9, 1);
    samples.push_back(sample);
  }
  const Learnt learnt = learn(samples, host());
  // Neither is left out: what is rough says so, and is no further from built-in figures than a
  // factor of 16.
  ASSERT_EQ(learnt.models.size(), 2U);
  const Profile assumed = builtin_profile({}, {few, wild}, {});
  for (const CostModel& model : learnt.models) {
    EXPECT_GE(model.quality.p95_error, 2);
    for (const Sample& sample : csr_products(50, 3, product_seconds)) {
      if (model.predict(sample.features).extrapolated) continue;
      const double ratio = model.predict(sample.features).seconds /
                           assumed.find(model.key)->predict(sample.features).seconds;
      EXPECT_GT(ratio, 1 / 16.1);
      EXPECT_LT(ratio, 16.1);
    }
  }
  ASSERT_EQ(learnt.unfitted.size(), 2U);
  EXPECT_EQ(learnt.unfitted[0].key, few);
  EXPECT_EQ(learnt.unfitted[0].reason, "too few usable timings (3 of 4 needed)");
  EXPECT_EQ(learnt.unfitted[1].key, wild);
  EXPECT_EQ(learnt.unfitted[1].reason, "its 40 timings are too inconsistent");
}

TEST(Learn, ASecondLookIsForWhatTheModelsMiss) {
  const ModelKey steady = csr_key();
  const ModelKey odd = multiply_key({Space::host(), Format::Csr}, Precision::Float, "odd");
  const ModelKey unknown = multiply_key({Space::host(), Format::Csr}, Precision::Float, "new");
  auto samples = keyed(steady, csr_products(40, 1, product_seconds));
  for (const KeyedSample& sample : keyed(odd, csr_products(40, 2, product_seconds))) {
    samples.push_back(sample);
  }
  const Profile models({}, learn(samples, host()).models);
  KeyedSample far = samples.back();
  far.sample.seconds *= 1.3;
  KeyedSample low = samples.front();
  low.sample.seconds /= 1.3;
  KeyedSample other = samples.back();
  other.key = unknown;
  EXPECT_EQ(unexplained({samples.front(), samples.back()}, models), std::set<ModelKey>{});
  EXPECT_EQ(unexplained({samples.front(), far}, models), std::set<ModelKey>{odd});
  EXPECT_EQ(unexplained({low, samples.back()}, models), std::set<ModelKey>{steady});
  EXPECT_EQ(unexplained({other}, models), std::set<ModelKey>{unknown});
}

/// What a standard calibration of twenty formats in one space samples of multiplications: two
/// precisions, three variants, with noise and a cache.
std::vector<KeyedSample> twenty_formats() {
  std::vector<KeyedSample> samples;
  Numbers numbers(9);
  testing::Sample formats;
  for (int format = 0; format < 20; ++format) {
    if (!formats.next()) continue;
    for (const Precision precision : {Precision::Float, Precision::Double}) {
      for (int variant = 0; variant < 3; ++variant) {
        const double rate = numbers.logarithmic(1e9, 1e11);
        const auto seconds = [&](const Features& f) {
          const double bytes = f[Quantity::Bytes];
          return (1e-6 + bytes / rate * (bytes < 1e6 ? 0.3 : 1) + 1e-10 * f[Quantity::Gathered]) *
                 std::exp(0.1 * numbers.normal());
        };
        const ModelKey key = multiply_key({Space::host(), Format::Csr}, precision,
                                          std::to_string(format) + " " + std::to_string(variant));
        const auto made =
            keyed(key, csr_products(150, static_cast<std::uint64_t>(format), seconds));
        samples.insert(samples.end(), made.begin(), made.end());
      }
    }
  }
  return samples;
}

// How long this takes is what fitting adds to a calibration; `--gtest_filter=Learn.Twenty*` tells.
TEST(Learn, TwentyFormatsAreAllFitted) {
  const auto samples = twenty_formats();
  const Learnt learnt = learn(samples, host());
  std::set<ModelKey> keys;
  for (const KeyedSample& sample : samples) keys.insert(sample.key);
  EXPECT_GE(keys.size(), testing::is_sampled ? 4 * 6U : 120U);
  EXPECT_EQ(learnt.models.size(), keys.size());
  for (const CostModel& model : learnt.models) EXPECT_LT(model.quality.median_error, 0.15);
}

}  // namespace
}  // namespace switchyard
