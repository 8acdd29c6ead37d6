// What each variant of a product is for. Models are smooth, and tell what is best among variants
// that are near each other; these rules keep out what is not near.
#include "operations.hpp"

namespace switchyard::opencl {
namespace {

/// The longest row that one item of a GPU may sum alone while others wait (H200: poisson2d 57 us,
/// where a few items for each row take 75; rows of 820, 299 us and 58; one row of a million, 60
/// ms). The stream's items sum theirs out of local memory, and it is no different: on rows of 23 of
/// which the longest has 250 it takes 25 us, and 8 with several items for each row.
constexpr Index longest_alone = 64;

}  // namespace

bool suits_dense_scalar(const ExecutorFacts& facts, const Structure& /*structure*/) {
  return !facts.is_gpu;
}

bool suits_csr_scalar(const ExecutorFacts& facts, const Structure& structure) {
  return !facts.is_gpu || structure.longest_row <= longest_alone;
}

bool suits_csr_stream(const ExecutorFacts& facts, const Structure& structure) {
  return facts.is_gpu && structure.longest_row <= longest_alone;
}

}  // namespace switchyard::opencl
