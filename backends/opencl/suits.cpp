// What each variant of a product is for. Models are smooth, and tell what is best among variants
// that are near each other; these rules keep out what is not near.
#include "operations.hpp"

namespace switchyard::opencl {
namespace {

/// The longest row that one item of a GPU may sum alone while others wait (H200: poisson2d 57 us,
/// where 32 items for each row take 75; rows of 820, 299 us and 58; one row of a million, 60 ms).
constexpr Index longest_alone = 64;
/// The stream's items sum their rows out of local memory, which is quicker; but long rows leave
/// most of a work-group without one (rows of 27: 83 us against 101; of 164: 15 and 11; of 1640: 558
/// and 58).
constexpr Index longest_streamed = 256;
constexpr double mean_streamed = 64;

}  // namespace

bool suits_dense_scalar(const ExecutorFacts& facts, const Structure& /*structure*/) {
  return !facts.is_gpu;
}

bool suits_csr_scalar(const ExecutorFacts& facts, const Structure& structure) {
  return !facts.is_gpu || structure.longest_row <= longest_alone;
}

bool suits_csr_stream(const ExecutorFacts& facts, const Structure& structure) {
  return facts.is_gpu && structure.longest_row <= longest_streamed &&
         structure.mean_row() <= mean_streamed;
}

}  // namespace switchyard::opencl
