// Checks of sizes and widths in the C interface.
#include "numbers.hpp"

#include <limits>

namespace switchyard::c {

void check_base(int base) {
  if (base == 0 || base == 1) return;
  throw Error(ErrorCode::InvalidArgument, "base is " + std::to_string(base), {}, "it is 0 or 1");
}

void check_bits(int bits, const char* names) {
  if (bits == 32 || bits == 64) return;
  throw Error(ErrorCode::InvalidArgument, std::to_string(bits) + " bits are no width of integers",
              {}, std::string(names) + " are 32 or 64");
}

void check_sizes(Index rows, Index cols, Index nnz) {
  if (rows < 0 || cols < 0 || nnz < 0) {
    throw Error(ErrorCode::OutOfRange, "a size is negative");
  }
  if (rows == std::numeric_limits<Index>::max()) {
    throw Error(ErrorCode::OutOfRange, "there are too many rows");
  }
  if (cols > std::numeric_limits<Column>::max()) {
    throw Error(ErrorCode::OutOfRange, "there are more columns than 2^31-1");
  }
}

}  // namespace switchyard::c
