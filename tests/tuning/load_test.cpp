// Calibration on a machine that is busy: waits for a processor, and readings of the load.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <switchyard/backends/openmp.hpp>
#include <switchyard/tuning/calibrate.hpp>
#include <switchyard/tuning/calibration_load.hpp>

#include "fallback.hpp"
#include "learn.hpp"
#include "load_watch.hpp"
#include "models/synthetic.hpp"
#include "stopwatch.hpp"

namespace switchyard {
namespace {

using synthetic::csr_key;
using synthetic::csr_products;
using synthetic::link_seconds;
using synthetic::Numbers;
using synthetic::product_seconds;

/// Other programs' time slice.
constexpr double slice = 4e-3;

/// Which calls of an operation are stalled for a time slice. `since_pause` counts calls after one.
using Stalled = bool (*)(int call, int since_pause);

struct Pattern {
  const char* what;
  Stalled stalled;
};

/// A machine that is busy, and an operation of so many seconds on it.
struct BusyMachine {
  double seconds;
  Stalled stalled;
  double now = 0;
  double waited = 0;  // since the last reading
  int calls = 0;
  int since_pause = 1'000'000;

  Timing measure() {
    const Instruments instruments{.clock = [this] { return now; },
                                  .waited = [this] { return std::exchange(waited, 0); },
                                  .pause =
                                      [this](double pause) {
                                        now += pause;
                                        since_pause = 0;
                                      }};
    const auto operation = [this] {
      const bool stall = stalled(calls++, since_pause++);
      now += seconds + (stall ? slice : 0);
      waited += stall ? slice : 0;
    };
    return typical_seconds(instruments, {}, operation, [] {});
  }
};

/// Transfers over a link of 8 us and 50 GB/s, measured on such a machine.
std::vector<KeyedSample> measured(Stalled stalled) {
  std::vector<KeyedSample> samples;
  for (const Sample& exact : synthetic::transfers(40, 8e-6, 5e10)) {
    BusyMachine machine{exact.seconds, stalled};
    const Timing timing = machine.measure();
    samples.push_back({synthetic::link_key(), {exact.features, timing.seconds}, timing.disturbed});
  }
  return samples;
}

TEST(BusyMachine, StallsAreNeitherMeasuredNorBelieved) {
  constexpr Pattern patterns[] = {
      {"never", [](int, int) { return false; }},
      {"every fifth call", [](int call, int) { return call % 5 == 4; }},
      {"ten of twenty calls", [](int call, int) { return call % 20 < 10; }},
      {"all calls, but for ten after a pause", [](int, int since) { return since > 10; }},
      {"all calls but the second to fifth after a pause",
       [](int, int since) { return since < 1 || since > 4; }},
      {"for a while, then never", [](int call, int) { return call < 12; }},
  };
  const std::vector<std::shared_ptr<Executor>> spaces{make_host_executor(), make_host_executor()};
  for (const auto& [what, stalled] : patterns) {
    SCOPED_TRACE(what);
    const Learnt learnt = learn(measured(stalled), spaces);
    ASSERT_EQ(learnt.models.size(), 1U);
    for (const Sample& exact : synthetic::transfers(33, 8e-6, 5e10)) {
      const double seconds = learnt.models[0].predict(exact.features).seconds;
      EXPECT_NEAR(seconds, exact.seconds, 0.1 * exact.seconds);
    }
    const Polynomial& polynomial = learnt.models[0].tiers.front().polynomial;
    EXPECT_NEAR(synthetic::coefficient(polynomial, {}), 8e-6, 8e-7);
    EXPECT_NEAR(synthetic::coefficient(polynomial, {Quantity::Bytes}), 2e-11, 2e-12);
  }
}

TEST(BusyMachine, WhatIsAlwaysStalledIsMarkedAndItsModelIsWide) {
  const auto samples = measured([](int, int) { return true; });
  for (const KeyedSample& sample : samples) {
    // What takes longer than the stalls is known without them.
    const double exact = link_seconds(sample.sample.features);
    EXPECT_EQ(sample.disturbed, !(slice <= 0.2 * (slice + exact))) << exact;
  }
  const std::vector<std::shared_ptr<Executor>> spaces{make_host_executor(), make_host_executor()};
  const Learnt learnt = learn(samples, spaces);
  EXPECT_GT(learnt.disturbed, 0.9);
  ASSERT_EQ(learnt.models.size(), 1U) << "none is left out";
  EXPECT_GE(learnt.models[0].quality.p95_error, 2) << "though the timings agree";
  ASSERT_EQ(learnt.unfitted.size(), 1U);
  EXPECT_NE(learnt.unfitted[0].reason.find("other programs disturbed"), std::string::npos);
  for (const Sample& exact : synthetic::transfers(33, 8e-6, 5e10)) {
    const Estimate estimate = learnt.models[0].predict(exact.features);
    EXPECT_TRUE(std::isfinite(estimate.seconds));
  }
}

TEST(BusyMachine, ALongOperationIsKnownWithoutItsWaits) {
  BusyMachine machine{0.05, [](int call, int) { return call % 4 != 3; }};
  const Timing some = machine.measure();
  EXPECT_NEAR(some.seconds, 0.05, 1e-4);
  EXPECT_FALSE(some.disturbed);
  EXPECT_TRUE(some.waited);
}

TEST(BusyMachine, WaitsOfUnknownLengthAreLeftOut) {
  // Only context switches are counted: a wait is infinite.
  double now = 0;
  int calls = 0;
  bool lost = false;
  const Instruments instruments{
      .clock = [&] { return now; },
      .waited =
          [&] {
            return std::exchange(lost, false) ? std::numeric_limits<double>::infinity() : 0.0;
          },
      .pause = [&](double seconds) { now += seconds; }};
  const Timing timing = typical_seconds(
      instruments, {},
      [&] {
        lost = ++calls % 4 == 0;
        now += lost ? 4e-3 : 1e-3;
      },
      [] {});
  EXPECT_NEAR(timing.seconds, 1e-3, 1e-9);
  EXPECT_FALSE(timing.disturbed);
}

std::vector<KeyedSample> products(int count, std::uint64_t seed, bool disturbed, double most = 1) {
  Numbers numbers(seed);
  std::vector<KeyedSample> samples;
  for (Sample sample : csr_products(count, seed, product_seconds)) {
    if (most > 1) sample.seconds *= numbers.logarithmic(1, most);
    samples.push_back({csr_key(), sample, disturbed});
  }
  return samples;
}

TEST(LearnDisturbed, SamplesWidenTheErrorAndDoNotMoveThePredictions) {
  const std::vector<std::shared_ptr<Executor>> host{make_host_executor()};
  auto samples = products(30, 1, false);
  const CostModel alone = learn(samples, host).models.at(0);
  // As many again, up to a thousand times too slow.
  const auto disturbed = products(30, 2, true, 1000);
  samples.insert(samples.end(), disturbed.begin(), disturbed.end());
  const Learnt learnt = learn(samples, host);
  const CostModel& both = learnt.models.at(0);
  EXPECT_EQ(learnt.disturbed, 0.5);
  EXPECT_GT(both.quality.p95_error, 1);
  EXPECT_GT(both.quality.p95_error, alone.quality.p95_error);
  for (const Sample& fresh : csr_products(100, 4, product_seconds)) {
    if (alone.predict(fresh.features).extrapolated) continue;
    const double error = prediction_error(both.predict(fresh.features).seconds, fresh.seconds);
    EXPECT_LT(error, 0.1);
  }
}

// Two threads that wait for each other may be stalled whenever they are measured, one thread not.
TEST(LearnDisturbed, AVariantThatIsAlwaysDisturbedIsTakenForItsSibling) {
  const std::vector<std::shared_ptr<Executor>> host{make_host_executor()};
  auto samples = products(30, 1, false);
  const ModelKey stalled = multiply_key({Space::host(), Format::Csr}, Precision::Float, "stalled");
  for (KeyedSample sample : products(30, 2, true)) {
    sample.key = stalled;
    sample.sample.seconds = 8e-3;  // whatever its size
    samples.push_back(sample);
  }
  const Profile models({}, learn(samples, host).models);
  const CostModel* const model = models.find(stalled);
  ASSERT_NE(model, nullptr);
  EXPECT_GE(model->quality.p95_error, 2);
  for (const Sample& fresh : csr_products(50, 4, product_seconds)) {
    EXPECT_EQ(model->predict(fresh.features).seconds,
              models.find(csr_key())->predict(fresh.features).seconds);
  }
}

TEST(LearnDisturbed, ABuildThatWasTimedOnceHasAModel) {
  const std::vector<std::shared_ptr<Executor>> spaces{make_host_executor(), make_host_executor()};
  const ModelKey key = build_key(Space::device(0), Precision::Float, "csr_multiply");
  const Learnt learnt = learn({{key, {build_features(), 0.25}}}, spaces);
  ASSERT_EQ(learnt.models.size(), 1U);
  EXPECT_TRUE(learnt.unfitted.empty());
  EXPECT_NEAR(learnt.models[0].predict(build_features()).seconds, 0.25, 1e-9);
  EXPECT_GE(learnt.models[0].quality.p95_error, 2);
}

// The first run was quiet; the machine is busy when it is resumed, or measures again.
TEST(LearnDisturbed, AnUndisturbedSampleIsNeverReplacedByADisturbedOne) {
  const std::vector<std::shared_ptr<Executor>> host{make_host_executor()};
  const auto quiet = products(30, 1, false);
  auto samples = quiet;
  for (KeyedSample again : quiet) {
    again.disturbed = true;
    again.sample.seconds /= 3;  // a time without its waits may be too short, too
    samples.push_back(again);
  }
  for (const bool reversed : {false, true}) {
    if (reversed) std::ranges::reverse(samples);
    const Learnt learnt = learn(samples, host);
    EXPECT_EQ(learnt.disturbed, 0);
    for (const KeyedSample& sample : quiet) {
      EXPECT_NEAR(learnt.models.at(0).predict(sample.sample.features).seconds,
                  sample.sample.seconds, 1e-3 * sample.sample.seconds);
    }
  }
}

TEST(LearnDisturbed, IsMeasuredAgain) {
  const std::vector<std::shared_ptr<Executor>> host{make_host_executor()};
  auto samples = products(30, 1, false);
  const Profile models({}, learn(samples, host).models);
  EXPECT_TRUE(unexplained(samples, models).empty());
  samples[3].disturbed = true;
  EXPECT_EQ(unexplained(samples, models).size(), 1U);
}

TEST(Fallback, IsAScaledSiblingOrTheBuiltInModel) {
  const State state{Space::host(), Format::Csr};
  const ModelKey key = multiply_key(state, Precision::Float, "odd");
  std::vector<Sample> few = csr_products(3, 7, product_seconds);
  for (Sample& sample : few) sample.seconds *= 2;
  const CostModel sibling =
      fit_cost_model(csr_key(), csr_products(40, 1, product_seconds), {}).value();
  const auto scaled = fallback_model(key, few, {sibling});
  ASSERT_TRUE(scaled);
  EXPECT_EQ(scaled->key, key);
  EXPECT_FALSE(scaled->built_in);
  EXPECT_GE(scaled->quality.p95_error, 2);
  for (const Sample& fresh : csr_products(50, 4, product_seconds)) {
    const double alone = sibling.predict(fresh.features).seconds;
    EXPECT_NEAR(scaled->predict(fresh.features).seconds, 2 * alone, 0.1 * alone);
  }
  // Without samples it is the sibling as it is, without a sibling the built-in model.
  const Features features = few[0].features;
  EXPECT_EQ(fallback_model(key, {}, {sibling})->predict(features).seconds,
            sibling.predict(features).seconds);
  const auto assumed = fallback_model(key, few, {});
  ASSERT_TRUE(assumed);
  EXPECT_GE(assumed->quality.p95_error, 2);
  EXPECT_GT(assumed->predict(features).seconds, 0);
  EXPECT_FALSE(fallback_model(key, {}, {}));
  // A sibling of another state is none.
  CostModel elsewhere = sibling;
  elsewhere.key.from.space = elsewhere.key.to.space = Space::device(0);
  EXPECT_FALSE(fallback_model(key, {}, {elsewhere}));
  // Every kind has one, and it can be stored.
  for (const ModelKey& other :
       {key, convert_key(Format::Csr, Format::Dense, Space::host(), Precision::Float),
        transfer_key(Space::host(), Space::device(0)),
        build_key(Space::device(0), Precision::Float, "csr_multiply")}) {
    const auto model = fallback_model(other, few, {});
    ASSERT_TRUE(model);
    EXPECT_NO_THROW(static_cast<void>(profile_to_json(Profile({}, {*model}))));
  }
}

// A thread alone does without the cost of waking a team, which matters on small matrices only.
TEST(Fallback, IsNotScaledByTheSmallestMatrices) {
  const State state{Space::host(), Format::Csr};
  const ModelKey key = multiply_key(state, Precision::Float, "odd");
  const auto of_team = [](const Features& features) { return 5e-5 + product_seconds(features); };
  const auto alone = [](const Features& features) { return 1.5 * product_seconds(features); };
  const CostModel sibling = fit_cost_model(csr_key(), csr_products(60, 1, of_team), {}).value();
  std::vector<Sample> few = csr_products(60, 7, alone);
  std::ranges::sort(few, {}, &Sample::seconds);
  const std::vector<Sample> spread{few[0], few[5], few[10], few[45], few[50], few[55]};
  const auto scaled = fallback_model(key, spread, {sibling});
  ASSERT_TRUE(scaled);
  for (const Sample& fresh : csr_products(60, 4, alone)) {
    if (fresh.seconds < few[45].seconds) continue;
    EXPECT_GT(scaled->predict(fresh.features).seconds, 0.6 * fresh.seconds);
  }
}

/// A reading after so many seconds with so many busy processors of others.
MachineLoad reading(double seconds, double others, Index running) {
  const double processors = 1e3;  // more than any machine has, so that none is taken for idle
  MachineLoad load;
  load.average = {.one_minute = 0, .running = running};
  load.processors = {.busy = seconds * others, .idle = seconds * (processors - others), .steal = 0};
  return load;
}

TEST(LoadWatch, ComparesReadings) {
  double now = 0;
  double others = 0;
  double busy = 0;
  const LoadSource source{.read =
                              [&] {
                                MachineLoad load = reading(1, 0, 4);
                                load.processors->busy = busy;
                                load.processors->idle = now;
                                return load;
                              },
                          .pause =
                              [&](double seconds) {
                                busy += seconds * others;
                                now += seconds;
                              }};
  LoadWatch quiet(source);
  ASSERT_TRUE(quiet.before());
  EXPECT_EQ(quiet.before()->others_before, 0);
  EXPECT_EQ(quiet.before()->average, 3) << "without the thread that reads";
  EXPECT_EQ(quiet.until_now(1)->others, 0);
  others = 5;
  const LoadWatch loaded(source);
  EXPECT_GT(loaded.before()->others_before, 0);
  others = 0;
  source.pause(3);
  EXPECT_LT(loaded.until_now(3)->others, loaded.before()->others_before);
  const LoadWatch blind({[] { return MachineLoad{}; }, [](double) {}});
  EXPECT_FALSE(blind.before());
  EXPECT_FALSE(blind.until_now(1));
}

TEST(BusyText, SaysTheLoadAndTheErrorOfABusyMachineOnly) {
  CostModel model = fit_cost_model(csr_key(), csr_products(40, 1, product_seconds), {}).value();
  model.quality.p95_error = 0.63;
  Profile profile({.cpu = "c", .threads = 2, .library_version = "1", .devices = {}}, {model});
  EXPECT_EQ(busy_text(profile), "") << "the load is unknown";
  profile.load = CalibrationLoad{.processors = 2, .average = 4.3, .others = 0.1};
  EXPECT_EQ(busy_text(profile), "") << "quiet in spite of what was before";
  profile.load->others = 1.2;
  EXPECT_EQ(busy_text(profile), "load 4.3 on 2 processors: predictions may be off by 63 %");
  model.quality.p95_error = 2.5;
  Profile wide(profile.fingerprint(), {model});
  wide.load = CalibrationLoad{.processors = 1, .average = 0.2, .others_before = 0.9};
  EXPECT_EQ(busy_text(wide), "load 0.9 on 1 processor: predictions may be off by a factor of 3.5");
}

TEST(Calibrate, KeepsTheLoadThatItRead) {
  std::vector<std::shared_ptr<Executor>> host{make_host_executor()};
  host.front()->memory()->set_budget(std::size_t{1} << 14);
  CalibrationOptions options;
  options.effort = Effort::Quick;
  options.budget_seconds = 0.5;
  double busy = 0;
  options.load = [&] {
    MachineLoad load = reading(0, 0, 3);
    load.processors->busy = busy += 0.01;
    return load;
  };
  const auto loaded =
      calibrate(host, {.cpu = "c", .threads = 2, .library_version = "1", .devices = {}}, options)
          .profile.load;
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->average, 2);
  EXPECT_GT(loaded->others, 0);
  options.load = [] { return MachineLoad{}; };
  EXPECT_FALSE(
      calibrate(host, {.cpu = "c", .threads = 2, .library_version = "1", .devices = {}}, options)
          .profile.load);
}

}  // namespace
}  // namespace switchyard
