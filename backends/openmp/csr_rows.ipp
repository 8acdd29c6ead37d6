// CSR rows times a vector. Elements of x are put into registers one by one: on Zen 5 a gather
// instruction takes 1.1 (float) to 1.65 (double) cycles an element, single loads 0.8 to 1.1.
#include "row_kernels.hpp"
#include "vector_types.hpp"

namespace switchyard::openmp::SWITCHYARD_ISA {
namespace {

/// How far ahead of the sums values and columns are asked for, in nonzeros. The processor's own
/// prefetching stops short behind so many instructions an element (2 Zen 5 cores, 8192 x 8192 with
/// a tenth of the elements: 0.42 of the bandwidth at 128, 0.59 at 512, 0.66 at 1024 and beyond).
constexpr std::int64_t nonzeros_ahead = 1024;
/// Of a matrix in the cache nothing need be asked for.
constexpr std::int64_t smallest_prefetched_nonzeros = 1 << 16;
constexpr int line = 64;

/// Rows up to this length are summed without a branch.
constexpr std::int64_t short_length = 8;

template <class T>
void prefetch(const T* from, std::int64_t count) {
  const auto* const bytes = reinterpret_cast<const char*>(from);
  for (std::int64_t b = 0; b < count * std::int64_t{sizeof(T)}; b += line) {
    __builtin_prefetch(bytes + b);
  }
}

/// Asks for `count` nonzeros, a good while before they are needed.
template <bool prefetching, class T>
void prefetch_ahead(const T* values, const std::int32_t* columns, std::int64_t count) {
  if constexpr (!prefetching) return;
  prefetch(values + nonzeros_ahead, count);
  prefetch(columns + nonzeros_ahead, count);
}

template <class T>
Four<T> products(const T* values, const std::int32_t* columns, const T* x) {
  const Four<T> gathered = {x[columns[0]], x[columns[1]], x[columns[2]], x[columns[3]]};
  return load<Four<T>>(values) * gathered;
}

/// Nonzeros with others behind them whose columns are inside the matrix too, for rows at the very
/// end of the arrays, where nothing may be read past them.
template <class T>
struct Guarded {
  T values[short_length] = {};
  std::int32_t columns[short_length] = {};
  Guarded(const T* from_values, const std::int32_t* from_columns, std::int64_t count) {
    for (std::int64_t k = 0; k < count; ++k) {
      values[k] = from_values[k];
      columns[k] = from_columns[k];
    }
  }
};

/// A row of at most `short_length` nonzeros; as many are read, whosever they are.
template <class T>
Four<T> short_row(const T* values, const std::int32_t* columns, const T* x, std::int64_t count) {
  using Integers = Vector<Bits<T>, 4>;
  const auto* const mask = places<T, short_length>.ones + (short_length - count);
  const auto low = (Integers)products(values, columns, x) & load<Integers>(mask);
  const auto high = (Integers)products(values + 4, columns + 4, x) & load<Integers>(mask + 4);
  return (Four<T>)low + (Four<T>)high;
}

/// A row of any length, whose last count % 4 nonzeros are read from the tail, four at once.
template <bool prefetching, class T>
Four<T> long_row(const T* values, const std::int32_t* columns, const T* x, std::int64_t count,
                 const T* tail_values, const std::int32_t* tail_columns) {
  Four<T> sums[4] = {};
  std::int64_t k = 0;
  for (; k + 16 <= count; k += 16) {
    prefetch_ahead<prefetching>(values + k, columns + k, 16);
    for (int i = 0; i < 4; ++i) sums[i] += products(values + k + 4 * i, columns + k + 4 * i, x);
  }
  for (; k + 4 <= count; k += 4) sums[0] += products(values + k, columns + k, x);
  if (k < count) sums[1] += first_places<T, 4>(products(tail_values, tail_columns, x), count - k);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// REQUIRES: `short_length` nonzeros may be read behind the row.
template <bool prefetching, class T>
Four<T> inner_row(const T* values, const std::int32_t* columns, const T* x, std::int64_t count) {
  if (count <= short_length) return short_row(values, columns, x, count);
  const std::int64_t whole = count - count % 4;
  return long_row<prefetching>(values, columns, x, count, values + whole, columns + whole);
}

/// The same sum, reading nothing behind the row.
template <class T>
Four<T> guarded_row(const T* values, const std::int32_t* columns, const T* x, std::int64_t count) {
  if (count == 0) return Four<T>{};
  if (count <= short_length) {
    const Guarded<T> row(values, columns, count);
    return short_row(row.values, row.columns, x, count);
  }
  const std::int64_t whole = count - count % 4;
  const Guarded<T> tail(values + whole, columns + whole, count - whole);
  return long_row<true>(values, columns, x, count, tail.values, tail.columns);
}

template <class T>
T csr_sum(const T* values, const std::int32_t* columns, const T* x, std::int64_t count) {
  return sum_of<T>(guarded_row(values, columns, x, count));
}

/// Rows [begin, end), all of them far enough from the end of the arrays, four at a time.
template <bool prefetching, class T, class Offset>
void csr_inner(const CsrRows<T, Offset>& work, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i + 4 <= end; i += 4) {
    const Offset* const k = work.offsets + i;
    const auto length = [&](int r) { return static_cast<std::int64_t>(k[r + 1]) - k[r]; };
    const auto sum = [&](int r, auto row) {
      return row(work.values + k[r], work.columns + k[r], work.x, length(r));
    };
    // One branch for all four: of rows with random lengths each would be mispredicted.
    const bool all_short = (length(0) <= short_length) & (length(1) <= short_length) &
                           (length(2) <= short_length) & (length(3) <= short_length);
    Four<T> sums;
    if (all_short) {
      prefetch_ahead<prefetching>(work.values + k[0], work.columns + k[0], 32);
      constexpr auto row = short_row<T>;
      sums = sums_of<T>(sum(0, row), sum(1, row), sum(2, row), sum(3, row));
    } else {
      constexpr auto row = inner_row<prefetching, T>;
      sums = sums_of<T>(sum(0, row), sum(1, row), sum(2, row), sum(3, row));
    }
    update(work.y + i, work.alpha, sums, work.beta);
  }
}

template <class T, class Offset>
void csr(const CsrRows<T, Offset>& work, std::int64_t begin, std::int64_t end) {
  std::int64_t inner = end;
  while (inner > begin && work.offsets[inner] + short_length > work.nnz) --inner;
  inner = begin + (inner - begin) / 4 * 4;
  if (work.nnz >= smallest_prefetched_nonzeros) {
    csr_inner<true>(work, begin, inner);
  } else {
    csr_inner<false>(work, begin, inner);
  }
  for (std::int64_t i = inner; i < end; ++i) {
    const std::int64_t k = work.offsets[i];
    const T sum = csr_sum(work.values + k, work.columns + k, work.x, work.offsets[i + 1] - k);
    update(work.y + i, work.alpha, sum, work.beta);
  }
}

}  // namespace
}  // namespace switchyard::openmp::SWITCHYARD_ISA
