// Calibration under a clock that the test turns, and its checkpoint.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <switchyard/backends/openmp.hpp>
#include <switchyard/tuning/calibrate.hpp>

#include "checkpoint.hpp"
#include "experiments.hpp"
#include "stopwatch.hpp"

namespace switchyard {
namespace {

std::filesystem::path temporary_file(const std::string& name) {
  const auto folder = std::filesystem::temp_directory_path() / "switchyard-tuning-test";
  std::filesystem::create_directories(folder);
  return folder / (name + std::to_string(::getpid()));
}

Fingerprint some_machine() {
  return {.cpu = "a cpu", .threads = 2, .library_version = "1", .devices = {}};
}

KeyedSample some_sample() {
  KeyedSample sample;
  sample.key = multiply_key({Space::device(1), Format::Csr}, Precision::Double, "vector");
  sample.sample.seconds = 1.0 / 3;
  sample.sample.features[Quantity::Bytes] = 1e10 / 7;
  return sample;
}

TEST(Stopwatch, DoesNotBelieveSpikes) {
  double now = 0;
  int calls = 0;
  const Clock clock = [&] { return now; };
  const double seconds = typical_seconds(
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
  const double seconds = typical_seconds(
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

TEST(Stopwatch, AClockThatStandsStillEnds) {
  const Clock clock = [] { return 1.0; };
  EXPECT_EQ(typical_seconds(
                clock, {}, [] {}, [] {}),
            0);
}

TEST(Experiments, EveryBeginningCoversTheRange) {
  for (const Effort effort : {Effort::Quick, Effort::Standard, Effort::Thorough}) {
    const auto list = matrix_experiments(effort, 1e12);
    ASSERT_GT(list.size(), 40U);
    double smallest = 1e18;
    double largest = 0;
    for (std::size_t i = 0; i < 24; ++i) {
      if (!list[i].dense) continue;
      const auto& m = list[i].matrix;
      const auto elements = static_cast<double>(m.rows) * static_cast<double>(m.cols);
      smallest = std::min(smallest, elements);
      largest = std::max(largest, elements);
    }
    EXPECT_LT(smallest, 2e4);
    EXPECT_GT(largest, 1e6);
  }
}

TEST(Experiments, StayWithinTheMemory) {
  for (const auto& experiment : matrix_experiments(Effort::Thorough, 1e6)) {
    const auto& m = experiment.matrix;
    const auto cols = m.cols > 0 ? m.cols : m.rows;
    if (experiment.dense) {
      EXPECT_LE(static_cast<double>(m.rows) * static_cast<double>(cols) * 8, 2e6);
    }
  }
  for (const Index bytes : transfer_sizes(Effort::Thorough, 1e6)) EXPECT_LE(bytes, 1'000'001);
}

TEST(Checkpoint, KeepsSamplesExactlyAndLeavesOutDamage) {
  const auto file = temporary_file("checkpoint");
  {
    Checkpoint checkpoint(file, some_machine(), false);
    checkpoint.add("one", {some_sample()});
    checkpoint.add("two", {some_sample(), some_sample()});
  }
  std::ofstream(file, std::ios::app) << "{\"experiment\":\"three\",\"samples\":[[0,\"csr@h";
  Checkpoint resumed(file, some_machine(), true);
  ASSERT_EQ(resumed.finished().size(), 2U);
  const auto& kept = resumed.finished().at("one").at(0);
  EXPECT_EQ(kept.key, some_sample().key);
  EXPECT_EQ(kept.sample.seconds, some_sample().sample.seconds);
  EXPECT_EQ(kept.sample.features.values, some_sample().sample.features.values);
  resumed.remove();
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Checkpoint, OfAnotherMachineCountsForNothing) {
  const auto file = temporary_file("foreign");
  {
    Checkpoint checkpoint(file, some_machine(), false);
    checkpoint.add("one", {some_sample()});
  }
  Fingerprint other = some_machine();
  other.threads = 3;
  Checkpoint resumed(file, other, true);
  EXPECT_TRUE(resumed.finished().empty());
  resumed.remove();
}

TEST(Checkpoint, AFileThatCannotBeWrittenIsAnError) {
  EXPECT_THROW(Checkpoint("/proc/no/such/place", some_machine(), false), Error);
}

/// Options under which a calibration of the host takes a moment.
CalibrationOptions brief() {
  CalibrationOptions options;
  options.effort = Effort::Quick;
  options.budget_seconds = 60;  // never spent: the matrices are as small as the memory budget
  return options;
}

TEST(Calibrate, GivesUsableModelsOfEveryHostOperation) {
  std::vector<std::shared_ptr<Executor>> host{make_host_executor()};
  host.front()->memory()->set_budget(std::size_t{1} << 20);
  Index reports = 0;
  CalibrationOptions options = brief();
  options.progress = [&](const CalibrationProgress& progress) {
    EXPECT_EQ(progress.done, ++reports);
    EXPECT_LE(progress.done, progress.total);
    EXPECT_GE(progress.seconds_left, 0);
  };
  const CalibrationResult result = calibrate(host, some_machine(), options);
  EXPECT_GT(reports, 4);
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    const CostModel* const model =
        result.profile.find(multiply_key({Space::host(), Format::Csr}, precision, "balanced"));
    ASSERT_NE(model, nullptr);
    const Structure structure{.rows = 1000, .cols = 1000, .nnz = 10'000, .longest_row = 10};
    EXPECT_GT(model->predict(multiply_features(Format::Csr, structure, precision)).seconds, 0);
    EXPECT_NE(
        result.profile.find(convert_key(Format::Dense, Format::Csr, Space::host(), precision)),
        nullptr);
  }
  EXPECT_FALSE(result.profile.created.empty());
}

TEST(Calibrate, InterruptedItKeepsWhatItMeasuredAndResumes) {
  std::vector<std::shared_ptr<Executor>> host{make_host_executor()};
  host.front()->memory()->set_budget(std::size_t{1} << 20);
  CalibrationOptions options = brief();
  options.checkpoint = temporary_file("resume");
  int asked = 0;
  options.interrupted = [&] { return ++asked > 3; };
  const CalibrationResult stopped = calibrate(host, some_machine(), options);
  EXPECT_FALSE(stopped.complete);
  EXPECT_TRUE(stopped.profile.models().empty());
  ASSERT_TRUE(std::filesystem::exists(options.checkpoint));
  const auto kept = Checkpoint(options.checkpoint, some_machine(), true).finished().size();
  EXPECT_EQ(kept, 3U);

  options.resume = true;
  options.interrupted = {};
  const CalibrationResult resumed = calibrate(host, some_machine(), options);
  EXPECT_FALSE(resumed.profile.models().empty());
  EXPECT_FALSE(std::filesystem::exists(options.checkpoint));
}

TEST(Calibrate, AbsurdTimesGiveNoModelRatherThanAWrongOne) {
  std::vector<std::shared_ptr<Executor>> host{make_host_executor()};
  host.front()->memory()->set_budget(std::size_t{1} << 16);
  CalibrationOptions options = brief();
  double now = 0;
  options.clock = [&] { return now -= 1e-3; };  // a clock that goes back
  const CalibrationResult result = calibrate(host, some_machine(), options);
  EXPECT_TRUE(result.profile.models().empty());
}

}  // namespace
}  // namespace switchyard
