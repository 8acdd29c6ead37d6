// How long calibrating goes on.
#include "calibration_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <switchyard/backends/openmp.hpp>

#include "checkpoint.hpp"
#include "learn.hpp"
#include "models/synthetic.hpp"

namespace switchyard {
namespace {

/// A budget of ten seconds, by a clock that only experiments move on.
struct TenSeconds {
  double now = 0;
  Clock clock = [this] { return now; };
  CalibrationOptions options;

  TenSeconds() { options.budget_seconds = 10; }

  [[nodiscard]] Experiment taking(double seconds, const std::string& name, bool first = false) {
    return {name,
            1,
            [this, seconds](WantedKeys) {
              now += seconds;
              return std::vector<KeyedSample>{};
            },
            first,
            {}};
  }
  /// How many were finished.
  [[nodiscard]] Index run(const std::vector<Experiment>& experiments) const {
    Checkpoint checkpoint({}, {}, false);
    CalibrationRun calibration(options, clock);
    EXPECT_TRUE(calibration.run(experiments, checkpoint).empty());
    return calibration.done();
  }
};

TEST(CalibrationRun, EndsWhenTheTimeIsUp) {
  TenSeconds ten;
  EXPECT_EQ(ten.run({ten.taking(6, "a"), ten.taking(6, "b"), ten.taking(1, "c")}), 2);
}

TEST(CalibrationRun, WhatComesFirstLeavesHalfOfTheTime) {
  TenSeconds ten;
  const auto experiments = [&](double first) {
    return std::vector{ten.taking(first, "first", true), ten.taking(4, "a"), ten.taking(2, "b"),
                       ten.taking(2, "c"), ten.taking(2, "d")};
  };
  ten.now = 0;
  EXPECT_EQ(ten.run(experiments(100)), 3) << "4 and then 2 more seconds, begun before 5 were over";
  ten.now = 0;
  EXPECT_EQ(ten.run(experiments(1)), 5) << "9 seconds had gone when the last began";
}

// The second pass measures only what the models of the first one miss.
TEST(CalibrationRun, RepeatsWhatIsUnexplained) {
  using synthetic::transfers;
  TenSeconds ten;
  const auto other = transfer_key(Space::device(0), Space::host());
  const auto of = [](const ModelKey& key, const Sample& sample) {
    return KeyedSample{key, sample};
  };
  std::vector<Experiment> experiments;
  std::map<std::string, std::set<ModelKey>> repeated;
  int whole = 0;
  const auto add = [&](const std::string& name, std::vector<KeyedSample> samples) {
    experiments.push_back({name, 1, [samples](WantedKeys) { return samples; }, false, {}});
    experiments.push_back({name + ", again", 1,
                           [&, name](WantedKeys wanted) {
                             if (wanted) repeated[name] = *wanted;
                             whole += wanted == nullptr;
                             return std::vector<KeyedSample>{};
                           },
                           false, name});
  };
  int i = 0;
  for (const Sample& sample : transfers(20, 8e-6, 5e10)) {
    Sample slow = sample;
    if (i == 11) slow.seconds *= 3;  // disturbed
    add(std::to_string(i++), {of(synthetic::link_key(), sample), of(other, slow)});
  }
  std::ranges::stable_partition(experiments,
                                [](const Experiment& each) { return each.repeats.empty(); });
  Checkpoint checkpoint({}, {}, false);
  CalibrationRun run(ten.options, ten.clock, [](const std::vector<KeyedSample>& samples) {
    return Profile({}, learn(samples, {make_host_executor(), make_host_executor()}).models);
  });
  EXPECT_EQ(run.run(experiments, checkpoint).size(), 40U);
  EXPECT_EQ(run.done(), 40);
  EXPECT_EQ(whole, 0);
  ASSERT_EQ(repeated.size(), 1U);
  EXPECT_EQ(repeated["11"], std::set<ModelKey>{other});
}

}  // namespace
}  // namespace switchyard
