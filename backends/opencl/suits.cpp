// What each variant of a product is for. Models are smooth, and tell what is best among variants
// that are near each other; these rules keep out what is not near.
#include <algorithm>

#include "lanes.hpp"
#include "operations.hpp"

namespace switchyard::opencl {
namespace {

/// The longest row that one item of a GPU may sum alone while others wait (H200: poisson2d 57 us,
/// where a few items for each row take 75; rows of 820, 299 us and 58; one row of a million, 60
/// ms). The stream's items sum theirs out of local memory, and it is no different: on rows of 23 of
/// which the longest has 250 it takes 25 us, and 8 with several items for each row.
constexpr Index longest_alone = 64;
/// Neighbouring items read rows that are longer from too many places at once (a million rows of 16:
/// 74 us, and 41 by several items for each row).
constexpr double longest_mean_alone = 8;
/// Several items for a row are none too many only from here on (a million rows of 1: 9.1 us,
/// and 6.8 by one item each).
constexpr double shortest_mean_shared = 2;
/// Nonzeros for each multiprocessor from which on the stream's groups fill them all (3312 rows of
/// 32: 6.1 us, and 4.0 by several items for each row).
constexpr Index least_streamed = 4096;

/// Rows are uneven where their lengths deviate by more than this many means. Of those, long ones
/// are often neighbours, and wait for each other in one group, unless there are items enough to
/// give many to each row (82168 rows of 11.5 that deviate by 37, in double: 24.7 us, and 17.2 by
/// merge; 17758 rows of 7 that deviate by 22: 8.0 and 8.3).
constexpr double most_deviation = 2;
constexpr Index items_for_uneven_rows = 8;
/// A row is waited for that is longer than this, and than what falls to one work-group where all
/// share the nonzeros (four rows of 4 million: 5635 us, where merge takes 69; a million rows of 8
/// and one of 4 million: 3024 us and 72).
constexpr Index longest_of_group = 16384;
constexpr Index groups_of_share = 256;

bool is_uneven(const Structure& structure) {
  return structure.row_deviation > most_deviation * structure.mean_row();
}

bool has_huge_row(const Structure& structure) {
  return structure.longest_row > std::max(structure.nnz / groups_of_share, longest_of_group);
}

}  // namespace

bool suits_dense_scalar(const ExecutorFacts& facts, const Structure& /*structure*/) {
  return !facts.is_gpu;
}

bool suits_csr_scalar(const ExecutorFacts& facts, const Structure& structure) {
  if (!facts.is_gpu) return true;
  return structure.longest_row <= longest_alone && structure.mean_row() <= longest_mean_alone;
}

bool suits_csr_vector(const ExecutorFacts& facts, const Structure& structure) {
  if (!facts.is_gpu) return true;
  if (has_huge_row(structure)) return false;
  if (suits_csr_scalar(facts, structure) && structure.mean_row() < shortest_mean_shared)
    return false;
  return !is_uneven(structure) || structure.rows * items_for_uneven_rows <= items_at_once(facts);
}

bool suits_csr_stream(const ExecutorFacts& facts, const Structure& structure) {
  return facts.is_gpu && structure.longest_row <= longest_alone &&
         structure.nnz >= least_streamed * facts.compute_units;
}

bool suits_csr_merge(const ExecutorFacts& facts, const Structure& structure) {
  return !facts.is_gpu || is_uneven(structure) || has_huge_row(structure);
}

}  // namespace switchyard::opencl
