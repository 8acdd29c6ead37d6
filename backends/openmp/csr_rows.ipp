// CSR rows times a vector. Elements of x are put into registers one by one: on Zen 5 a gather
// instruction takes 1.1 (float) to 1.65 (double) cycles an element, single loads 0.8 to 1.1.
#include "readers.hpp"
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

/// What is left of a row after whole blocks, and rows no longer than that, are summed without a
/// branch, as if they were a whole block: a mispredicted branch costs as much as 15 nonzeros.
constexpr std::int64_t block = 8;
/// Rows from this length on are worth a loop of their own.
constexpr std::int64_t long_length = 64;

// Values and columns are read by a pointer, or by what can be used like one: see readers.hpp.

/// Asks for `count` nonzeros, a good while before they are needed.
template <bool prefetching, class Values, class Columns>
[[gnu::always_inline]] inline void prefetch_ahead(Values values, Columns columns,
                                                  std::int64_t count) {
  if constexpr (!prefetching) return;
  prefetch(values + nonzeros_ahead, count);
  prefetch(columns + nonzeros_ahead, count);
}

template <class T, class Values, class Columns>
[[gnu::always_inline]] inline Four<T> products(Values values, Columns columns, const T* x) {
  const Four<T> gathered = {x[columns[0]], x[columns[1]], x[columns[2]], x[columns[3]]};
  return four_of<T>(values) * gathered;
}

/// At most a block of nonzeros; a whole block is read, whosever the others are.
template <class T, class Values, class Columns>
[[gnu::always_inline]] inline Four<T> partial_block(Values values, Columns columns, const T* x,
                                                    std::int64_t count) {
  using Integers = Vector<Bits<T>, 4>;
  const auto* const mask = places<T, block>.ones + (block - count);
  const auto low = (Integers)products(values, columns, x) & load<Integers>(mask);
  const auto high = (Integers)products(values + 4, columns + 4, x) & load<Integers>(mask + 4);
  return (Four<T>)low + (Four<T>)high;
}

/// The sum of `count` nonzeros, as sum_of(partial_block()) gives it, but reading no others: where
/// the count is easily predicted.
template <int count, class T, class Values, class Columns>
[[gnu::always_inline]] inline T exact_sum([[maybe_unused]] Values values,
                                          [[maybe_unused]] Columns columns,
                                          [[maybe_unused]] const T* x) {
  T products[block] = {};
  for (int k = 0; k < count; ++k) products[k] = values[k] * x[columns[k]];
  const auto folded = [&](int k) { return products[k] + products[k + 4]; };
  return (folded(0) + folded(2)) + (folded(1) + folded(3));
}

template <class T, class Values, class Columns>
[[gnu::always_inline]] inline T exact_sum(Values values, Columns columns, const T* x,
                                          std::int64_t count) {
  switch (count) {
    case 1:
      return exact_sum<1>(values, columns, x);
    case 2:
      return exact_sum<2>(values, columns, x);
    case 3:
      return exact_sum<3>(values, columns, x);
    case 4:
      return exact_sum<4>(values, columns, x);
    case 5:
      return exact_sum<5>(values, columns, x);
    case 6:
      return exact_sum<6>(values, columns, x);
    case 7:
      return exact_sum<7>(values, columns, x);
    default:
      return T(0);
  }
}

/// Adds two blocks of a long row.
template <bool prefetching, class T, class Values, class Columns>
[[gnu::always_inline]] inline void add_two_blocks(Four<T> (&sums)[4], Values values,
                                                  Columns columns, const T* x) {
  prefetch_ahead<prefetching>(values, columns, 2 * block);
  for (int i = 0; i < 4; ++i) sums[i] += products(values + 4 * i, columns + 4 * i, x);
}

/// The whole blocks of a row, `count` nonzeros.
template <bool prefetching, class T, class Values, class Columns>
[[gnu::always_inline]] inline Four<T> whole_blocks(Values values, Columns columns, const T* x,
                                                   std::int64_t count) {
  Four<T> sums[4] = {};
  std::int64_t k = 0;
  if (count >= long_length) {
    for (; k + 2 * block <= count; k += 2 * block) {
      add_two_blocks<prefetching>(sums, values + k, columns + k, x);
    }
  }
  for (; k < count; k += block) {
    prefetch_ahead<prefetching>(values + k, columns + k, block);
    for (int i = 0; i < 2; ++i) sums[i] += products(values + k + 4 * i, columns + k + 4 * i, x);
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// A row's sum, reading nothing behind it.
template <bool prefetching, class T, class Values, class Columns>
[[gnu::always_inline]] inline T exact_row(Values values, Columns columns, const T* x,
                                          std::int64_t count) {
  const std::int64_t whole = count - count % block;
  return sum_of<T>(whole_blocks<prefetching>(values, columns, x, whole)) +
         exact_sum(values + whole, columns + whole, x, count - whole);
}

template <class T>
T csr_sum(const T* values, const std::int32_t* columns, const T* x, std::int64_t count) {
  return exact_row<true>(values, columns, x, count);
}

/// Rows [begin, end), a multiple of four, of `length` nonzeros each.
template <bool prefetching, int length, class Rows>
void equal_rows(const Rows& work, std::int64_t begin, std::int64_t end) {
  auto values = work.values + work.offsets[begin];
  auto columns = work.columns + work.offsets[begin];
  for (std::int64_t i = begin; i < end; i += 4) {
    prefetch_ahead<prefetching>(values, columns, 4 * length);
    const auto sum = [&](int r) __attribute__((always_inline)) {
      return exact_sum<length>(values + r * length, columns + r * length, work.x);
    };
    const Four<typename Rows::Element> sums = {sum(0), sum(1), sum(2), sum(3)};
    values = values + 4 * length;
    columns = columns + 4 * length;
    update(work.y + i, work.alpha, sums, work.beta);
  }
}

/// As many of the rows [begin, end) as are of the same length as the first four, in fours. Returns
/// where they end.
template <bool prefetching, class Rows>
std::int64_t run_of_equal_rows(const Rows& work, std::int64_t begin, std::int64_t end) {
  using Function = void (*)(const Rows&, std::int64_t, std::int64_t);
  constexpr Function of_length[] = {
      &equal_rows<prefetching, 1, Rows>, &equal_rows<prefetching, 2, Rows>,
      &equal_rows<prefetching, 3, Rows>, &equal_rows<prefetching, 4, Rows>,
      &equal_rows<prefetching, 5, Rows>, &equal_rows<prefetching, 6, Rows>,
      &equal_rows<prefetching, 7, Rows>, &equal_rows<prefetching, 8, Rows>};
  const auto* const k = work.offsets;
  const auto length = k[begin + 1] - k[begin];
  std::int64_t i = begin + 4;
  while (i + 4 <= end && k[i + 1] - k[i] == length && k[i + 2] - k[i + 1] == length &&
         k[i + 3] - k[i + 2] == length && k[i + 4] - k[i + 3] == length) {
    i += 4;
  }
  of_length[length - 1](work, begin, i);
  return i;
}

/// Four rows of at most half a block each, of which a half is read.
template <bool prefetching, class T, class Rows, class Offset>
[[gnu::always_inline]] inline Four<T> tiny_rows(const Rows& work, const Offset* k) {
  prefetch_ahead<prefetching>(work.values + k[0], work.columns + k[0], 2 * block);
  const auto sum = [&](int r) __attribute__((always_inline)) {
    return first_places<T, 4>(products(work.values + k[r], work.columns + k[r], work.x),
                              k[r + 1] - k[r]);
  };
  return sums_of<T>(sum(0), sum(1), sum(2), sum(3));
}

/// Four rows of at most a block each.
template <bool prefetching, class T, class Rows, class Offset>
[[gnu::always_inline]] inline Four<T> short_rows(const Rows& work, const Offset* k) {
  prefetch_ahead<prefetching>(work.values + k[0], work.columns + k[0], 4 * block);
  const auto sum = [&](int r) __attribute__((always_inline)) {
    return partial_block(work.values + k[r], work.columns + k[r], work.x, k[r + 1] - k[r]);
  };
  return sums_of<T>(sum(0), sum(1), sum(2), sum(3));
}

/// A row's sum, with a block of nonzeros behind it that may be read.
template <bool prefetching, class T, class Values, class Columns>
[[gnu::always_inline]] inline T padded_row(Values values, Columns columns, const T* x,
                                           std::int64_t count) {
  const std::int64_t in_blocks = count - count % block;
  const auto rest = partial_block(values + in_blocks, columns + in_blocks, x, count - in_blocks);
  return sum_of<T>(whole_blocks<prefetching>(values, columns, x, in_blocks)) + sum_of<T>(rest);
}

/// Four rows of any lengths, with a block of nonzeros behind them that may be read.
template <bool prefetching, class T, class Rows, class Offset>
[[gnu::always_inline]] inline Four<T> mixed_rows(const Rows& work, const Offset* k) {
  T sums[4];
  for (int r = 0; r < 4; ++r) {
    const auto count = static_cast<std::int64_t>(k[r + 1]) - k[r];
    sums[r] = padded_row<prefetching>(work.values + k[r], work.columns + k[r], work.x, count);
  }
  return load<Four<T>>(sums);
}

constexpr std::int64_t larger(std::int64_t a, std::int64_t b) { return a < b ? b : a; }

/// Rows [begin, end), a multiple of four, all of them far enough from the end of the arrays.
template <bool prefetching, class Rows>
void csr_inner(const Rows& work, std::int64_t begin, std::int64_t end) {
  using T = typename Rows::Element;
  for (std::int64_t i = begin; i < end;) {
    const auto* const k = work.offsets + i;
    const auto length = [&](int r) { return static_cast<std::int64_t>(k[r + 1]) - k[r]; };
    // One branch for all four: of rows with random lengths each would be mispredicted.
    const std::int64_t longest = larger(larger(length(0), length(1)), larger(length(2), length(3)));
    const bool equal = length(0) == longest && k[4] - k[0] == 4 * longest;
    Four<T> sums = {};
    if (longest == 0) {
      // Nothing to add.
    } else if (equal && longest <= block) {
      i = run_of_equal_rows<prefetching>(work, i, end);
      continue;
    } else if (longest <= block / 2) {
      sums = tiny_rows<prefetching, T>(work, k);
    } else if (equal) {
      const auto sum = [&](int r) __attribute__((always_inline)) {
        return exact_row<prefetching>(work.values + k[r], work.columns + k[r], work.x, longest);
      };
      sums = Four<T>{sum(0), sum(1), sum(2), sum(3)};
    } else if (longest <= block) {
      sums = short_rows<prefetching, T>(work, k);
    } else {
      sums = mixed_rows<prefetching, T>(work, k);
    }
    update(work.y + i, work.alpha, sums, work.beta);
    i += 4;
  }
}

/// Rows [begin, end). The elements before `readable` may be read, whosever they are.
template <class Rows>
void csr_between(const Rows& work, std::int64_t readable, std::int64_t begin, std::int64_t end) {
  std::int64_t inner = end;
  while (inner > begin && work.offsets[inner] + block > readable) --inner;
  inner = begin + (inner - begin) / 4 * 4;
  if (work.nnz >= smallest_prefetched_nonzeros) {
    csr_inner<true>(work, begin, inner);
  } else {
    csr_inner<false>(work, begin, inner);
  }
  for (std::int64_t i = inner; i < end; ++i) {
    const std::int64_t k = work.offsets[i];
    const std::int64_t count = work.offsets[i + 1] - k;
    const auto sum = exact_row<true>(work.values + k, work.columns + k, work.x, count);
    update(work.y + i, work.alpha, sum, work.beta);
  }
}

template <class T, class Offset>
void csr(const CsrRows<T, Offset>& work, std::int64_t begin, std::int64_t end) {
  csr_between(work, work.nnz, begin, end);
}

}  // namespace
}  // namespace switchyard::openmp::SWITCHYARD_ISA
