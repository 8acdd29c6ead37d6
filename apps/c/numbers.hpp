// Sizes and indexes that a C program passes, of either width and counted from 0 or 1.
#pragma once

#include <switchyard.h>

#include <string>
#include <switchyard/containers/error.hpp>
#include <switchyard/containers/numbers.hpp>

namespace switchyard::c {

/// Where the numbers of an array lie. `kind` names one of them in errors.
struct Numbers {
  const char* kind;
  ErrorCode code;  ///< of an error about one
  Index base;      ///< the least
  Index most;      ///< the largest after the base has been subtracted
};

/// The number at place `k` of its array, less the base. Throws `Error(numbers.code)` where it is
/// not among `numbers`.
[[nodiscard]] inline Index from_zero(Index number, std::size_t k, const Numbers& numbers) {
  if (number >= numbers.base && number - numbers.base <= numbers.most) return number - numbers.base;
  throw Error(numbers.code,
              std::string(numbers.kind) + " " + std::to_string(number) + " is outside " +
                  std::to_string(numbers.base) + ".." + std::to_string(numbers.most + numbers.base),
              "element " + std::to_string(k) + " of its array, from 0");
}

/// Throws `Error(InvalidArgument)` if `base` is neither 0 nor 1.
void check_base(int base);

/// Throws `Error(InvalidArgument)` if `bits` is neither 32 nor 64. `names` are its members.
void check_bits(int bits, const char* names);

/// Throws `Error(OutOfRange)` if a size of a sparse matrix is negative or too large.
void check_sizes(Index rows, Index cols, Index nnz);

}  // namespace switchyard::c
