// Dense rows times a vector: four rows at a time, so that x is loaded once for all of them.
#include "row_kernels.hpp"
#include "vector_types.hpp"

namespace switchyard::openmp::SWITCHYARD_ISA {
namespace {

/// The last elements of a vector, fewer than a register holds, with zeros behind them.
template <class T>
struct Tail {
  T elements[wide_length<T>] = {};
  Tail(const T* from, std::int64_t count) {
    for (std::int64_t j = 0; j < count; ++j) elements[j] = from[j];
  }
  Wide<T> vector() const { return load<Wide<T>>(elements); }
};

/// How far ahead of the sums elements are asked for where short rows are read side by side, which
/// confuses the processor's own prefetching (2 Zen 5 cores, 300000 x 64: 45 GB/s instead of 31).
constexpr std::int64_t bytes_ahead = 4096;
/// In long rows it finds its way, and what is in the cache need not be asked for.
constexpr std::int64_t longest_prefetched = 4096;
constexpr std::int64_t smallest_prefetched_bytes = 1 << 20;

/// `rows` dot products with x of `count` elements, side by side in registers. `x_tail` holds the
/// elements of x beyond the last whole register, `last` those of the last row, which must not be
/// read past its end.
template <bool prefetching, int rows, class T>
[[gnu::always_inline]] inline void dot_rows(const T* const (&a)[rows], const T* x,
                                            std::int64_t count, Wide<T> x_tail, Wide<T> last,
                                            Four<T> (&sums)[rows]) {
  constexpr int w = wide_length<T>;
  Wide<T> partial[rows][2] = {};
  std::int64_t j = 0;
  for (; j + 2 * w <= count; j += 2 * w) {
    const auto x0 = load<Wide<T>>(x + j);
    const auto x1 = load<Wide<T>>(x + j + w);
    for (int r = 0; r < rows; ++r) {
      if constexpr (prefetching) {
        const auto* const ahead = reinterpret_cast<const char*>(a[r] + j) + bytes_ahead;
        for (int line = 0; line < 2 * register_bytes; line += 64) __builtin_prefetch(ahead + line);
      }
      partial[r][0] += load<Wide<T>>(a[r] + j) * x0;
      partial[r][1] += load<Wide<T>>(a[r] + j + w) * x1;
    }
  }
  if (j + w <= count) {
    const auto x0 = load<Wide<T>>(x + j);
    for (int r = 0; r < rows; ++r) partial[r][0] += load<Wide<T>>(a[r] + j) * x0;
    j += w;
  }
  if (j < count) {
    for (int r = 0; r < rows; ++r) {
      const Wide<T> elements = r + 1 == rows ? last : load<Wide<T>>(a[r] + j);
      partial[r][1] += first_places<T, w>(elements * x_tail, count - j);
    }
  }
  for (int r = 0; r < rows; ++r) sums[r] = folded<T, w>(partial[r][0] + partial[r][1]);
}

template <int rows, class T>
[[gnu::always_inline]] inline void sum_rows(const T* a, std::int64_t cols, const T* x,
                                            std::int64_t count, T* sums) {
  const std::int64_t whole = count - count % wide_length<T>;
  const T* row[rows];
  for (int r = 0; r < rows; ++r) row[r] = a + r * cols;
  Four<T> each[rows];
  dot_rows<false>(row, x, count, Tail<T>(x + whole, count - whole).vector(),
                  Tail<T>(row[rows - 1] + whole, count - whole).vector(), each);
  for (int r = 0; r < rows; ++r) sums[r] = sum_of<T>(each[r]);
}

/// The dot products of up to four rows, `cols` apart, with `count` elements of x. Of four rows, all
/// but the last are read up to a register further than that: into the next row, if it is as long as
/// a register.
template <class T>
void dense_sums(const T* a, std::int64_t rows, std::int64_t cols, const T* x, std::int64_t count,
                T* sums) {
  if (rows == 4 && cols >= wide_length<T>) return sum_rows<4>(a, cols, x, count, sums);
  for (std::int64_t r = 0; r < rows; ++r) sum_rows<1>(a + r * cols, cols, x, count, sums + r);
}

template <bool prefetching, class T>
void wide_rows(const DenseRows<T>& work, std::int64_t begin, std::int64_t end) {
  const std::int64_t whole = work.cols - work.cols % wide_length<T>;
  const std::int64_t rest = work.cols - whole;
  const Wide<T> x_tail = Tail<T>(work.x + whole, rest).vector();
  const auto row = [&](std::int64_t i) { return work.values + i * work.cols; };
  std::int64_t i = begin;
  for (; i + 4 <= end; i += 4) {
    const T* const rows[4] = {row(i), row(i + 1), row(i + 2), row(i + 3)};
    // The elements behind a row are the next row's, but for the last.
    const bool behind = rest > 0 && i + 4 < work.rows;
    const Wide<T> last =
        behind ? load<Wide<T>>(rows[3] + whole) : Tail<T>(rows[3] + whole, rest).vector();
    Four<T> sums[4];
    dot_rows<prefetching>(rows, work.x, work.cols, x_tail, last, sums);
    update(work.y + i, work.alpha, sums_of<T>(sums[0], sums[1], sums[2], sums[3]), work.beta);
  }
  for (; i < end; ++i) {
    T sum;
    sum_rows<1>(row(i), work.cols, work.x, work.cols, &sum);
    update(work.y + i, work.alpha, sum, work.beta);
  }
}

/// The sum of a row of at most 4 x blocks elements. `count` is of the row, and x_blocks holds x
/// with zeros behind it.
template <int blocks, class T>
[[gnu::always_inline]] inline Four<T> narrow_sum(const T* a, const Four<T> (&x_blocks)[blocks],
                                                 std::int64_t count) {
  Four<T> sum = {};
  for (int b = 0; b + 1 < blocks; ++b) sum += load<Four<T>>(a + 4 * b) * x_blocks[b];
  return sum + first_places<T, 4>(load<Four<T>>(a + 4 * blocks - 4) * x_blocks[blocks - 1],
                                  count - 4 * (blocks - 1));
}

/// Rows of 4 x blocks - 3 to 4 x blocks elements: their sums are put together four at a time.
template <int blocks, class T>
void narrow_rows(const DenseRows<T>& work, std::int64_t begin, std::int64_t end) {
  const auto padded = [&](const T* from, Four<T>(&into)[blocks]) {
    T elements[4 * blocks] = {};
    for (std::int64_t j = 0; j < work.cols; ++j) elements[j] = from[j];
    for (int b = 0; b < blocks; ++b) into[b] = load<Four<T>>(elements + 4 * b);
  };
  Four<T> x[blocks];
  padded(work.x, x);
  const auto row = [&](std::int64_t i) { return work.values + i * work.cols; };
  std::int64_t i = begin;
  // The elements behind a row are the next row's, but for the last.
  for (; i + 4 <= end && i + 4 < work.rows; i += 4) {
    const auto sum = [&](int r) { return narrow_sum<blocks>(row(i + r), x, work.cols); };
    update(work.y + i, work.alpha, sums_of<T>(sum(0), sum(1), sum(2), sum(3)), work.beta);
  }
  for (; i < end; ++i) {
    Four<T> a[blocks];
    padded(row(i), a);
    const T* const elements = reinterpret_cast<const T*>(a);
    const T sum = sum_of<T>(narrow_sum<blocks>(elements, x, work.cols));
    update(work.y + i, work.alpha, sum, work.beta);
  }
}

template <class T>
void single_column(const DenseRows<T>& work, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) {
    const T sum = work.values[i] * work.x[0];
    work.y[i] = work.beta == T(0) ? work.alpha * sum : work.alpha * sum + work.beta * work.y[i];
  }
}

/// Two columns: a register holds several rows, whose products are added in pairs.
template <class T>
void column_pairs(const DenseRows<T>& work, std::int64_t begin, std::int64_t end) {
  const T x0 = work.x[0];
  const T x1 = work.x[1];
  const Vector<T, 8> x = {x0, x1, x0, x1, x0, x1, x0, x1};
  std::int64_t i = begin;
  for (; i + 4 <= end; i += 4) {
    const Vector<T, 8> p = load<Vector<T, 8>>(work.values + 2 * i) * x;
    const Four<T> sums =
        __builtin_shufflevector(p, p, 0, 2, 4, 6) + __builtin_shufflevector(p, p, 1, 3, 5, 7);
    update(work.y + i, work.alpha, sums, work.beta);
  }
  for (; i < end; ++i) {
    const T first = work.values[2 * i] * x0;
    update(work.y + i, work.alpha, first + work.values[2 * i + 1] * x1, work.beta);
  }
}

template <class T>
void dense(const DenseRows<T>& work, std::int64_t begin, std::int64_t end) {
  if (work.cols == 1) return single_column(work, begin, end);
  if (work.cols == 2) return column_pairs(work, begin, end);
  switch ((work.cols + 3) / 4) {
    case 1:
      return narrow_rows<1>(work, begin, end);
    case 2:
      return narrow_rows<2>(work, begin, end);
    case 3:
      return narrow_rows<3>(work, begin, end);
    case 4:
      return narrow_rows<4>(work, begin, end);
    default:
      break;
  }
  const std::int64_t row_bytes = work.cols * std::int64_t{sizeof(T)};
  if (row_bytes <= longest_prefetched && row_bytes * work.rows >= smallest_prefetched_bytes) {
    return wide_rows<true>(work, begin, end);
  }
  wide_rows<false>(work, begin, end);
}

}  // namespace
}  // namespace switchyard::openmp::SWITCHYARD_ISA
