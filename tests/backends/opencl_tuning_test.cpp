// The table of launch sizes and thresholds, and what kernels are told of it.
#include <gtest/gtest.h>

#include "opencl/bitmap.hpp"
#include "opencl/columns.hpp"
#include "opencl/kernel_sources.hpp"
#include "opencl/lanes.hpp"
#include "opencl/operations.hpp"
#include "opencl/program_options.hpp"
#include "opencl/tuning.hpp"

namespace switchyard::opencl {
namespace {

ExecutorFacts gpu(std::string vendor, std::string architecture, std::string name) {
  ExecutorFacts facts;
  facts.name = std::move(name);
  facts.vendor = std::move(vendor);
  facts.architecture = std::move(architecture);
  facts.is_gpu = true;
  return facts;
}

TEST(OpenClTuning, ADeviceThatIsNamedHasItsOwnRow) {
  for (const char* name : {"NVIDIA H200", "NVIDIA H100 80GB HBM3"}) {
    const TuningRow& row = tuning_row_for(gpu("NVIDIA Corporation", "sm_90", name));
    EXPECT_EQ(row.device, std::string(name).substr(0, row.device.size()));
    EXPECT_FALSE(row.device.empty());
    EXPECT_EQ(row.architecture, "sm_90");
  }
}

TEST(OpenClTuning, AnythingUnknownHasTheDefaultOfItsKind) {
  for (const ExecutorFacts& facts :
       {gpu("Advanced Micro Devices, Inc.", "", "gfx90a"), gpu("", "", ""),
        gpu("NVIDIA Corporation", "sm_75", "Tesla T4"), gpu("nobody", "sm_90", "NVIDIA H200")}) {
    const TuningRow& row = tuning_row_for(facts);
    EXPECT_TRUE(row.is_gpu) << facts.name;
    EXPECT_TRUE(row.vendor.empty()) << facts.name;
    EXPECT_NE(row.source.find("not measured"), row.source.npos) << row.source;
  }
  ExecutorFacts processor = gpu("NVIDIA", "sm_90", "NVIDIA H200");
  processor.is_gpu = false;
  EXPECT_FALSE(tuning_row_for(processor).is_gpu);
}

// Where rows are staged a warp takes long ones, not a whole group: so they may be less long. Few
// rows, long ones and devices without warps are taken as they are.
template <Element T>
void expect_short_rows_staged(double mean_for_staged) {
  ExecutorFacts facts = gpu("NVIDIA Corporation", "sm_90", "NVIDIA H200");
  facts.compute_units = 132;
  const Tuning& tuning = tuning_of(facts);
  Structure structure{.rows = 1 << 16, .cols = 1 << 16, .nnz = 1 << 18};
  const auto kernels = [&](Index longest) {
    structure.longest_row = longest;
    std::string names;
    if (suits_csr_columns<T>(facts, structure)) names += "rows ";
    if (suits_csr_staged<T>(facts, structure)) names += "staged ";
    if (suits_csr_columns_binned<T>(facts, structure)) names += "binned ";
    return names;
  };
  const Index longest = tuning.longest_row_per_warp;
  EXPECT_EQ(kernels(longest), "staged ");
  EXPECT_EQ(kernels(longest + 1), "binned ");
  structure.rows = 1 << 22;
  structure.nnz = 1 << 24;
  EXPECT_EQ(kernels(1 << 13), "staged ");
  EXPECT_EQ(kernels((1 << 13) + 1), "binned ");
  structure.rows = 1 << 16;
  structure.nnz = structure.rows * static_cast<Index>(mean_for_staged);
  EXPECT_EQ(kernels(longest), "staged ");
  structure.nnz = structure.rows * (static_cast<Index>(mean_for_staged) + 1);
  EXPECT_EQ(kernels(longest + 1), "rows ");
  structure.nnz = structure.rows = 1000;
  EXPECT_EQ(kernels(longest + 1), "rows ");
  structure.nnz = structure.rows = 0;
  EXPECT_EQ(kernels(0), "rows ");
  structure.nnz = structure.rows = 1 << 16;
  EXPECT_EQ(kernels(longest), "staged ");
  facts.architecture = "";
  EXPECT_EQ(kernels(longest), "rows ");
  facts.is_gpu = false;
  EXPECT_EQ(kernels(longest + 1), "rows ");
}

TEST(OpenClTuning, ShortRowsAreStagedAndLongOnesAmongThemGoToBins) {
  expect_short_rows_staged<float>(64);
  expect_short_rows_staged<double>(48);
}

TEST(OpenClTuning, TheMostSpecificRowIsTaken) {
  constexpr std::array rows{
      TuningRow{"", "", "", true, "default", {}},
      TuningRow{"Vendor", "", "", true, "vendor", {}},
      TuningRow{"Vendor", "arch", "", true, "architecture", {}},
      TuningRow{"Vendor", "arch", "Device", true, "device", {}},
      TuningRow{"", "", "", false, "processors", {}},
  };
  const auto source = [&](const ExecutorFacts& facts) { return tuning_row_in(rows, facts).source; };
  EXPECT_EQ(source(gpu("Vendor Inc.", "arch", "Device 3")), "device");
  EXPECT_EQ(source(gpu("Vendor Inc.", "arch", "Other")), "architecture");
  EXPECT_EQ(source(gpu("Vendor Inc.", "arch2", "Device")), "vendor");
  EXPECT_EQ(source(gpu("Another Vendor", "arch", "Device")), "default");
  ExecutorFacts processor = gpu("Vendor", "arch", "Device");
  processor.is_gpu = false;
  EXPECT_EQ(source(processor), "processors");
}

TEST(OpenClTuning, TheTableHasADefaultForEachKindAndNoRowTwice) {
  int defaults = 0;
  const auto rows = tuning_rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const TuningRow& row = rows[i];
    EXPECT_FALSE(row.source.empty());
    defaults += row.vendor.empty() && row.architecture.empty() && row.device.empty() ? 1 : 0;
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(rows[j].vendor == row.vendor && rows[j].architecture == row.architecture &&
                   rows[j].device == row.device && rows[j].is_gpu == row.is_gpu);
    }
  }
  EXPECT_EQ(defaults, 2);
}

/// What the kernels take for granted of the values.
TEST(OpenClTuning, EveryRowHasValuesThatTheKernelsCanBeBuiltWith) {
  for (const TuningRow& row : tuning_rows()) {
    const Tuning& tuning = row.tuning;
    const auto is_power = [](Index value) { return value > 0 && (value & (value - 1)) == 0; };
    EXPECT_TRUE(is_power(tuning.group));
    EXPECT_TRUE(is_power(tuning.large_group));
    EXPECT_GE(tuning.large_group, tuning.group);
    EXPECT_GE(tuning.group, nvidia_warp);
    EXPECT_TRUE(is_power(tuning.chunks_group));
    EXPECT_GE(tuning.chunks_group, nvidia_warp);
    // A group has room for the chunks of rows of eight items or more.
    EXPECT_GE(tuning.lanes_for_chunks, 8);
    EXPECT_EQ(tuning.stream_bytes % Index{sizeof(double)}, 0);
    EXPECT_EQ(tuning.merge_items % 2, 1);
    // The edges of a row take eight lanes of packed_wide.
    EXPECT_TRUE(is_power(tuning.fewest_packed_lanes));
    EXPECT_GE(tuning.fewest_packed_lanes, 8);
    EXPECT_GE(tuning.staged_rows, 1);
    for (const Index staged : {tuning.csr_staged_floats, tuning.csr_staged_doubles}) {
      EXPECT_TRUE(staged > 0 && staged % 2 == 0);
    }
    EXPECT_GE(tuning.narrow_columns, tuning.narrow_aligned_columns);
    // A row has to fit into the local memory of dense_narrow.
    EXPECT_LE(tuning.narrow_columns, nvidia_warp * tuning.narrow_loads * 2);
  }
}

TEST(OpenClTuning, SuitsReadsTheTuningOfTheFacts) {
  ExecutorFacts facts = gpu("", "", "");
  facts.compute_units = 100;
  const Structure short_rows{
      .rows = 1000000, .cols = 1000000, .nnz = 4000000, .longest_row = 10, .row_deviation = 1};
  EXPECT_TRUE(suits_csr_scalar(facts, short_rows));
  EXPECT_TRUE(suits_csr_stream(facts, short_rows));
  EXPECT_FALSE(suits_csr_merge(facts, short_rows));
  Tuning tuning;
  tuning.longest_row_per_item = 9;
  tuning.uneven_deviation = 0.1;
  facts.tuning = &tuning;
  EXPECT_FALSE(suits_csr_scalar(facts, short_rows));
  EXPECT_FALSE(suits_csr_stream(facts, short_rows));
  EXPECT_TRUE(suits_csr_merge(facts, short_rows));
}

TEST(OpenClTuning, BinnedSuitsUnevenRowsOfFewNonzeros) {
  ExecutorFacts facts = gpu("", "", "");
  facts.compute_units = 100;
  const Structure graph{
      .rows = 80000, .cols = 80000, .nnz = 900000, .longest_row = 2500, .row_deviation = 40};
  EXPECT_TRUE(suits_csr_binned(facts, graph));
  Structure even = graph;
  even.row_deviation = 3;
  EXPECT_FALSE(suits_csr_binned(facts, even));
  Structure large = graph;
  large.nnz = 16000000;
  EXPECT_FALSE(suits_csr_binned(facts, large));
  Structure short_rows = graph;
  short_rows.rows = 900000;
  EXPECT_FALSE(suits_csr_binned(facts, short_rows));
  facts.is_gpu = false;
  EXPECT_FALSE(suits_csr_binned(facts, graph));
}

TEST(OpenClTuning, WideSuitsLongEvenRows) {
  ExecutorFacts facts = gpu("", "", "");
  facts.compute_units = 100;
  const Structure even{
      .rows = 16384, .cols = 16384, .nnz = 16384 * 1000, .longest_row = 1100, .row_deviation = 30};
  EXPECT_TRUE(suits_packed_wide(facts, even));
  Structure short_rows = even;
  short_rows.nnz = 16384 * 20;
  EXPECT_FALSE(suits_packed_wide(facts, short_rows));
  Structure uneven = even;
  uneven.row_deviation = 4000;
  EXPECT_FALSE(suits_packed_wide(facts, uneven));
  Structure huge_row = even;
  huge_row.longest_row = 200000;
  EXPECT_FALSE(suits_packed_wide(facts, huge_row));
  facts.is_gpu = false;
  EXPECT_FALSE(suits_packed_wide(facts, even));
}

TEST(OpenClTuning, StagedSuitsBitmapsOfAWholeBlockOnNvidiasDevices) {
  EXPECT_FALSE(suits_bitmap_staged(gpu("", "", ""), {.rows = 10, .cols = 1024, .nnz = 5000}));
  ExecutorFacts facts = gpu("NVIDIA Corporation", "", "");
  Structure structure{.rows = 10, .cols = 1024, .nnz = 5000};
  EXPECT_TRUE(suits_bitmap_staged(facts, structure));
  structure.cols = 1023;
  EXPECT_FALSE(suits_bitmap_staged(facts, structure));
  facts.is_gpu = false;
  structure.cols = 4096;
  EXPECT_FALSE(suits_bitmap_staged(facts, structure));
}

/// Only devices that have the instruction are told to copy to local memory while they compute.
TEST(OpenClTuning, CopiesAheadAreDefinedWhereTheDeviceHasThem) {
  const ProgramKey key{"bitmap_staged"};
  BuildTarget target;
  target.is_nvidia = true;
  EXPECT_EQ(program_definitions(target, key).find("COPIES_AHEAD"), std::string::npos);
  target.copies_ahead = true;
  EXPECT_NE(program_definitions(target, key).find("COPIES_AHEAD"), std::string::npos);
}

/// No kernel file defines for itself what the host defines.
TEST(OpenClTuning, SharedConstantsAreDefinedOnce) {
  const std::string options = program_definitions({}, {"csr_merge"});
  for (const Definition& definition : definitions) {
    EXPECT_NE(options.find(" -D " + std::string(definition.name) + "="), options.npos);
    bool is_used = false;
    for (const KernelSource& source : kernel_sources()) {
      is_used |= source.text.find(definition.name) != source.text.npos;
      EXPECT_EQ(source.text.find("#define " + std::string(definition.name) + " "), source.text.npos)
          << source.stem;
    }
    EXPECT_TRUE(is_used) << definition.name;
  }
}

}  // namespace
}  // namespace switchyard::opencl
