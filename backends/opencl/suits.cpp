// Which kernels suit a matrix. Models are smooth and choose among kernels of similar speed; these
// rules exclude kernels that are slower by a large factor. The thresholds are in tuning.hpp.
#include <algorithm>

#include "columns.hpp"
#include "lanes.hpp"
#include "operations.hpp"

namespace switchyard::opencl {
namespace {

bool is_uneven(const Tuning& tuning, const Structure& structure) {
  return structure.row_deviation > tuning.uneven_deviation * structure.mean_row();
}

/// Whether a row is longer than `longest` and than one part in `shares` of all nonzeros.
bool has_row_beyond(Index longest, Index shares, const Structure& structure) {
  return structure.longest_row > std::max(longest, structure.nnz / shares);
}

bool has_huge_row(const Tuning& tuning, const Structure& structure) {
  return has_row_beyond(tuning.longest_row_per_group, tuning.huge_row_shares, structure);
}

/// For many columns: whether rows are short in the mean, and so many that no more items share a row
/// than usual. Other GPUs than those that NVIDIA's driver drives would leave long rows to one team.
template <Element T>
bool has_rows_to_stage(const ExecutorFacts& facts, const Structure& structure) {
  const Tuning& tuning = tuning_of(facts);
  const double longest_mean =
      sizeof(T) == 8 ? tuning.mean_for_staged_doubles : tuning.mean_for_staged_floats;
  return facts.is_gpu && !facts.architecture.empty() && structure.mean_row() <= longest_mean &&
         lanes_to_fill(facts, structure.rows) / 2 <= tuning.column_lanes;
}

/// For many columns: whether a row keeps all others waiting. Where rows are staged, a warp takes it
/// instead of a group.
template <Element T>
bool has_huge_row_for_columns(const ExecutorFacts& facts, const Structure& structure) {
  const Tuning& tuning = tuning_of(facts);
  if (!has_rows_to_stage<T>(facts, structure)) return has_huge_row(tuning, structure);
  const Index warps = std::max<Index>(tuning.large_group / nvidia_warp, 1);
  return has_row_beyond(tuning.longest_row_per_warp, tuning.huge_row_shares * warps, structure);
}

}  // namespace

bool suits_dense_scalar(const ExecutorFacts& facts, const Structure& /*structure*/) {
  return !facts.is_gpu;
}

bool suits_csr_scalar(const ExecutorFacts& facts, const Structure& structure) {
  if (!facts.is_gpu) return true;
  const Tuning& tuning = tuning_of(facts);
  return structure.longest_row <= tuning.longest_row_per_item &&
         structure.mean_row() <= tuning.largest_mean_per_item;
}

bool suits_csr_vector(const ExecutorFacts& facts, const Structure& structure) {
  if (!facts.is_gpu) return true;
  const Tuning& tuning = tuning_of(facts);
  if (has_huge_row(tuning, structure)) return false;
  if (suits_csr_scalar(facts, structure) && structure.mean_row() < tuning.smallest_mean_shared) {
    return false;
  }
  return !is_uneven(tuning, structure) ||
         structure.rows * tuning.items_for_uneven_rows <= items_at_once(facts);
}

bool suits_packed_wide(const ExecutorFacts& facts, const Structure& structure) {
  const Tuning& tuning = tuning_of(facts);
  return facts.is_gpu && structure.mean_row() >= tuning.smallest_mean_wide &&
         !is_uneven(tuning, structure) && !has_huge_row(tuning, structure);
}

bool suits_packed_vector(const ExecutorFacts& facts, const Structure& structure) {
  return !facts.is_gpu || !has_huge_row(tuning_of(facts), structure);
}

bool suits_packed_merge(const ExecutorFacts& facts, const Structure& structure) {
  return facts.is_gpu && suits_csr_merge(facts, structure);
}

bool suits_csr_stream(const ExecutorFacts& facts, const Structure& structure) {
  const Tuning& tuning = tuning_of(facts);
  return facts.is_gpu && structure.longest_row <= tuning.longest_row_per_item &&
         structure.nnz >= tuning.stream_nonzeros_per_unit * facts.compute_units;
}

bool suits_csr_merge(const ExecutorFacts& facts, const Structure& structure) {
  const Tuning& tuning = tuning_of(facts);
  return !facts.is_gpu || is_uneven(tuning, structure) || has_huge_row(tuning, structure);
}

bool suits_csr_binned(const ExecutorFacts& facts, const Structure& structure) {
  const Tuning& tuning = tuning_of(facts);
  return facts.is_gpu && structure.nnz <= tuning.most_binned_nonzeros &&
         structure.mean_row() >= tuning.smallest_mean_binned &&
         structure.row_deviation > tuning.binned_deviation * structure.mean_row();
}

template <Element T>
bool suits_csr_columns_binned(const ExecutorFacts& facts, const Structure& structure) {
  const Tuning& tuning = tuning_of(facts);
  return facts.is_gpu && (has_huge_row_for_columns<T>(facts, structure) ||
                          structure.row_deviation > tuning.binned_deviation * structure.mean_row());
}

bool suits_csc_columns_binned(const ExecutorFacts& facts, const Structure& /*structure*/) {
  return facts.is_gpu;
}

bool suits_each_column(const ExecutorFacts& facts, const Structure& /*structure*/) {
  return !facts.is_gpu;
}

template <Element T>
bool suits_csr_columns(const ExecutorFacts& facts, const Structure& structure) {
  return !facts.is_gpu || (!has_rows_to_stage<T>(facts, structure) &&
                           !has_huge_row_for_columns<T>(facts, structure));
}

template <Element T>
bool suits_csr_staged(const ExecutorFacts& facts, const Structure& structure) {
  return has_rows_to_stage<T>(facts, structure) && !has_huge_row_for_columns<T>(facts, structure);
}

template <Format format>
bool suits_windows(const ExecutorFacts& facts, const Structure& structure) {
  const Tuning& tuning = tuning_of(facts);
  const bool in_rows = format == Format::Csr;
  const Index rows = in_rows ? structure.rows : structure.cols;
  const Index cols = in_rows ? structure.cols : structure.rows;
  const Index windows = divided_up(cols, tuning.window_columns);
  return facts.is_gpu && structure.nnz >= tuning.fewest_nonzeros_for_windows && windows > 0 &&
         structure.nnz / windows / tuning.mean_for_windows >= rows;
}

template <Format format>
bool suits_scatter(const ExecutorFacts& facts, const Structure& structure) {
  return !suits_windows<format>(facts, structure);
}

template bool suits_csr_columns<float>(const ExecutorFacts&, const Structure&);
template bool suits_csr_columns<double>(const ExecutorFacts&, const Structure&);
template bool suits_csr_staged<float>(const ExecutorFacts&, const Structure&);
template bool suits_csr_staged<double>(const ExecutorFacts&, const Structure&);
template bool suits_csr_columns_binned<float>(const ExecutorFacts&, const Structure&);
template bool suits_csr_columns_binned<double>(const ExecutorFacts&, const Structure&);
template bool suits_windows<Format::Csr>(const ExecutorFacts&, const Structure&);
template bool suits_windows<Format::Csc>(const ExecutorFacts&, const Structure&);
template bool suits_scatter<Format::Csr>(const ExecutorFacts&, const Structure&);
template bool suits_scatter<Format::Csc>(const ExecutorFacts&, const Structure&);

}  // namespace switchyard::opencl
