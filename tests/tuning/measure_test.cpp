// Which formats one matrix is measured in.
#include "measure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <switchyard/backends/opencl.hpp>
#include <switchyard/backends/openmp.hpp>
#include <switchyard/backends/operations.hpp>
#include <vector>

#include "backends/own_device.hpp"
#include "turns.hpp"

namespace switchyard {
namespace {

/// The formats that multiplications were measured in, on a small matrix of that seed.
std::set<Format> measured_with(std::uint64_t seed) {
  const Bench bench{.executors = {make_host_executor()}, .patience = 0.01};
  MatrixExperiment experiment;
  experiment.matrix = {
      .kind = MatrixKind::Banded, .rows = 96, .density = 1, .bandwidth = 3, .seed = seed};
  std::set<Format> formats;
  for (const KeyedSample& sample : measure_matrix<float>(bench, made_for_turn(experiment))) {
    if (sample.key.operation == Operation::Multiply) formats.insert(sample.key.from.format);
  }
  return formats;
}

/// How many formats can code columns, or values in one and the same way: these share a matrix.
std::size_t most_formats_of_one_coding() {
  std::size_t most = 0;
  for (const ValueCoding coding : {ValueCoding::Constant, ValueCoding::Dictionary8}) {
    const auto shares = [&](const FormatFacts& facts) {
      return facts.values == coding ||
             (facts.values == ValueCoding::Plain && facts.columns != ColumnCoding::Plain);
    };
    most = std::max(most, static_cast<std::size_t>(std::ranges::count_if(format_table, shares)));
  }
  return most;
}

TEST(MeasureMatrix, TakesTheFormatsMadeByConversionInTurn) {
  std::set<Format> all;
  const auto turns = static_cast<std::uint64_t>(turns_of_formats());
  const std::size_t most = 2 + most_formats_of_one_coding();
  for (std::uint64_t seed = 1; seed <= turns; ++seed) {
    const std::set<Format> here = measured_with(seed);
    EXPECT_TRUE(here.contains(Format::Csr)) << seed;
    EXPECT_LE(here.size(), most) << "dense, CSR and one more, or those that share a matrix";
    all.insert(here.begin(), here.end());
  }
  for (const FormatFacts& facts : format_table) {
    EXPECT_TRUE(all.contains(facts.format)) << facts.name;
  }
}

TEST(MeasureMatrix, TakesThoseThatMayWinInFewerTurnsWhereTimeIsShort) {
  std::set<Format> few;
  const std::uint64_t turns = turns_of_formats(true);
  EXPECT_LT(turns, turns_of_formats());
  for (std::uint64_t seed = 1; seed <= turns; ++seed) {
    MatrixExperiment experiment{.matrix = {.rows = 64, .density = 0.5, .seed = seed},
                                .few_formats = true};
    const Structure structure = structure_of(matrix_of<float>(made_for_turn(experiment)));
    const Turn turn = turn_of(experiment, structure, Precision::Float);
    few.insert(turn.formats.begin(), turn.formats.end());
  }
  EXPECT_TRUE(few.contains(Format::Bitmap));
  EXPECT_TRUE(few.contains(Format::Csc)) << "transposed products need it";
  EXPECT_TRUE(few.contains(Format::Bsr3));
  EXPECT_FALSE(few.contains(Format::Hyb));
}

// Only then can a model tell what places, bytes and blocks of columns cost.
TEST(MeasureMatrix, TakesAllFormatsBetweenDenseAndCsrTogether) {
  std::set<ValueCoding> codings;
  for (const MatrixExperiment& experiment : matrix_experiments(Effort::Standard, 1e10)) {
    if (!experiment.between) continue;
    EXPECT_TRUE(experiment.for_gpus);
    EXPECT_GE(experiment.matrix.density.value(), 0.05);
    const Turn turn = turn_of(experiment, {}, Precision::Float);
    const std::set<Format> formats(turn.formats.begin(), turn.formats.end());
    EXPECT_TRUE(formats.contains(Format::Bitmap));
    EXPECT_TRUE(formats.contains(Format::Csr8));
    EXPECT_TRUE(formats.contains(Format::Csr16));
    EXPECT_NE(made_for_turn(experiment).matrix.distinct_values, 0) << "coded formats hold it";
    codings.insert(turn.coding);
  }
  EXPECT_EQ(codings, (std::set{ValueCoding::Constant, ValueCoding::Dictionary8}));
}

TEST(MeasureMatrix, TakesAllFormatsInTurnWhereverSeedsShareADigit) {
  const auto turns = static_cast<std::uint64_t>(turns_of_formats());
  for (std::uint64_t digit = 1; digit <= turns; ++digit) {
    std::set<Format> all;
    for (std::uint64_t round = 0; round < turns; ++round) {
      const std::set<Format> here = measured_with(digit + round * turns);
      all.insert(here.begin(), here.end());
    }
    for (const FormatFacts& facts : format_table) {
      EXPECT_TRUE(all.contains(facts.format)) << facts.name << ", last digit " << digit % turns;
    }
  }
}

// Scattered elements suit neither blocks nor diagonals: their turns are taken by other formats.
TEST(MeasureMatrix, IsNeverInNothingButTheFormatsThatMatricesAreGivenIn) {
  const GenerateOptions scattered{.rows = 2000, .density = 0.002};
  const Structure structure = structure_of(generate<float>(scattered));
  std::set<Format> fitting;
  for (std::uint64_t seed = 1; seed <= 3 * turns_of_formats(); ++seed) {
    MatrixExperiment experiment{.matrix = scattered, .dense = false};
    experiment.matrix.seed = seed;
    const Turn turn = turn_of(experiment, structure, Precision::Float);
    EXPECT_TRUE(std::ranges::any_of(turn.formats, [&](Format format) {
      return fits(experiment, format, structure, Precision::Float);
    })) << seed;
    fitting.insert(turn.formats.begin(), turn.formats.end());
  }
  EXPECT_FALSE(fitting.contains(Format::Bitmap)) << "it takes too many bytes";
  EXPECT_TRUE(fitting.contains(Format::Sell32));
  EXPECT_TRUE(fitting.contains(Format::Csr16Const));
}

/// The host and a device whose kernels nobody has built.
std::vector<std::shared_ptr<Executor>> host_and_device() {
  std::vector<std::shared_ptr<Executor>> executors = open_opencl_devices();
  if (!executors.empty()) executors.resize(1);
  executors.insert(executors.begin(), make_host_executor());
  return executors;
}

TEST(MeasureBuilds, GivesWhatMatricesAreGivenInFirstAndPlainProductsOfIt) {
  const Bench bench{.executors = host_and_device(), .patience = 0.01};
  if (bench.executors.size() < 2) GTEST_SKIP() << "no OpenCL device";
  std::vector<std::pair<int, Format>> asked;
  std::set<std::string> plain;
  const auto samples = measure_builds(bench, *bench.executors[1], [&](const Program& program) {
    EXPECT_EQ(program.build.operation, Operation::Build);
    const bool given = is_given(program.format);
    asked.emplace_back((given ? 0 : 2) + (program.is_plain ? 0 : 1), program.format);
    if (program.is_plain) plain.insert(program.build.variant);
    return asked.size() <= 2;
  });
  EXPECT_TRUE(std::ranges::is_sorted(asked));
  EXPECT_TRUE(plain.contains("csr_multiply"));
  EXPECT_TRUE(plain.contains("csr_to_dense")) << "conversions lead to plain products";
  EXPECT_FALSE(plain.contains("csr_scatter")) << "transposed products only";
  EXPECT_FALSE(plain.contains("dense_columns")) << "products of many columns only";
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_GT(samples[0].sample.seconds, 0);
  EXPECT_NE(samples[0].key, samples[1].key);
}

/// The programs that are built on that device.
std::set<std::string> programs_of(Executor& device) {
  const Bench bench{.executors = {make_host_executor()}, .patience = 0.01};
  std::set<std::string> programs;
  static_cast<void>(measure_builds(bench, device, [&](const Program& program) {
    programs.insert(program.build.variant);
    return false;
  }));
  return programs;
}

// What is not built is not measured, and then hardly ever chosen. Small matrices have no need of
// some of them, and a processor neither.
TEST(MeasureBuilds, BuildsWhateverSuitsSomeMatrixOnThatDevice) {
  if (open_opencl_devices().empty()) GTEST_SKIP() << "no OpenCL device";
  const auto gpu = opencl::testing::open_changed([](ExecutorFacts& facts) {
    facts.is_gpu = true;
    facts.vendor = "NVIDIA Corporation";
    facts.architecture = "sm_90";
    facts.compute_units = 132;
  });
  const std::set<std::string> of_gpu = programs_of(*gpu);
  for (const auto& operation : multiply_operations<float>()) {
    if (operation.backend != Backend::OpenCL) continue;
    EXPECT_TRUE(of_gpu.contains(std::string(operation.program))) << operation.program;
  }
  const auto processor =
      opencl::testing::open_changed([](ExecutorFacts& facts) { facts.is_gpu = false; });
  EXPECT_FALSE(programs_of(*processor).contains("csr_stream")) << "it suits GPUs only";
}

TEST(MeasureMatrix, BuildsNothingOnDevices) {
  const std::set<ModelKey> none;
  const Bench bench{.executors = host_and_device(), .patience = 0.01, .built = &none};
  if (bench.executors.size() < 2) GTEST_SKIP() << "no OpenCL device";
  Executor& device = *bench.executors[1];
  MatrixExperiment experiment;
  experiment.matrix = {.rows = 96, .density = 0.5};
  for (const KeyedSample& sample : measure_matrix<float>(bench, made_for_turn(experiment))) {
    EXPECT_TRUE(sample.key.from.space.is_host()) << "no program is built";
  }
  for (const auto& operation : multiply_operations<float>()) {
    if (operation.backend != device.backend()) continue;
    EXPECT_FALSE(device.built(operation.program, Precision::Float)) << operation.program;
  }
}

TEST(MeasureMatrix, MultipliesOnDevicesInFormatsThatOnlyTheHostMakes) {
  const Bench bench{.executors = host_and_device(), .patience = 0.01};
  if (bench.executors.size() < 2) GTEST_SKIP() << "no OpenCL device";
  const Backend backend = bench.executors[1]->backend();
  std::set<Format> on_device;
  for (std::uint64_t seed = 1; seed <= turns_of_formats(); ++seed) {
    MatrixExperiment experiment;
    experiment.matrix = {
        .kind = MatrixKind::Banded, .rows = 96, .density = 1, .bandwidth = 3, .seed = seed};
    for (const KeyedSample& sample : measure_matrix<float>(bench, made_for_turn(experiment))) {
      if (sample.key.operation == Operation::Multiply && !sample.key.from.space.is_host()) {
        on_device.insert(sample.key.from.format);
      }
    }
  }
  for (const auto& operation : multiply_operations<float>()) {
    if (operation.backend != backend) continue;
    EXPECT_TRUE(on_device.contains(operation.format)) << name(operation.format);
  }
}

}  // namespace
}  // namespace switchyard
