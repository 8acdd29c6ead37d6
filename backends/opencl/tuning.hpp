// The numbers that depend on the device: launch sizes, thresholds between kernels, kernel
// constants.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <switchyard/backends/executor.hpp>
#include <switchyard/containers/numbers.hpp>

namespace switchyard::opencl {

/// Work-items of an NVIDIA warp. Part of the architecture, not a threshold.
inline constexpr Index nvidia_warp = 32;

/// Launch sizes and thresholds for one kind of device. The defaults are the values measured on an
/// NVIDIA H200; the figures in the comments are from there. A device with other values gets a row
/// in the table in tuning.cpp.
struct Tuning {
  // Work-groups.

  /// Items of a work-group (GROUP). Small groups leave when their own rows are done (dense 16384 x
  /// 16384 float: 247 us with 128 items, 271 with 256).
  Index group = 128;
  /// Items of a work-group where all of them take over rows that are too long for a few
  /// (LARGE_GROUP): more items read faster (CSR with one row of a million: 648 us with 256 items,
  /// 1458 with 128).
  Index large_group = 256;
  /// Work-groups per compute unit that keep the device busy: as many as a multiprocessor holds at
  /// once, four times over, so that the last ones to end are a small part of all.
  Index groups_per_unit = 64;
  /// Items per compute unit of one multiplication: one and a half times what a multiprocessor runs
  /// at once. With so many, hardly any item waits for its turn.
  Index items_per_unit = 3072;

  // Dense multiplication.

  /// 16-byte loads that repay what an item costs before and after them (2^20 x 256 float: 249 us
  /// with 8 items a row, 610 with 64; 131072 x 1000: 136 us with 16, 144 with 32).
  Index dense_loads_per_lane = 8;
  /// 16-byte loads of each item of dense_narrow.
  Index narrow_loads = 4;
  /// The longest rows that dense_narrow takes.
  Index narrow_columns = 160;
  /// The same for rows that start on 16 bytes (2^20 rows in float: of 100, 116 us either way; of
  /// 129, 146 us and 243 without; of 257, 452 and 429).
  Index narrow_aligned_columns = 64;

  // CSR multiplication.

  /// Elements of the mean row for each lane of csr_vector (a million rows of 27: 87 us with 4 items
  /// a row, 101 with 8; 16384 rows of 164 in double: 14 us with 16, 17 with 32).
  Index csr_floats_per_lane = 8;
  Index csr_doubles_per_lane = 12;
  /// Bytes of products of each item that csr_stream holds in local memory (1.5 million rows of 5 in
  /// double: 60 us with 64, 47 with 32).
  Index stream_bytes = 32;
  /// Places of each item of csr_merge on the merge path. Odd, so that items walk through local
  /// memory without meeting in its banks (groups of 128, a prototype on soc-Slashdot0902 in float:
  /// 9.3 us; before, 9 places in groups of 256 took 15.7).
  Index merge_items = 7;

  // CSR multiplication with many columns.

  /// Items that share a row, where rows are enough to fill the device with them (16384 rows of
  /// 3277, eight columns: 168 us with 8 items a row, 185 with 32; 164: 20 and 25; prototypes with
  /// four columns, rows of 3277: 112 and 142; of 6554: 217 and 265; 30000 rows of 3000: 240 and
  /// 221).
  Index column_lanes = 8;
  /// The most columns, an even number, of which an item of rows as they are has two in double
  /// (prototypes, 16384 rows of 3277 and of 164, two columns each and four: with 16 columns 530 and
  /// 39.8 us, 565 and 38.3; with 32 1051 and 74.5, 905 and 68.6; with 64 1788 and 150, 2001 and
  /// 137).
  Index most_doubles_by_pair = 16;
  /// Loads of four nonzeros by each team of items from which on rows are read by such loads. A
  /// guess, not measured.
  Index quads_per_team = 2;
  /// Items of a work-group that reads nonzeros by way of local memory (CHUNKS_GROUP). With so many
  /// the compiler gives an item 64 registers at most, so that a multiprocessor runs them all. Also
  /// where two columns in float are read by loads of four nonzeros (prototypes, 16384 rows of 164,
  /// 819 and 3277, eight items a row: 12.7, 37.6 and 112 us in groups of 256, 12.6, 35.1 and 108 in
  /// these; but 100 thousand rows of 120: 89 and 93).
  Index chunks_group = 1024;
  /// The fewest items of a row for that, and those that share a nonzero from which on it pays
  /// (prototypes, 16384 rows of 3277 in float: with 32 columns 399 us and 444 by loads of four,
  /// with 16 266 and 253).
  Index lanes_for_chunks = 8;
  Index items_for_chunks = 8;
  /// With fewer, nonzeros of the mean row for each team up to which it pays (prototypes, 16
  /// columns: rows of 164, two teams, 20.9 us and 24.7; of 819 76.9 and 76.0).
  Index most_per_team_for_chunks = 128;
  /// The whole group takes a row of more nonzeros than this for each team and than this many means.
  /// Guesses, not measured.
  Index long_row_per_team = 64;
  Index long_row_means = 4;

  /// The most columns, an odd number, of which an item of rows as they are has one (prototypes in
  /// float, X not copied, 4096 rows of 410: with 3, 5, 7 and 15 columns 9.7, 12.8, 13.3 and 21.0
  /// us, with four columns of an item 13.9, 16.1, 16.6 and 22.9).
  Index most_singles = 7;
  /// The fewest products, nonzeros times columns, for which X is copied to rows of whole portions
  /// of 16 bytes, one launch more (16384 rows of 164, float, 3 columns, 8 million: 19.5 us with the
  /// copy and 21.4; 2048 rows of 102, 17 columns, 3.6 million: 16.9 and 8.7).
  Index fewest_products_to_widen_floats = 8'000'000;
  Index fewest_products_to_widen_doubles = 8'000'000;
  /// The same where an item has one column otherwise (16384 rows of 164 and 819, float, 7 columns:
  /// 24.4 and 58.7 us with the copy, 22.6 and 75 as prototypes without; double, rows of 819, 3 and
  /// 7 columns, 40 and 94 million: 80 and 109 with, 70 and 114 without).
  Index fewest_products_to_widen_single_floats = 20'000'000;
  Index fewest_products_to_widen_single_doubles = 80'000'000;
  /// The fewest nonzeros for each row of X for that, where the columns are odd in number or, in
  /// float, even (1.6 million rows of 5, 7 columns: 118 us with the copy and 91; 300 thousand of
  /// 30: 90 and 131, and with six 89 and 86).
  Index nonzeros_to_widen = 8;
  Index nonzeros_to_widen_even = 64;

  /// The longest mean row of csr_staged (prototypes, in float 300 thousand rows of 60: with two,
  /// eight, 32 and 64 columns 136, 145, 305 and 584 us, and at best 163, 161, 345 and 786 with rows
  /// as they are; of 70: 158, 177, 457 and 661, and 187, 184, 391 and 854; 600 thousand of 64 in
  /// double, four columns: 334 and 292).
  double mean_for_staged_floats = 64;
  double mean_for_staged_doubles = 48;
  /// Nonzeros of each item of csr_staged in local memory, even numbers (STAGED_FLOATS and
  /// STAGED_DOUBLES; prototypes: a million rows of seven, four columns, 31 us with eight and 36
  /// with six; in double 1.7 million rows of 20, four columns, 329 us with eight and 280 with six).
  Index csr_staged_floats = 8;
  Index csr_staged_doubles = 6;
  /// Nonzeros of the mean row for each team of csr_staged where a team is several items
  /// (prototypes, 1.7 million rows of 20, eight columns: 228 us with 10, 280 with 8; with 16
  /// columns 310 with either).
  Index csr_staged_per_team = 10;
  /// The fewest columns, a multiple of four, of which an item of csr_staged has eight in float,
  /// where the mean row has no more (prototypes, G3_circuit, 8, 16 and 64 columns: 60, 93 and
  /// 328 us with eight, 59, 103 and 378 with four; 600 thousand rows of 20, 16 columns: 200 and
  /// 171).
  Index fewest_floats_by_eight = 16;
  /// A warp then takes a row of more nonzeros than this for each team and than `long_row_means`. A
  /// guess, not measured.
  Index long_row_per_staged_team = 16;
  /// The longest row that a warp may have to take alone. A guess, not measured.
  Index longest_row_per_warp = 2048;

  // Products of CSR with the other operand.

  /// Work-groups per compute unit that add products: as many as run at once.
  Index scatter_groups_per_unit = 8;
  /// The most nonzeros for which the work-groups behind those that add products finish y. With
  /// more, waiting for them costs more than another launch (a prototype, density 0.05 of 16384 x
  /// 16384: 102 us, and 83 and 5 for the other launch; of 0.01: 40, and 38 and 5).
  Index most_nonzeros_at_once = 4'000'000;
  /// Columns whose sums a work-group has in local memory (WINDOW), and the most rows that it takes
  /// (STRETCH_ROWS), of which a sum has room for one product each.
  Index window_columns = 2048;
  Index stretch_rows = 256;
  /// The fewest rows that are worth adding a window's sums to all others. A guess, not measured.
  Index fewest_stretch_rows = 16;
  /// The fewest elements of a row in a window, in the mean. A guess, not measured.
  Index mean_for_windows = 16;
  /// The fewest nonzeros for which groups have windows of their own: with fewer, equal shares of
  /// elements are ready sooner (496 rows of 101: 14.3 us by windows, 9.2 by shares; 6440 rows of
  /// 78: 18.7 and 18.5; 4096 rows of 410: 20 by windows). Where in between is a guess.
  Index fewest_nonzeros_for_windows = 1'000'000;
  /// Sums of fixed point take one part in so many of a device's memory, or as much as they need to
  /// be right.
  Index sums_share = 256;

  // Multiplication of packed CSR.

  /// Elements of the mean row for each lane of packed_wide, beyond a warp (16384 rows of 3277 in
  /// csr16, float: 83.5 us with 32 items a row, 85.1 with 64).
  Index packed_elements_per_lane = 192;
  /// The same within a warp, but for columns of 8 bits (rows of 819: 26.3 us with 16 items, 27.5
  /// with 32; of 1638: 47.1 and 45.1).
  Index packed_elements_in_warp = 64;
  /// The fewest lanes of a row of packed_wide (rows of 164 in a prototype: 9.4 us with 16, 10.0
  /// with 8).
  Index fewest_packed_lanes = 16;
  /// The smallest mean row for packed_wide: a portion of four for each lane of a warp. A guess,
  /// not measured.
  double smallest_mean_wide = 128;

  // Bitmap multiplication.

  /// Rows that a team of 32 items sums together. With more, x is read once for all of them, but
  /// fewer loads are under way (16384 x 16384 half full: 170 us with one, 216 with two).
  Index bitmap_rows = 1;
  /// Rows that a team of bitmap_staged sums together, with one load of x (a prototype, 16384 x
  /// 16384 half full: 147 us with four, 150 with two; at a density of 0.2 99 and 104).
  Index staged_rows = 4;
  /// Items of bitmap_staged that a compute unit runs at once, as many as its local memory holds,
  /// given as bytes of elements: 512 items in float, 256 in double.
  Index staged_bytes_per_unit = 2048;

  // ELLPACK.

  /// The fewest slots of each item where several share a row of ELLPACK. A guess, not measured.
  Index ell_slots_per_lane = 8;
  /// The fewest slots of a row that an item converts. A guess, not measured.
  Index ell_slots_per_part = 16;

  // Which CSR kernel suits a matrix (suits.cpp).

  /// The longest row that one item of a GPU may sum alone while others wait (poisson2d: 57 us,
  /// where a few items for each row take 75; rows of 820: 299 us and 58; one row of a million: 60
  /// ms). The same for csr_stream, whose items sum rows out of local memory (rows of 23 of which
  /// the longest has 250: 25 us, and 8 with several items for each row).
  Index longest_row_per_item = 64;
  /// The largest mean row for one item alone: neighbouring items read longer rows from too many
  /// places at once (a million rows of 16: 74 us, and 41 by several items for each row).
  double largest_mean_per_item = 8;
  /// The smallest mean row for several items (a million rows of 1: 9.1 us, and 6.8 by one item
  /// each).
  double smallest_mean_shared = 2;
  /// Nonzeros per compute unit from which on the groups of csr_stream fill the device (3312 rows of
  /// 32: 6.1 us, and 4.0 by several items for each row).
  Index stream_nonzeros_per_unit = 4096;
  /// Rows are uneven where their lengths deviate by more than this many means: long rows are then
  /// often neighbours, and wait for each other in one group.
  double uneven_deviation = 2;
  /// Items per row from which on uneven rows need no merging (82168 rows of 11.5 that deviate by
  /// 37, in double: 24.7 us, and 17.2 by merge; 37 thousand rows of 10 of a power-law graph: 18.1,
  /// and 10.4 by an earlier merge). 16 is a guess between these and 17758 rows of 7 that deviate by
  /// 22, where the earlier merge took as long.
  Index items_for_uneven_rows = 16;
  /// The most nonzeros of a matrix for csr_binned: with more, reading x and y in the order of the
  /// lengths costs more than it saves (a prototype on graphs of 0.9 million: 8.0 us, and 9.3 by
  /// merge; of 16 million: 151 and 125). Where in between is a guess.
  Index most_binned_nonzeros = 4'000'000;
  /// The smallest mean row for csr_binned, which reads 16 bytes for each row. A guess, not
  /// measured.
  double smallest_mean_binned = 4;
  /// The lengths of rows deviate by more than this many means where their order is worth keeping. A
  /// guess, not measured.
  double binned_deviation = 1;
  /// A row keeps the others waiting if it is longer than this and than one part in
  /// `huge_row_shares` of all nonzeros (four rows of 4 million: 5635 us, where merge takes 69; a
  /// million rows of 8 and one of 4 million: 3024 us and 72).
  Index longest_row_per_group = 16384;
  Index huge_row_shares = 256;

  // Conversions.

  /// Stretches that one item of the scanning kernels of dense_to_csr takes.
  Index stretches_per_item = 8;
  /// Columns of a stretch: a warp goes over it in four blocks.
  Index stretch_width = 4096;
  /// The narrowest stretches that are worth a warp.
  Index least_warp_width = 64;
  /// Columns of a row that one lane of csr_to_dense puts together.
  Index columns_per_lane = 8;

  // Vector operations.

  /// Elements for each item.
  Index elements_per_item = 4;

  // Scans.

  /// Elements that an item folds by itself (SCAN_RUN in scan.cl). Odd. So many doubles of each of
  /// 256 items fit 32 KB of local memory. (H200, 10^8 floats: 334 us with 15, 305 with 21, 311
  /// with 31.)
  Index scan_run = 15;
};

/// A member of `Tuning` that kernels see as a preprocessor definition of this name.
struct Definition {
  std::string_view name;
  Index Tuning::*value;
};

/// All numbers that kernels and the host code that launches them share. Every program is built with
/// all of them.
inline constexpr std::array definitions{
    Definition{"BITMAP_ROWS", &Tuning::bitmap_rows},
    Definition{"STAGED_ROWS", &Tuning::staged_rows},
    Definition{"NARROW_LOADS", &Tuning::narrow_loads},
    Definition{"NARROW_COLUMNS", &Tuning::narrow_columns},
    Definition{"STREAM_BYTES", &Tuning::stream_bytes},
    Definition{"MERGE_ITEMS", &Tuning::merge_items},
    Definition{"STRETCHES_PER_ITEM", &Tuning::stretches_per_item},
    Definition{"COLUMNS_PER_LANE", &Tuning::columns_per_lane},
    Definition{"ELEMENTS_PER_ITEM", &Tuning::elements_per_item},
    Definition{"SCAN_RUN", &Tuning::scan_run},
    Definition{"WINDOW", &Tuning::window_columns},
    Definition{"STRETCH_ROWS", &Tuning::stretch_rows},
    Definition{"CHUNKS_GROUP", &Tuning::chunks_group},
    Definition{"STAGED_FLOATS", &Tuning::csr_staged_floats},
    Definition{"STAGED_DOUBLES", &Tuning::csr_staged_doubles},
};

/// A row of the table of tunings. An empty text stands for any.
struct TuningRow {
  std::string_view vendor;        ///< the beginning of `ExecutorFacts::vendor`
  std::string_view architecture;  ///< `ExecutorFacts::architecture`
  std::string_view device;        ///< the beginning of `ExecutorFacts::name`
  bool is_gpu;                    ///< a row serves GPUs or all other devices, never both
  std::string_view source;        ///< where the values come from
  Tuning tuning;
};

/// The table of this library, which has a default for GPUs and one for other devices.
[[nodiscard]] std::span<const TuningRow> tuning_rows() noexcept;

/// The most specific row for a device: one that names the device before one that names its
/// architecture, that before one that names its vendor, that before a default. REQUIRES a default
/// for the device's kind among `rows`. Does not allocate.
[[nodiscard]] const TuningRow& tuning_row_in(std::span<const TuningRow> rows,
                                             const ExecutorFacts& facts) noexcept;
/// The same in the table of this library.
[[nodiscard]] const TuningRow& tuning_row_for(const ExecutorFacts& facts) noexcept;

/// The tuning that was resolved when the device was opened (`ExecutorFacts::tuning`), or a lookup
/// where the facts come from elsewhere.
[[nodiscard]] const Tuning& tuning_of(const ExecutorFacts& facts) noexcept;

}  // namespace switchyard::opencl
