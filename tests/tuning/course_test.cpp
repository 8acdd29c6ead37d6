// How long calibrating goes on.
#include "course.hpp"

#include <gtest/gtest.h>

#include "checkpoint.hpp"

namespace switchyard {
namespace {

/// A budget of ten seconds, by a clock that only experiments move on.
struct TenSeconds {
  double now = 0;
  Clock clock = [this] { return now; };
  CalibrationOptions options;

  TenSeconds() { options.budget_seconds = 10; }

  [[nodiscard]] Experiment taking(double seconds, const std::string& name, bool first = false) {
    return {name, 1,
            [this, seconds] {
              now += seconds;
              return std::vector<KeyedSample>{};
            },
            first};
  }
  /// How many were finished.
  [[nodiscard]] Index run(const std::vector<Experiment>& experiments) const {
    Checkpoint checkpoint({}, {}, false);
    Course course(options, clock);
    EXPECT_TRUE(course.run(experiments, checkpoint).empty());
    return course.done();
  }
};

TEST(Course, EndsWhenTheTimeIsUp) {
  TenSeconds ten;
  EXPECT_EQ(ten.run({ten.taking(6, "a"), ten.taking(6, "b"), ten.taking(1, "c")}), 2);
}

TEST(Course, WhatComesFirstLeavesHalfOfTheTime) {
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

}  // namespace
}  // namespace switchyard
