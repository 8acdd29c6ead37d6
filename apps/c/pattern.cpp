// Borrowing, widening, narrowing and shifting the arrays of a pattern.
#include "pattern.hpp"

#include <switchyard/containers/csr_check.hpp>

#include "arguments.hpp"
#include "numbers.hpp"

namespace switchyard::c {
namespace {

void check_pattern(const sy_csr& pattern) {
  check_bits(pattern.offset_bits, "offset_bits and column_bits");
  check_bits(pattern.column_bits, "offset_bits and column_bits");
  check_base(pattern.base);
  check_sizes(pattern.rows, pattern.cols, pattern.nnz);
}

/// Each less the base, in the bits of `To`.
template <class To, class From>
Array<To> converted(std::span<const From> values, const Numbers& numbers) {
  Array<To> result(static_cast<Index>(values.size()));
  for (std::size_t k = 0; k < values.size(); ++k) {
    result[static_cast<Index>(k)] = static_cast<To>(from_zero(values[k], k, numbers));
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
