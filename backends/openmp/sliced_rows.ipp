// Rows whose elements lie side by side, times a vector: eight rows at a time, one in each place of
// a vector. Elements of x are put into registers one by one, as in csr_rows.ipp.
#include "row_kernels.hpp"
#include "vector_types.hpp"

namespace switchyard::openmp::SWITCHYARD_ISA {
namespace {

constexpr int rows_at_once = 8;
template <class T>
using Eight = Vector<T, rows_at_once>;

template <class T>
[[gnu::always_inline]] inline Eight<T> products_of_eight(const T* values,
                                                         const std::int32_t* columns, const T* x) {
  const Eight<T> gathered = {x[columns[0]], x[columns[1]], x[columns[2]], x[columns[3]],
                             x[columns[4]], x[columns[5]], x[columns[6]], x[columns[7]]};
  return load<Eight<T>>(values) * gathered;
}

template <class T>
[[gnu::always_inline]] inline void sums_of_eight(const SlicedRows<T>& work, std::int64_t first,
                                                 T* sums) {
  const std::int32_t* const lengths = work.lengths + first;
  std::int64_t shortest = lengths[0];
  std::int64_t longest = lengths[0];
  for (int r = 1; r < rows_at_once; ++r) {
    shortest = lengths[r] < shortest ? lengths[r] : shortest;
    longest = lengths[r] < longest ? longest : lengths[r];
  }
  const T* values = work.values + first;
  const std::int32_t* columns = work.columns + first;
  Eight<T> even = {};
  Eight<T> odd = {};
  std::int64_t k = 0;
  for (; k + 2 <= shortest; k += 2) {
    even += products_of_eight(values, columns, work.x);
    odd += products_of_eight(values + work.stride, columns + work.stride, work.x);
    values += 2 * work.stride;
    columns += 2 * work.stride;
  }
  using Integers = Eight<Bits<T>>;
  const Integers ends = {lengths[0], lengths[1], lengths[2], lengths[3],
                         lengths[4], lengths[5], lengths[6], lengths[7]};
  for (; k < longest; ++k) {
    // What padding would add may be NaN: it is masked, not multiplied by zero.
    const auto inside = ends > Integers{} + static_cast<Bits<T>>(k);
    even += (Eight<T>)((Integers)products_of_eight(values, columns, work.x) & inside);
    values += work.stride;
    columns += work.stride;
  }
  store(sums, even + odd);
}

template <class T>
void sliced_sums(const SlicedRows<T>& work, std::int64_t rows, T* sums) {
  std::int64_t i = 0;
  for (; i + rows_at_once <= rows; i += rows_at_once) sums_of_eight(work, i, sums + i);
  for (; i < rows; ++i) {
    T sum = T(0);
    for (std::int64_t k = 0; k < work.lengths[i]; ++k) {
      sum += work.values[k * work.stride + i] * work.x[work.columns[k * work.stride + i]];
    }
    sums[i] = sum;
  }
}

}  // namespace
}  // namespace switchyard::openmp::SWITCHYARD_ISA
