// Compressed rows times a row-major X: the columns of X lie side by side in registers, and each
// nonzero is decoded once for a panel of up to four registers of them.
#include "column_panels.ipp"

namespace switchyard::openmp::SWITCHYARD_ISA {
namespace {

/// Rows that go through one panel before the next: their nonzeros stay in the first cache.
constexpr std::int64_t rows_together = 64;
constexpr std::int64_t nonzeros_together = 4096;

/// How far ahead nonzeros are asked for (see csr_rows.ipp).
constexpr std::int64_t column_nonzeros_ahead = 512;

/// How many nonzeros ahead rows of X are asked for where they lie beyond the second cache.
constexpr std::int64_t x_rows_ahead = 64;

/// Nonzeros of a row from which on a loop without a branch for each of them repays its own end.
constexpr std::int64_t nonzeros_for_loop = 16;

/// The sums of a row for one panel (see with_panel).
template <class T, int width, int vectors, bool x_is_far>
struct Panel {
  using Lanes = typename LanesOf<T, width>::type;
  /// Nonzeros whose products are summed apart: additions of one sum wait for each other.
  static constexpr int apart = vectors <= 2 ? 4 : 2;

  std::int64_t last;      ///< the first column of the last vector
  std::int64_t nonzeros;  ///< of all rows up to the last: behind them nothing is looked at

  /// Where vector v begins; the only one has all columns.
  [[nodiscard]] std::int64_t place(int v) const {
    return v + 1 < vectors || vectors == 1 ? v * width : last;
  }

  [[gnu::always_inline]] inline void add(Lanes (&sums)[vectors], T value, const T* x) const {
    for (int v = 0; v < vectors; ++v) sums[v] += value * load<Lanes>(x + place(v));
  }

  /// Asks for the row of X that nonzero k needs.
  template <class Offset>
  [[gnu::always_inline]] inline void ask_for(const ColumnRows<T, Offset>& work, std::int64_t k,
                                             const T* x) const {
    if constexpr (!x_is_far) return;
    if (k < nonzeros) prefetch(x + work.columns[k] * work.x_stride, width * vectors);
  }

  /// Adds the nonzeros from `begin` on, as many as are summed apart at once, to the sums of every
  /// other one. Returns where the rest begins.
  template <class Offset>
  [[gnu::always_inline]] inline std::int64_t most_of_row(const ColumnRows<T, Offset>& work,
                                                         std::int64_t begin, std::int64_t end,
                                                         const T* x, Lanes (&even)[vectors],
                                                         Lanes (&odd)[vectors]) const {
    Lanes partial[apart][vectors] = {};
    std::int64_t k = begin;
    for (; k + apart <= end; k += apart) {
      __builtin_prefetch(work.values + k + column_nonzeros_ahead);
      __builtin_prefetch(work.columns + k + column_nonzeros_ahead);
      // Left as a loop, GCC keeps the sums in memory (docs/performance.md, "Several columns").
#pragma GCC unroll 4
      for (int u = 0; u < apart; ++u) {
        ask_for(work, k + u + x_rows_ahead, x);
        add(partial[u], work.values[k + u], x + work.columns[k + u] * work.x_stride);
      }
    }
    for (int v = 0; v < vectors; ++v) {
      even[v] = partial[0][v];
      odd[v] = partial[1][v];
      if constexpr (apart == 4) {
        even[v] += partial[2][v];
        odd[v] += partial[3][v];
      }
    }
    return k;
  }

  template <class Offset>
  [[gnu::always_inline]] inline void row(const ColumnRows<T, Offset>& work, std::int64_t begin,
                                         std::int64_t end, const T* x,
                                         Lanes (&sums)[vectors]) const {
    Lanes odd[vectors] = {};
    for (int v = 0; v < vectors; ++v) sums[v] = Lanes{};
    std::int64_t k = begin;
    if (end - begin >= nonzeros_for_loop) k = most_of_row(work, begin, end, x, sums, odd);
    // One branch for each nonzero, of which the last one alone is hard to predict.
    while (k < end) {
      ask_for(work, k + x_rows_ahead, x);
      add(sums, work.values[k], x + work.columns[k] * work.x_stride);
      if (++k >= end) break;
      ask_for(work, k + x_rows_ahead, x);
      add(odd, work.values[k], x + work.columns[k] * work.x_stride);
      ++k;
    }
    for (int v = 0; v < vectors; ++v) sums[v] += odd[v];
  }

  /// alpha sums + beta y. Where vectors overlap, y is read before any of it is written.
  [[gnu::always_inline]] inline void update(T* y, T alpha, Lanes (&sums)[vectors], T beta) const {
    for (int v = 0; v < vectors; ++v) {
      sums[v] = alpha * sums[v];
      if (beta != T(0)) sums[v] += beta * load<Lanes>(y + place(v));
    }
    for (int v = 0; v < vectors; ++v) store(y + place(v), sums[v]);
  }
};

/// The columns [first, first + count) of rows [begin, end). A function of its own for each width:
/// inlined into one, they have too few registers for what their loops need.
template <class T, class Offset, int width, int vectors, bool x_is_far>
[[gnu::noinline]] void panel_rows(const ColumnRows<T, Offset>& given, std::int64_t begin,
                                  std::int64_t end, std::int64_t first, std::int64_t count) {
  // A copy, which no compiler reads again after a store to y.
  const ColumnRows<T, Offset> work = given;
  using Here = Panel<T, width, vectors, x_is_far>;
  const Here panel{count - width, work.offsets[end]};
  const T* const x = work.x + first;
  std::int64_t place = begin * work.y_stride + first;
  const std::int64_t* numbers = work.numbers ? work.numbers + begin : nullptr;
  const Offset* row_end = work.offsets + begin;
  std::int64_t next = *row_end;
  const Offset* const last_end = work.offsets + end;
  while (row_end != last_end) {
    const std::int64_t row_begin = next;
    next = *++row_end;
    typename Here::Lanes sums[vectors];
    panel.row(work, row_begin, next, x, sums);
    if (numbers) place = *numbers++ * work.y_stride + first;
    panel.update(work.y + place, work.alpha, sums, work.beta);
    place += work.y_stride;
  }
}

template <class T, class Offset>
void column_panels(const ColumnRows<T, Offset>& work, std::int64_t begin, std::int64_t end) {
  for (std::int64_t first = 0; first < work.count;) {
    const std::int64_t count = next_panel<T>(work.count - first);
    with_panel<T>(count, [&]<int width, int vectors>() {
      if (work.x_is_far) {
        panel_rows<T, Offset, width, vectors, true>(work, begin, end, first, count);
      } else {
        panel_rows<T, Offset, width, vectors, false>(work, begin, end, first, count);
      }
    });
    first += count;
  }
}

template <class T, class Offset>
void column_rows(const ColumnRows<T, Offset>& work, std::int64_t begin, std::int64_t end) {
  if (work.count <= panel_columns<T>) return column_panels(work, begin, end);
  for (std::int64_t i = begin, next; i < end; i = next) {
    next = i + 1;
    while (next < end && next - i < rows_together &&
           work.offsets[next + 1] - work.offsets[i] <= nonzeros_together) {
      ++next;
    }
    column_panels(work, i, next);
  }
}

}  // namespace
}  // namespace switchyard::openmp::SWITCHYARD_ISA
