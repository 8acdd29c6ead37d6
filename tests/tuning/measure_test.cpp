// Which formats one matrix is measured in.
#include "measure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <switchyard/backends/openmp.hpp>

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
  for (const KeyedSample& sample : measure_matrix<float>(bench, experiment)) {
    if (sample.key.operation == Operation::Multiply) formats.insert(sample.key.from.format);
  }
  return formats;
}

TEST(MeasureMatrix, TakesTheFormatsMadeByConversionInTurn) {
  std::set<Format> all;
  const auto turns = static_cast<std::uint64_t>(turns_of_formats());
  for (std::uint64_t seed = 1; seed <= turns; ++seed) {
    const std::set<Format> here = measured_with(seed);
    EXPECT_TRUE(here.contains(Format::Csr)) << seed;
    EXPECT_LE(here.size(), 7U) << "dense, CSR and one more, or five that share a matrix";
    all.insert(here.begin(), here.end());
  }
  for (const FormatFacts& facts : format_table) {
    EXPECT_TRUE(all.contains(facts.format)) << facts.name;
  }
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

}  // namespace
}  // namespace switchyard
