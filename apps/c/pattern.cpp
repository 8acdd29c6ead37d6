// Borrowing, widening, narrowing and shifting the arrays of a pattern.
#include "pattern.hpp"

#include <limits>
#include <switchyard/containers/csr_check.hpp>

#include "arguments.hpp"

namespace switchyard::c {
namespace {

void check_pattern(const sy_csr& pattern) {
  const auto has_bits = [](int bits) { return bits == 32 || bits == 64; };
  if (!has_bits(pattern.offset_bits) || !has_bits(pattern.column_bits)) {
    throw Error(ErrorCode::InvalidArgument, "offsets and columns have 32 or 64 bits", {},
                "set offset_bits and column_bits");
  }
  if (pattern.base != 0 && pattern.base != 1) {
    throw Error(ErrorCode::InvalidArgument, "base is " + std::to_string(pattern.base), {},
                "it is 0 or 1");
  }
  if (pattern.rows < 0 || pattern.cols < 0 || pattern.nnz < 0) {
    throw Error(ErrorCode::OutOfRange, "a size is negative");
  }
  if (pattern.rows == std::numeric_limits<Index>::max()) {
    throw Error(ErrorCode::OutOfRange, "there are too many rows");
  }
  if (pattern.cols > std::numeric_limits<Column>::max()) {
    throw Error(ErrorCode::OutOfRange, "there are more columns than 2^31-1");
  }
}

/// Where the numbers of an array lie. `kind` names one of them in errors.
struct Numbers {
  const char* kind;
  ErrorCode code;  ///< of an error about one
  Index base;      ///< the least
  Index most;      ///< the largest after the base has been subtracted
};

/// Each less the base, in the bits of `To`.
template <class To, class From>
Array<To> converted(std::span<const From> values, const Numbers& numbers) {
  Array<To> result(static_cast<Index>(values.size()));
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Index value = values[k];
    if (value < numbers.base || value - numbers.base > numbers.most) {
      throw Error(numbers.code,
                  std::string(numbers.kind) + " " + std::to_string(value) + " is outside " +
                      std::to_string(numbers.base) + ".." +
                      std::to_string(numbers.most + numbers.base),
                  "element " + std::to_string(k) + " of its array, from 0");
    }
    result[static_cast<Index>(k)] = static_cast<To>(value - numbers.base);
  }
  return result;
}

template <class To, class From>
Array<To> kept_or_converted(const void* array, Index size, int memory, const Numbers& numbers) {
  const auto values = required_array(static_cast<const From*>(array), size, numbers.kind);
  if constexpr (std::is_same_v<To, From>) {
    if (numbers.base == 0) return kept(values, memory);
  }
  return converted<To>(values, numbers);
}

template <class To>
Array<To> numbers_of(const void* array, Index size, int bits, int memory, const Numbers& numbers) {
  return bits == 32 ? kept_or_converted<To, std::int32_t>(array, size, memory, numbers)
                    : kept_or_converted<To, std::int64_t>(array, size, memory, numbers);
}

Offsets offsets_of(const sy_csr& pattern, int memory) {
  const Numbers numbers{"offset", ErrorCode::InvalidArgument, pattern.base, pattern.nnz};
  const auto of_width = [&]<class To>(To) -> Offsets {
    return numbers_of<To>(pattern.offsets, pattern.rows + 1, pattern.offset_bits, memory, numbers);
  };
  return offsets_are_narrow(pattern.nnz) ? of_width(std::int32_t{}) : of_width(std::int64_t{});
}

Array<Column> columns_of(const sy_csr& pattern, int memory) {
  const bool in_place = pattern.column_bits == 32 && pattern.base == 0;
  if (memory == SY_BORROW_ONLY && !in_place) {
    throw Error(ErrorCode::Unsupported, "these columns cannot be borrowed", {},
                "columns are borrowed if they have 32 bits and are counted from 0");
  }
  const Numbers numbers{"column", ErrorCode::OutOfRange, pattern.base, pattern.cols - 1};
  return numbers_of<Column>(pattern.columns, pattern.nnz, pattern.column_bits, memory, numbers);
}

/// As `check_elements`; errors of a pattern that is counted from 1 say that they count from 0.
template <Element T>
void check(const Csr<T>& matrix, Index base) {
  try {
    check_elements(matrix);
  } catch (const Error& error) {
    if (base == 0) throw;
    throw Error(error.code(), error.what(), {}, "this text counts rows and columns from 0");
  }
}

}  // namespace

template <Element T>
Csr<T> csr_of(const sy_csr* pattern, const T* values, int memory) {
  check_memory(memory);
  const sy_csr& given = required(pattern, "pattern");
  check_pattern(given);
  const auto stored = required_array(values, given.nnz, "values");
  Csr<T> matrix{given.rows,
                given.cols,
                given.nnz,
                offsets_of(given, memory),
                columns_of(given, memory),
                kept(stored, memory)};
  check(matrix, given.base);
  return matrix;
}

template Csr<float> csr_of(const sy_csr*, const float*, int);
template Csr<double> csr_of(const sy_csr*, const double*, int);

}  // namespace switchyard::c
