// The table of tunings and its lookup.
#include "tuning.hpp"

#include <algorithm>

namespace switchyard::opencl {
namespace {

constexpr Tuning measured_on_hopper{.scan_run = 21};
constexpr Tuning of_any_gpu{};
// Only tests run bitmap_rows and staged_rows on processors. PoCL 3.1 compiles them wrongly for one
// row: variables that differ between items are lost at barriers. Copies of X do not repay in
// double there (3000 rows of 150, 15 columns, with a copy of Y as well: 1.9 ms and 1.5 without; in
// float 1.1 and 1.4); from how many products on they do in float is a guess.
constexpr Tuning tried_with_pocl{.fewest_products_to_widen_floats = 300'000,
                                 .fewest_products_to_widen_doubles = INT64_MAX,
                                 .bitmap_rows = 2,
                                 .staged_rows = 2,
                                 .scan_run = 7};

// Rows of one vendor stand together, the most specific first. To add a device: measure on it, add a
// row with its values, and write in `source` what was measured.
constexpr std::array table{
    TuningRow{.vendor = "NVIDIA",
              .architecture = "sm_90",  // Hopper
              .device = "NVIDIA H200",
              .is_gpu = true,
              .source = "measured on an NVIDIA H200",
              .tuning = measured_on_hopper},
    TuningRow{.vendor = "NVIDIA",
              .architecture = "sm_90",
              .device = "NVIDIA H100",
              .is_gpu = true,
              .source = "values of the NVIDIA H200, of which scans were measured on an NVIDIA H100",
              .tuning = measured_on_hopper},
    TuningRow{.vendor = "",
              .architecture = "",
              .device = "",
              .is_gpu = true,
              .source = "values of the NVIDIA H200 but for scans, not measured on this device",
              .tuning = of_any_gpu},
    // Launch sizes were tried with PoCL; which kernel suits a matrix does not depend on thresholds
    // there.
    TuningRow{.vendor = "",
              .architecture = "",
              .device = "",
              .is_gpu = false,
              .source = "launch sizes tried with PoCL",
              .tuning = tried_with_pocl},
};

constexpr bool matches(const TuningRow& row, const ExecutorFacts& facts) noexcept {
  return row.is_gpu == facts.is_gpu && facts.vendor.starts_with(row.vendor) &&
         (row.architecture.empty() || row.architecture == facts.architecture) &&
         facts.name.starts_with(row.device);
}

/// Device before architecture before vendor.
constexpr int specificity(const TuningRow& row) noexcept {
  return (row.device.empty() ? 0 : 4) + (row.architecture.empty() ? 0 : 2) +
         (row.vendor.empty() ? 0 : 1);
}

}  // namespace

std::span<const TuningRow> tuning_rows() noexcept { return table; }

const TuningRow& tuning_row_in(std::span<const TuningRow> rows,
                               const ExecutorFacts& facts) noexcept {
  const TuningRow* best = nullptr;
  for (const TuningRow& row : rows) {
    if (!matches(row, facts)) continue;
    if (!best || specificity(row) > specificity(*best)) best = &row;
  }
  return *best;
}

const TuningRow& tuning_row_for(const ExecutorFacts& facts) noexcept {
  return tuning_row_in(table, facts);
}

const Tuning& tuning_of(const ExecutorFacts& facts) noexcept {
  return facts.tuning ? *facts.tuning : tuning_row_for(facts).tuning;
}

}  // namespace switchyard::opencl
