// Times that can be believed, from clocks that cannot.
#include "stopwatch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <switchyard/backends/openmp.hpp>

#include "learn.hpp"
#include "models/synthetic.hpp"

namespace switchyard {
namespace {

/// By a clock alone: nobody waits for a processor.
double seconds_by(const Clock& clock, const Patience& patience,
                  const std::function<void()>& operation, const std::function<void()>& settle) {
  const Timing timing = typical_seconds({.clock = clock}, patience, operation, settle);
  EXPECT_FALSE(timing.disturbed);
  return timing.seconds;
}

TEST(Stopwatch, DoesNotBelieveSpikes) {
  double now = 0;
  int calls = 0;
  const Clock clock = [&] { return now; };
  const double seconds = seconds_by(
      clock,
      {.least_repetitions = 9,
       .most_repetitions = 9,
       .seconds = 1,
       .batch_seconds = 0,
       .warm_up_seconds = 0},
      [&] { now += ++calls % 4 == 0 ? 100.0 : 2.0; }, [] {});
  EXPECT_EQ(seconds, 2);
}

TEST(Stopwatch, ShortOperationsAreTimedSeveralInARow) {
  double now = 0;
  int calls = 0;
  const Clock clock = [&] { return now; };
  const double seconds = seconds_by(
      clock,
      {.least_repetitions = 5,
       .most_repetitions = 5,
       .seconds = 1,
       .batch_seconds = 0.1,
       .warm_up_seconds = 0},
      [&] {
        now += 0.01;
        ++calls;
      },
      [&] { now += 0.05; });
  // A batch of two: each pays half of the settling.
  EXPECT_NEAR(seconds, 0.035, 1e-12);
  EXPECT_EQ(calls, 2 + 5 * 2);
}

TEST(Stopwatch, StopsEarlyWhereTheQuickestRepetitionsAgree) {
  const auto calls_of = [](double scatter) {
    double now = 0;
    int calls = 0;
    const Clock clock = [&] { return now; };
    // Slower from one call to the next, by that share of the first.
    const auto operation = [&] { now += 1e-3 * (1 + scatter * calls++); };
    const double seconds = seconds_by(
        clock, {.least_repetitions = 5, .most_repetitions = 20, .seconds = 1, .more_rounds = 0},
        operation, [] {});
    EXPECT_GE(seconds, 1e-3);
    return calls;
  };
  EXPECT_LT(calls_of(0.005), 12);  // the third of eight is 1 % above the first
  EXPECT_GT(calls_of(0.02), 20);   // 4 %
}

TEST(Stopwatch, AClockThatStandsStillEnds) {
  const Clock clock = [] { return 1.0; };
  EXPECT_EQ(seconds_by(
                clock, {}, [] {}, [] {}),
            0);
}

/// What a clock makes of the time that truly passed between two readings of it.
TEST(Stopwatch, WhatIsFarFromTheFastestIsTimedAFewTimesOnly) {
  double now = 0;
  const Clock clock = [&] { return now; };
  const auto calls_of = [&](double seconds, double slow_seconds) {
    int calls = 0;
    const double typical = seconds_by(
        clock, {.slow_seconds = slow_seconds},
        [&] {
          // The first call is slow, as it often is.
          now += ++calls == 1 ? 50 * seconds : seconds;
        },
        [] {});
    EXPECT_NEAR(typical, seconds, 1e-9);
    return calls;
  };
  EXPECT_EQ(calls_of(1e-3, 2e-4), 3);
  EXPECT_EQ(calls_of(1e-3, 0.9e-4), 2) << "what takes seconds is timed once";
  EXPECT_GT(calls_of(1e-3, 2e-3), 6);
  EXPECT_EQ(calls_of(1e-3, std::numeric_limits<double>::infinity()), calls_of(1e-3, 2e-3) - 2);
}

struct ClockFault {
  const char* what;
  double (*spoil)(double passed, int reading);
};

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr ClockFault faults[] = {
    {"spikes of 100 in every fifth", [](double s, int i) { return i % 5 == 0 ? 100 * s : s; }},
    {"spikes of 100 in half", [](double s, int i) { return i % 2 == 0 ? 100 * s : s; }},
    {"none in every ninth", [](double s, int i) { return i % 9 == 0 ? 0.0 : s; }},
    {"goes back in every third", [](double s, int i) { return i % 3 == 0 ? -s : s; }},
    {"goes back by a second at times", [](double s, int i) { return i % 7 == 0 ? s - 1 : s; }},
    {"goes on by a second at times", [](double s, int i) { return i % 7 == 0 ? s + 1 : s; }},
    {"no number in every fourth", [](double s, int i) { return i % 4 == 0 ? nan : s; }},
    {"infinite in every fourth", [](double s, int i) { return i % 4 == 0 ? infinity : s; }},
    {"all at once",
     [](double s, int i) {
       constexpr double factors[] = {1, 100, 1, -1, 1, nan, 1, 1, 1, 50, 1};
       return s * factors[i % 11];
     }},
    {"always none", [](double, int) { return 0.0; }},
    {"always back", [](double s, int) { return -s; }},
    {"no number ever", [](double, int) { return nan; }},
    {"ticks of 10 ms", [](double s, int i) { return i % 97 == 0 ? 1e-2 : 0 * s; }},
};

/// Times transfers over a link of 8 us and 50 GB/s with a clock that has the fault.
std::vector<KeyedSample> time_link(const ClockFault& fault) {
  std::vector<KeyedSample> samples;
  int reading = 0;
  for (const Sample& exact : synthetic::transfers(40, 8e-6, 5e10)) {
    double shown = 0;
    const Clock clock = [&] { return shown; };
    const double seconds = seconds_by(
        clock, {.batch_seconds = 0, .warm_up_seconds = 0},
        [&] {
          const double passed = fault.spoil(exact.seconds, ++reading);
          // A reading that is no number says so once.
          shown = std::isfinite(shown) ? shown + passed : exact.seconds;
        },
        [] {});
    samples.push_back({synthetic::link_key(), {exact.features, seconds}});
  }
  return samples;
}

TEST(ClockFaults, ALinkIsRecoveredWithinATenthOrHasNoModelToBeTrusted) {
  const std::vector<std::shared_ptr<Executor>> spaces{make_host_executor(), make_host_executor()};
  int recovered = 0;
  for (const ClockFault& fault : faults) {
    SCOPED_TRACE(fault.what);
    auto samples = time_link(fault);
    const auto again = time_link(fault);  // as calibration does
    samples.insert(samples.end(), again.begin(), again.end());
    const auto models = learn(samples, spaces).models;
    if (models.empty()) continue;
    const ModelQuality& quality = models[0].quality;
    // What the command marks as weak.
    if (quality.median_error > 0.1 || quality.p95_error > 0.4 || quality.r_squared < 0.99) continue;
    ++recovered;
    for (const Sample& exact : synthetic::transfers(33, 8e-6, 5e10)) {
      EXPECT_NEAR(models[0].predict(exact.features).seconds, exact.seconds, 0.1 * exact.seconds);
    }
    const Polynomial& polynomial = models[0].tiers.front().polynomial;
    EXPECT_NEAR(synthetic::coefficient(polynomial, {}), 8e-6, 8e-7);
    EXPECT_NEAR(synthetic::coefficient(polynomial, {Quantity::Bytes}), 2e-11, 2e-12);
  }
  // Nine of these clocks are right most of the time.
  EXPECT_GE(recovered, 9);
}

TEST(Learn, ASecondTimeThatNoClockGivesDoesNotReplaceTheFirst) {
  const std::vector<std::shared_ptr<Executor>> spaces{make_host_executor(), make_host_executor()};
  std::vector<KeyedSample> samples;
  for (const Sample& exact : synthetic::transfers(20, 8e-6, 5e10)) {
    samples.push_back({synthetic::link_key(), exact});
    for (const double absurd : {0.0, -1.0, nan, infinity}) {
      samples.push_back({synthetic::link_key(), {exact.features, absurd}});
    }
  }
  const auto models = learn(samples, spaces).models;
  ASSERT_EQ(models.size(), 1U);
  EXPECT_EQ(models[0].quality.samples, 20);
  EXPECT_LT(models[0].quality.p95_error, 1e-6);
}

TEST(Learn, SamplesOfASpaceThatIsNotThereGiveNothing) {
  std::vector<KeyedSample> samples;
  for (const Sample& exact : synthetic::transfers(20, 8e-6, 5e10)) {
    samples.push_back({transfer_key(Space::host(), Space::device(7)), exact});
  }
  EXPECT_TRUE(learn(samples, {make_host_executor()}).models.empty());
}

}  // namespace
}  // namespace switchyard
