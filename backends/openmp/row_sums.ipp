// Sums of sparse rows, of one or of four side by side, from their products with x. Elements of x
// are put into registers one by one: on Zen 5 a gather instruction takes 1.1 (float) to 1.65
// (double) cycles an element, single loads 0.8 to 1.1.
#include "readers.hpp"
#include "vector_types.hpp"

namespace switchyard::openmp::SWITCHYARD_ISA {
namespace {

/// How far ahead of the sums values and columns are asked for, in nonzeros. The processor's own
/// prefetching stops short behind so many instructions an element (2 Zen 5 cores, 8192 x 8192 with
/// a tenth of the elements: 0.42 of the bandwidth at 128, 0.59 at 512, 0.66 at 1024 and beyond).
constexpr std::int64_t nonzeros_ahead = 1024;

/// What is left of a row after whole blocks, a whole one at most, and rows no longer than that, are
/// summed without a branch, as if they were a whole block: a mispredicted branch costs as much as
/// 15 nonzeros.
constexpr std::int64_t block = 8;
/// Rows from this length on are worth a loop of their own.
constexpr std::int64_t long_length = 64;

constexpr std::int64_t larger(std::int64_t a, std::int64_t b) { return a < b ? b : a; }
constexpr std::int64_t smaller(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

// Values and columns are read by a pointer, or by what can be used like one: see readers.hpp.

/// Four products, each rounded: the sum of a row has the same bits whichever loop adds it up.
template <class T, class Values, class Columns>
[[gnu::always_inline]] inline Four<T> products(Values values, Columns columns, const T* x) {
  const Four<T> gathered = {x[columns[0]], x[columns[1]], x[columns[2]], x[columns[3]]};
  return rounded(four_of<T>(values) * gathered);
}

/// Products that are multiplied when they are read: four, from nonzero k on.
template <bool prefetching, class T, class Values, class Columns>
struct Multiplied {
  Values values;
  Columns columns;
  const T* x;
  [[gnu::always_inline]] Four<T> operator()(std::int64_t k) const {
    return products(values + k, columns + k, x);
  }
  /// Asks for `count` nonzeros, a good while before they are needed.
  [[gnu::always_inline]] void ask_ahead(std::int64_t k, std::int64_t count) const {
    if constexpr (!prefetching) return;
    prefetch(values + (k + nonzeros_ahead), count);
    prefetch(columns + (k + nonzeros_ahead), count);
  }
};
template <bool prefetching, class T, class Values, class Columns>
Multiplied<prefetching, T, Values, Columns> multiplied(Values values, Columns columns, const T* x) {
  return {values, columns, x};
}

/// Products that are in memory already.
template <class T>
struct Stored {
  const T* products;
  [[gnu::always_inline]] Four<T> operator()(std::int64_t k) const {
    return load<Four<T>>(products + k);
  }
  void ask_ahead(std::int64_t /*k*/, std::int64_t /*count*/) const {}
};

/// The first `count` products from nonzero k on, at most a block, added in pairs; a whole block is
/// read, whosever the others are.
template <class T, class Products>
[[gnu::always_inline]] inline Four<T> partial_block(const Products& at, std::int64_t k,
                                                    std::int64_t count) {
  using Integers = Vector<Bits<T>, 4>;
  const auto* const mask = places<T, block>.ones + (block - count);
  const auto low = (Integers)at(k) & load<Integers>(mask);
  const auto high = (Integers)at(k + 4) & load<Integers>(mask + 4);
  return (Four<T>)low + (Four<T>)high;
}

/// The sum of `count` nonzeros, as sum_of(partial_block()) gives it, but reading no others: where
/// the count is easily predicted.
template <int count, class T, class Values, class Columns>
[[gnu::always_inline]] inline T exact_sum([[maybe_unused]] Values values,
                                          [[maybe_unused]] Columns columns,
                                          [[maybe_unused]] const T* x) {
  T products[block] = {};
  for (int k = 0; k < count; ++k) products[k] = rounded(values[k] * x[columns[k]]);
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
    case block:
      return sum_of<T>(products(values, columns, x) + products(values + 4, columns + 4, x));
    default:
      return T(0);
  }
}

/// Adds two blocks of a long row, from nonzero k on.
template <class T, class Products>
[[gnu::always_inline]] inline void add_two_blocks(Four<T> (&sums)[4], const Products& at,
                                                  std::int64_t k) {
  at.ask_ahead(k, 2 * block);
  for (int i = 0; i < 4; ++i) sums[i] += at(k + 4 * i);
}

/// Adds one block of a row.
template <class T, class Products>
[[gnu::always_inline]] inline void add_block(Four<T> (&sums)[4], const Products& at,
                                             std::int64_t k) {
  at.ask_ahead(k, block);
  for (int i = 0; i < 2; ++i) sums[i] += at(k + 4 * i);
}

/// How many nonzeros of a row are summed in whole blocks: those before the last, or only, block.
constexpr std::int64_t in_whole_blocks(std::int64_t count) {
  return count > 0 ? (count - 1) / block * block : 0;
}

/// The whole blocks of a row: `count` nonzeros from k on.
template <class T, class Products>
[[gnu::always_inline]] inline Four<T> whole_blocks(const Products& at, std::int64_t k,
                                                   std::int64_t count) {
  Four<T> sums[4] = {};
  const std::int64_t end = k + count;
  if (count >= long_length) {
    for (; k + 2 * block <= end; k += 2 * block) add_two_blocks<T>(sums, at, k);
  }
  for (; k < end; k += block) add_block<T>(sums, at, k);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// A row's sum, reading nothing behind it.
template <bool prefetching, class T, class Values, class Columns>
[[gnu::always_inline]] inline T exact_row(Values values, Columns columns, const T* x,
                                          std::int64_t count) {
  const std::int64_t whole = in_whole_blocks(count);
  return sum_of<T>(whole_blocks<T>(multiplied<prefetching>(values, columns, x), 0, whole)) +
         exact_sum(values + whole, columns + whole, x, count - whole);
}

// Four neighbouring rows, which begin and end at k[0] to k[4]. A block of nonzeros behind them may
// be read.

/// Rows of at most half a block each, of which a half is read.
template <class T, class Products, class Offset>
[[gnu::always_inline]] inline Four<T> tiny_rows(const Products& at, const Offset* k) {
  at.ask_ahead(k[0], 2 * block);
  const auto sum = [&](int r) __attribute__((always_inline)) {
    return first_places<T, 4>(at(k[r]), k[r + 1] - k[r]);
  };
  return sums_of<T>(sum(0), sum(1), sum(2), sum(3));
}

/// Rows of at most a block each.
template <class T, class Products, class Offset>
[[gnu::always_inline]] inline Four<T> short_rows(const Products& at, const Offset* k) {
  at.ask_ahead(k[0], 4 * block);
  const auto sum = [&](int r) __attribute__((always_inline)) {
    return partial_block<T>(at, k[r], k[r + 1] - k[r]);
  };
  return sums_of<T>(sum(0), sum(1), sum(2), sum(3));
}

/// Rows of at most two blocks each, two of which are read.
template <class T, class Products, class Offset>
[[gnu::always_inline]] inline Four<T> middling_rows(const Products& at, const Offset* k) {
  const auto sums = [&](std::int64_t from) __attribute__((always_inline)) {
    const auto sum = [&](int r) __attribute__((always_inline)) {
      const std::int64_t count = static_cast<std::int64_t>(k[r + 1]) - k[r] - from;
      return partial_block<T>(at, k[r] + from, larger(0, smaller(count, block)));
    };
    return sums_of<T>(sum(0), sum(1), sum(2), sum(3));
  };
  return sums(0) + sums(block);
}

/// Rows of at most three blocks each, three of which are read.
template <class T, class Products, class Offset>
[[gnu::always_inline]] inline Four<T> three_blocks(const Products& at, const Offset* k) {
  using Integers = Vector<Bits<T>, 4>;
  const auto length = [&](int r) { return static_cast<std::int64_t>(k[r + 1]) - k[r]; };
  const auto whole = [&](int r) __attribute__((always_inline)) {
    const std::int64_t count = in_whole_blocks(length(r));
    const auto first = load<Integers>(places<T, 4>.ones + (4 - smaller(count, 4)));
    const auto second =
        load<Integers>(places<T, 4>.ones + (4 - larger(0, smaller(count - block, 4))));
    const auto low =
        (Four<T>)((Integers)at(k[r]) & first) + (Four<T>)((Integers)at(k[r] + block) & second);
    const auto high = (Four<T>)((Integers)at(k[r] + 4) & first) +
                      (Four<T>)((Integers)at(k[r] + block + 4) & second);
    return low + high;
  };
  const auto rest = [&](int r) __attribute__((always_inline)) {
    const std::int64_t count = in_whole_blocks(length(r));
    return partial_block<T>(at, k[r] + count, length(r) - count);
  };
  return sums_of<T>(whole(0), whole(1), whole(2), whole(3)) +
         sums_of<T>(rest(0), rest(1), rest(2), rest(3));
}

/// Rows of any lengths.
template <class T, class Products, class Offset>
[[gnu::always_inline]] inline Four<T> mixed_rows(const Products& at, const Offset* k) {
  T sums[4];
  for (int r = 0; r < 4; ++r) {
    const auto count = static_cast<std::int64_t>(k[r + 1]) - k[r];
    const std::int64_t whole = in_whole_blocks(count);
    const auto rest = partial_block<T>(at, k[r] + whole, count - whole);
    sums[r] = sum_of<T>(whole_blocks<T>(at, k[r], whole)) + sum_of<T>(rest);
  }
  return load<Four<T>>(sums);
}

template <class Offset>
[[gnu::always_inline]] inline std::int64_t longest_of_four(const Offset* k) {
  const auto length = [&](int r) { return static_cast<std::int64_t>(k[r + 1]) - k[r]; };
  return larger(larger(length(0), length(1)), larger(length(2), length(3)));
}

}  // namespace
}  // namespace switchyard::openmp::SWITCHYARD_ISA
