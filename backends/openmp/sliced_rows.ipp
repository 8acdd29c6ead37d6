// Rows whose elements lie side by side, times a vector: eight rows at a time, one in each place of
// a vector. Elements of x are put into registers one by one, as in csr_rows.ipp.
#include "row_kernels.hpp"
#include "vector_types.hpp"

namespace switchyard::openmp::SWITCHYARD_ISA {
namespace {

constexpr int rows_at_once = 8;
/// How far ahead of the sums slots are asked for: the processor's own prefetching stops short
/// behind so many instructions an element. Slots of neighbouring rows follow each other; in ELLPACK
/// they do so in as many streams as rows have slots, so that less of each is far enough.
constexpr std::int64_t slots_ahead = 1024;
constexpr std::int64_t slots_of_stream_ahead = 128;
constexpr std::int64_t longest_stride_of_slice = 64;
template <class T>
using Eight = Vector<T, rows_at_once>;

template <class T>
[[gnu::always_inline]] inline Eight<T> products_of_eight(const T* values,
                                                         const std::int32_t* columns, const T* x,
                                                         std::int64_t ahead) {
  __builtin_prefetch(values + ahead);
  __builtin_prefetch(columns + ahead);
  const Eight<T> gathered = {x[columns[0]], x[columns[1]], x[columns[2]], x[columns[3]],
                             x[columns[4]], x[columns[5]], x[columns[6]], x[columns[7]]};
  return load<Eight<T>>(values) * gathered;
}

/// The slots [k, longest) of eight rows that do not all end together.
template <class T>
[[gnu::always_inline]] inline Eight<T> uneven_ends(const T* values, const std::int32_t* columns,
                                                   const SlicedRows<T>& work,
                                                   Vector<std::int32_t, rows_at_once> lengths,
                                                   std::int64_t k, std::int64_t ahead) {
  using Integers = Eight<Bits<T>>;
  const auto ends = __builtin_convertvector(lengths, Integers);
  std::int64_t longest = 0;
  for (int r = 0; r < rows_at_once; ++r) longest = lengths[r] < longest ? longest : lengths[r];
  Eight<T> sums = {};
  for (; k < longest; ++k) {
    // What padding would add may be NaN: it is masked, not multiplied by zero.
    const auto inside = ends > Integers{} + static_cast<Bits<T>>(k);
    sums += (Eight<T>)((Integers)products_of_eight(values, columns, work.x, ahead) & inside);
    values += work.stride;
    columns += work.stride;
  }
  return sums;
}

template <class T>
[[gnu::always_inline]] inline void sums_of_eight(const SlicedRows<T>& work, std::int64_t first,
                                                 T* sums) {
  const std::int32_t* const lengths = work.lengths + first;
  std::int32_t shortest = lengths[0];
  std::int32_t differ = 0;
  for (int r = 1; r < rows_at_once; ++r) {
    shortest = lengths[r] < shortest ? lengths[r] : shortest;
    differ |= lengths[r] ^ lengths[0];
  }
  const T* values = work.values + first;
  const std::int32_t* columns = work.columns + first;
  const std::int64_t ahead =
      work.stride > longest_stride_of_slice ? slots_of_stream_ahead : slots_ahead;
  Eight<T> even = {};
  Eight<T> odd = {};
  std::int64_t k = 0;
  for (; k + 2 <= shortest; k += 2) {
    even += products_of_eight(values, columns, work.x, ahead);
    odd += products_of_eight(values + work.stride, columns + work.stride, work.x, ahead);
    values += 2 * work.stride;
    columns += 2 * work.stride;
  }
  if (k < shortest) {
    even += products_of_eight(values, columns, work.x, ahead);
    values += work.stride;
    columns += work.stride;
    ++k;
  }
  if (differ != 0) {
    using Lengths = Vector<std::int32_t, rows_at_once>;
    odd += uneven_ends(values, columns, work, load<Lengths>(lengths), k, ahead);
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
