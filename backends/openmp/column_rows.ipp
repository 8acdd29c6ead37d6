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

/// The sums of a row for one panel (see with_panel). `alone`: it has all columns of X and Y, whose
/// rows follow each other: the strides are known when this is compiled.
template <class T, int width, int vectors, bool x_is_far, bool alone>
struct Panel {
  using Lanes = typename LanesOf<T, width>::type;
  /// Nonzeros whose products are summed apart: additions of one sum wait for each other.
  static constexpr int apart = vectors <= 2 ? 4 : 2;
  /// Nonzeros of a turn of the loop.
  static constexpr int together = 2 * apart;

  std::int64_t last;      ///< the first column of the last vector
  std::int64_t nonzeros;  ///< of all rows up to the last: behind them nothing is looked at

  /// Where vector v begins; the only one has all columns.
  [[nodiscard]] std::int64_t place(int v) const {
    return v + 1 < vectors || vectors == 1 ? v * width : last;
  }

  /// `given`: elements from one row to the next.
  static std::int64_t stride(std::int64_t given) { return alone ? width * vectors : given; }

  /// The row of X that nonzero k needs.
  template <class Offset>
  [[gnu::always_inline]] static inline const T* x_row(const ColumnRows<T, Offset>& work,
                                                      std::int64_t k, const T* x) {
    return x + work.columns[k] * stride(work.x_stride);
  }

  [[gnu::always_inline]] inline void add(Lanes (&sums)[vectors], T value, const T* x) const {
    for (int v = 0; v < vectors; ++v) sums[v] += value * load<Lanes>(x + place(v));
  }

  /// Asks for the row of X that nonzero k needs.
  template <class Offset>
  [[gnu::always_inline]] inline void ask_for(const ColumnRows<T, Offset>& work, std::int64_t k,
                                             const T* x) const {
    if constexpr (!x_is_far) return;
    if (k < nonzeros) prefetch(x_row(work, k, x), width * vectors);
  }

  /// Adds the nonzeros from k on, so many together, to the sums of every other one, and leaves k
  /// where the rest begins.
  template <class Offset>
  [[gnu::always_inline]] inline void most_of_row(const ColumnRows<T, Offset>& work, std::int64_t& k,
                                                 std::int64_t end, const T* x,
                                                 Lanes (&even)[vectors],
                                                 Lanes (&odd)[vectors]) const {
    Lanes partial[apart][vectors] = {};
    for (; k + together <= end; k += together) {
      __builtin_prefetch(work.values + k + column_nonzeros_ahead);
      __builtin_prefetch(work.columns + k + column_nonzeros_ahead);
      // Left as a loop, GCC keeps the sums in memory (docs/performance.md, "Several columns").
#pragma GCC unroll 8
      for (int u = 0; u < together; ++u) {
        ask_for(work, k + u + x_rows_ahead, x);
        add(partial[u % apart], work.values[k + u], x_row(work, k + u, x));
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
  }

  /// From nonzero k on; leaves k at the end. Were it a copy, GCC would count the turns of the loop
  /// before it begins.
  template <class Offset>
  [[gnu::always_inline]] inline void row(const ColumnRows<T, Offset>& work, std::int64_t& k,
                                         std::int64_t end, const T* x,
                                         Lanes (&sums)[vectors]) const {
    Lanes odd[vectors] = {};
    for (int v = 0; v < vectors; ++v) sums[v] = Lanes{};
    if (end - k >= nonzeros_for_loop) most_of_row(work, k, end, x, sums, odd);
    // One branch for each nonzero, of which the last one alone is hard to predict.
    while (k < end) {
      ask_for(work, k + x_rows_ahead, x);
      add(sums, work.values[k], x_row(work, k, x));
      if (++k >= end) break;
      ask_for(work, k + x_rows_ahead, x);
      add(odd, work.values[k], x_row(work, k, x));
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
template <class T, class Offset, int width, int vectors, bool x_is_far, bool alone>
[[gnu::noinline]] void panel_rows(const ColumnRows<T, Offset>& given, std::int64_t begin,
                                  std::int64_t end, std::int64_t first, std::int64_t count) {
  // A copy, which no compiler reads again after a store to y.
  const ColumnRows<T, Offset> work = given;
  using Here = Panel<T, width, vectors, x_is_far, alone>;
  const Here panel{count - width, work.offsets[end]};
  const T* const x = work.x + first;
  const std::int64_t y_stride = Here::stride(work.y_stride);
  T* y = work.y + begin * y_stride + first;
  const std::int64_t* numbers = work.numbers ? work.numbers + begin : nullptr;
  std::int64_t k = work.offsets[begin];
  for (std::int64_t i = begin; i < end; ++i) {
    typename Here::Lanes sums[vectors];
    panel.row(work, k, work.offsets[i + 1], x, sums);
    if (!alone && numbers) y = work.y + *numbers++ * y_stride + first;
    panel.update(y, work.alpha, sums, work.beta);
    y += y_stride;
  }
}

template <class T, class Offset>
void column_panels(const ColumnRows<T, Offset>& work, std::int64_t begin, std::int64_t end) {
  for (std::int64_t first = 0; first < work.count;) {
    const std::int64_t count = next_panel<T>(work.count - first);
    with_panel<T>(count, [&]<int width, int vectors>() {
      constexpr std::int64_t all = width * vectors;
      if (work.x_is_far) {
        panel_rows<T, Offset, width, vectors, true, false>(work, begin, end, first, count);
      } else if (work.count == all && work.x_stride == all && work.y_stride == all &&
                 !work.numbers) {
        panel_rows<T, Offset, width, vectors, false, true>(work, begin, end, first, count);
      } else {
        panel_rows<T, Offset, width, vectors, false, false>(work, begin, end, first, count);
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
