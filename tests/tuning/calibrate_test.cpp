// Calibrations of the host: whole, interrupted, resumed, saved or not, under any clock.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <switchyard/backends/opencl.hpp>
#include <switchyard/backends/openmp.hpp>
#include <switchyard/tuning/calibrate.hpp>

#include "backends/own_device.hpp"
#include "checkpoint.hpp"
#include "experiments.hpp"
#include "sampling.hpp"
#include "turns.hpp"

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

// Beyond a cache it turns between these densities which of dense, bitmap and CSR is fastest.
TEST(Experiments, LargeMatricesHaveAllDensities) {
  int thin = 0;
  int half = 0;
  int full = 0;
  for (const MatrixExperiment& experiment : matrix_experiments(Effort::Standard, 1e12)) {
    const GenerateOptions& matrix = experiment.matrix;
    const auto elements = static_cast<double>(matrix.rows) * static_cast<double>(matrix.cols);
    if (!experiment.dense || elements < 8e6) continue;
    EXPECT_LE(matrix.density, 1);
    ++(matrix.density < 0.3 ? thin : matrix.density < 0.65 ? half : full);
  }
  EXPECT_GE(thin, 3);
  EXPECT_GE(half, 3);
  EXPECT_GE(full, 3);
}

TEST(Experiments, AFormatIsMeasuredWhereItMayBeWorthIt) {
  MatrixExperiment dense;
  MatrixExperiment sparse;
  dense.dense = true;
  sparse.dense = false;
  const Structure full = even_structure<float>(100, 100, 0.4);
  const Structure thin = even_structure<float>(1000, 1000, 0.01);
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    for (const auto& experiment : {dense, sparse}) {
      EXPECT_TRUE(fits(experiment, Format::Csr, thin, precision));
      EXPECT_TRUE(fits(experiment, Format::Dense, full, precision));  // hardly larger than CSR
    }
    EXPECT_TRUE(fits(dense, Format::Dense, thin, precision));
    EXPECT_FALSE(fits(sparse, Format::Dense, thin, precision));
  }
}

// Few of the planned matrices suit blocks or diagonals by themselves, and a third has too uneven
// rows for SELL. A bitmap is for matrices that are worth holding in dense form.
TEST(Experiments, FormatsGetMatricesThatSuitThem) {
  for (const Format format : {Format::Bsr2, Format::Bsr3, Format::Bsr4, Format::Dia, Format::Sell8,
                              Format::Sell32, Format::Bitmap}) {
    for (MatrixExperiment experiment : matrix_experiments(Effort::Quick, 1e6)) {
      experiment = suited_to(format, experiment);
      const Csr<double> csr = matrix_of<double>(experiment);
      EXPECT_NO_THROW(csr.check());
      EXPECT_LE(csr.nnz, 2'000'000) << "as many as there is room for, or some more";
      const bool has_no_padding = csr.nnz == 0 || csr.rows < 64;
      EXPECT_TRUE(has_no_padding || fits(experiment, format, structure_of(csr), Precision::Double))
          << name(format) << " of " << name(experiment.matrix.kind) << " " << csr.rows << " x "
          << csr.cols << ", " << csr.nnz;
    }
  }
}

TEST(Experiments, BlocksAreDenseAndKeepTheSize) {
  const MatrixExperiment scattered{.matrix = {.rows = 600, .cols = 900, .density = 0.01}};
  const MatrixExperiment blocked = suited_to(Format::Bsr3, scattered);
  ASSERT_EQ(blocked.block, 3);
  const Csr<float> csr = matrix_of<float>(blocked);
  EXPECT_EQ(csr.rows, 600);
  EXPECT_EQ(csr.cols, 900);
  EXPECT_NEAR(static_cast<double>(csr.nnz), 5400, 1000);
  for (Index i = 0; i < csr.rows; ++i) {
    ASSERT_EQ(csr.offset(i + 1) - csr.offset(i), csr.offset(i / 3 * 3 + 1) - csr.offset(i / 3 * 3));
    for (Index k = csr.offset(i); k < csr.offset(i + 1); ++k) {
      const Index first_of_block = csr.offset(i / 3 * 3) + k - csr.offset(i);
      ASSERT_EQ(csr.columns[k], csr.columns[first_of_block]);
      ASSERT_EQ(csr.columns[k] % 3, (k - csr.offset(i)) % 3);
    }
  }
  EXPECT_EQ(suited_to(Format::Ell, scattered).block, 1);
}

TEST(Experiments, StayWithinTheMemory) {
  for (const auto& experiment : matrix_experiments(Effort::Thorough, 1e6)) {
    const auto& m = experiment.matrix;
    const auto cols = m.cols > 0 ? m.cols : m.rows;
    const double elements = static_cast<double>(m.rows) * static_cast<double>(cols);
    if (experiment.dense) {
      EXPECT_LE(elements * 8, 2e6);
    }
    if (experiment.for_gpus) {
      EXPECT_LE(elements * m.density.value() * 12, 1.1e6);
    }
  }
  for (const Index bytes : transfer_sizes(Effort::Thorough, 1e6)) EXPECT_LE(bytes, 1'000'001);
}

/// The most columns that are multiplied by a matrix of that many rows and nonzeros.
Index most_columns_of(Index rows, Index nnz) {
  Index most = 0;
  for (std::uint64_t seed = 3; seed <= 60; seed += 3) {
    const MatrixExperiment experiment{.matrix = {.rows = rows, .seed = seed}};
    const Structure structure{.rows = rows, .cols = rows, .nnz = nnz};
    for (const Request& request : requests_on(experiment, {}, structure)) {
      most = std::max(most, request.columns);
    }
  }
  return most;
}

TEST(Experiments, VectorsAreNotMuchLargerThanTheMatrix) {
  EXPECT_EQ(most_columns_of(1000, 5000), 32);
  EXPECT_EQ(most_columns_of(200'000, 16'000'000), 32);
  EXPECT_EQ(most_columns_of(5'000'000, 30'000'000), 6);
  EXPECT_EQ(most_columns_of(5'000'000, 9'000'000), 1);
}

/// Options under which a calibration of the host takes a moment.
CalibrationOptions brief() {
  CalibrationOptions options;
  options.effort = Effort::Quick;
  options.budget_seconds = 60;  // never spent: the matrices are as small as the memory budget
  return options;
}

/// The host, whose matrices are so small that everything is measured in a moment.
std::vector<std::shared_ptr<Executor>> small_host(std::size_t budget = std::size_t{1} << 20) {
  std::vector<std::shared_ptr<Executor>> host{make_host_executor()};
  host.front()->memory()->set_budget(budget);
  return host;
}

TEST(Calibrate, GivesUsableModelsOfEveryHostOperation) {
  Index reports = 0;
  CalibrationOptions options = brief();
  options.progress = [&](const CalibrationProgress& progress) {
    EXPECT_EQ(progress.done, reports++);
    EXPECT_LE(progress.done, progress.total);
    EXPECT_GE(progress.seconds_left, 0);
    EXPECT_LE(progress.seconds + progress.seconds_left, 61);
  };
  const CalibrationResult result = calibrate(small_host(), some_machine(), options);
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.done, result.total);
  EXPECT_EQ(reports, result.total + 1);  // the fit comes last
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

TEST(Calibrate, NoTwoExperimentsHaveTheSameName) {
  for (const Effort effort : {Effort::Quick, Effort::Standard}) {
    std::set<std::string> names;
    CalibrationOptions options = brief();
    options.effort = effort;
    options.budget_seconds = 1e12;
    double now = 0;
    options.clock = [&] { return now += 1; };  // each measurement is long enough at once
    options.progress = [&](const CalibrationProgress& progress) {
      EXPECT_TRUE(names.insert(progress.what).second) << progress.what;
    };
    const auto result = calibrate(small_host(std::size_t{1} << 14), some_machine(), options);
    EXPECT_EQ(names.size(), static_cast<std::size_t>(result.total) + 1);
  }
}

TEST(Calibrate, InterruptedItKeepsWhatItMeasuredAndResumes) {
  const auto host = small_host();
  CalibrationOptions options = brief();
  options.checkpoint = temporary_file("resume");
  int asked = 0;
  options.interrupted = [&] { return ++asked > 3; };
  options.save = [](const Profile&) { FAIL() << "nothing is to be saved"; };
  const CalibrationResult stopped = calibrate(host, some_machine(), options);
  EXPECT_FALSE(stopped.complete);
  EXPECT_TRUE(stopped.interrupted);
  EXPECT_EQ(stopped.done, 3);
  EXPECT_TRUE(stopped.profile.models().empty());
  ASSERT_TRUE(std::filesystem::exists(options.checkpoint));

  options.resume = true;
  options.interrupted = {};
  Index begun = 0;
  options.progress = [&](const CalibrationProgress&) { ++begun; };
  Index models_saved = 0;
  options.save = [&](const Profile& profile) {
    // Whatever happens while saving, what was measured is still there.
    EXPECT_TRUE(std::filesystem::exists(options.checkpoint));
    models_saved = static_cast<Index>(profile.models().size());
  };
  const CalibrationResult resumed = calibrate(host, some_machine(), options);
  EXPECT_EQ(begun, resumed.total - 3 + 1);
  EXPECT_GT(models_saved, 0);
  EXPECT_FALSE(std::filesystem::exists(options.checkpoint));
}

TEST(Calibrate, WhatCannotBeSavedIsNotMeasuredAgain) {
  const auto host = small_host(std::size_t{1} << 14);
  CalibrationOptions options = brief();
  options.checkpoint = temporary_file("unsaved");
  options.save = [](const Profile&) { throw Error(ErrorCode::IoError, "the disk is full"); };
  EXPECT_THROW(static_cast<void>(calibrate(host, some_machine(), options)), Error);
  ASSERT_TRUE(std::filesystem::exists(options.checkpoint));

  options.resume = true;
  options.save = {};
  std::vector<std::string> begun;
  options.progress = [&](const CalibrationProgress& progress) { begun.push_back(progress.what); };
  const CalibrationResult resumed = calibrate(host, some_machine(), options);
  EXPECT_EQ(begun, std::vector<std::string>{"fitting the models"});
  EXPECT_TRUE(resumed.complete);
  EXPECT_FALSE(std::filesystem::exists(options.checkpoint));
}

TEST(Calibrate, OutOfTimeItLeavesTheRestToAResumedRun) {
  const auto host = small_host(std::size_t{1} << 14);
  CalibrationOptions options = brief();
  options.checkpoint = temporary_file("late");
  options.budget_seconds = 1;
  double now = 0;
  options.clock = [&] { return now; };
  options.progress = [&](const CalibrationProgress&) { now += 0.1; };
  const CalibrationResult late = calibrate(host, some_machine(), options);
  EXPECT_FALSE(late.complete);
  EXPECT_FALSE(late.interrupted);
  EXPECT_NEAR(static_cast<double>(late.done), 11, 1);
  ASSERT_TRUE(std::filesystem::exists(options.checkpoint));

  options.resume = true;
  const CalibrationResult more = calibrate(host, some_machine(), options);
  EXPECT_NEAR(static_cast<double>(more.done), 22, 2);
  std::filesystem::remove(options.checkpoint);
}

// Several threads build, and what they had time for is measured: by a clock that gives them five
// programs or so, however slow the machine.
TEST(Calibrate, ProgramsOfAGpuAreBuiltAheadAndThenMeasured) {
  if (open_opencl_devices().empty()) GTEST_SKIP() << "no OpenCL device";
  auto executors = small_host();
  executors.push_back(
      opencl::testing::open_changed([](ExecutorFacts& facts) { facts.is_gpu = true; }));
  CalibrationOptions options = brief();
  options.budget_seconds = 1;
  double now = 0;
  options.clock = [&] { return now += 0.05; };
  std::set<std::string> begun;
  options.progress = [&](const CalibrationProgress& progress) { begun.insert(progress.what); };
  options.checkpoint = temporary_file("ahead");
  int asked = 0;
  options.interrupted = [&] { return ++asked > 1; };
  static_cast<void>(calibrate(executors, some_machine(), options));
  const Checkpoint checkpoint(options.checkpoint, some_machine(), true);
  ASSERT_EQ(checkpoint.finished().size(), 1U);
  const auto& [name, samples] = *checkpoint.finished().begin();
  EXPECT_TRUE(name.starts_with("building kernels")) << name;
  std::set<std::string> built;
  for (const KeyedSample& sample : samples) {
    EXPECT_EQ(sample.key.from.space, Space::device(0));
    built.insert(sample.key.variant);
  }
  EXPECT_TRUE(begun.contains("building kernels by several threads"));
  EXPECT_TRUE(built.contains("dense_multiply")) << "the first of all";
  EXPECT_LT(built.size(), 10U) << "there was no time for more";
  std::filesystem::remove(options.checkpoint);
}

TEST(Calibrate, OnOneDeviceAloneIsNoPartOfAll) {
  const auto host = small_host(std::size_t{1} << 14);
  CalibrationOptions options = brief();
  options.checkpoint = temporary_file("alone");
  options.device = Space::device(0);
  int asked = 0;
  options.interrupted = [&] { return ++asked > 5; };
  static_cast<void>(calibrate(host, some_machine(), options));
  options.resume = true;
  options.device.reset();
  asked = 0;
  EXPECT_EQ(calibrate(host, some_machine(), options).done, 5);
  std::filesystem::remove(options.checkpoint);
}

/// A clock that gives what no clock should.
struct BadClock {
  const char* what;
  double (*reading)(double before, int times);
};

TEST(Calibrate, EndsUnderAnyClockWithoutAModelThatIsWrong) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr BadClock clocks[] = {
      {"goes back", [](double before, int) { return before - 1e-3; }},
      {"stands still", [](double before, int) { return before; }},
      {"is no number", [](double, int) { return nan; }},
      {"is infinite", [](double, int) { return infinity; }},
      {"is now and then no number",
       [](double before, int times) { return times % 3 == 0 ? nan : before; }},
  };
  testing::Sample sample;  // stopwatch_test has them all
  for (const BadClock& clock : clocks) {
    if (!sample.next()) continue;
    SCOPED_TRACE(clock.what);
    CalibrationOptions options = brief();
    options.checkpoint = temporary_file("clock");
    double last = 0;
    int times = 0;
    options.clock = [&] {
      const double now = clock.reading(last, ++times);
      if (std::isfinite(now)) last = now;
      return now;
    };
    options.progress = [](const CalibrationProgress& progress) {
      EXPECT_GE(progress.seconds, 0);
      EXPECT_GE(progress.seconds_left, 0);
    };
    const auto result = calibrate(small_host(std::size_t{1} << 14), some_machine(), options);
    EXPECT_TRUE(result.complete);
    EXPECT_TRUE(result.profile.models().empty());
    EXPECT_GE(result.profile.calibration_seconds, 0);
    EXPECT_NO_THROW(static_cast<void>(profile_to_json(result.profile)));
  }
}

}  // namespace
}  // namespace switchyard
