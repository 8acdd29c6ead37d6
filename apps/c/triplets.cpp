// Gathering a caller's coordinates and values.
#include "triplets.hpp"

#include <vector>

#include "arguments.hpp"
#include "numbers.hpp"

namespace switchyard::c {
namespace {

template <class Number, Element T>
std::vector<Triplet<T>> gathered(const sy_triplets& places, std::span<const T> values) {
  const auto rows = required_array(static_cast<const Number*>(places.row_of), places.nnz, "row_of");
  const auto cols = required_array(static_cast<const Number*>(places.col_of), places.nnz, "col_of");
  const Numbers in_rows{"row", ErrorCode::OutOfRange, places.base, places.rows - 1};
  const Numbers in_cols{"column", ErrorCode::OutOfRange, places.base, places.cols - 1};
  std::vector<Triplet<T>> triplets(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    triplets[k] = {from_zero(rows[k], k, in_rows), from_zero(cols[k], k, in_cols), values[k]};
  }
  return triplets;
}

}  // namespace

template <Element T>
Csr<T> csr_of_triplets(const sy_triplets* places, const T* values) {
  const sy_triplets& given = required(places, "places");
  check_bits(given.index_bits, "index_bits");
  check_base(given.base);
  check_sizes(given.rows, given.cols, given.nnz);
  const auto elements = required_array(values, given.nnz, "values");
  const auto triplets = given.index_bits == 32 ? gathered<std::int32_t>(given, elements)
                                               : gathered<std::int64_t>(given, elements);
  return csr_from_triplets(given.rows, given.cols, std::span(triplets));
}

template Csr<float> csr_of_triplets(const sy_triplets*, const float*);
template Csr<double> csr_of_triplets(const sy_triplets*, const double*);

}  // namespace switchyard::c
