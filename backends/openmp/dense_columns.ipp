// Dense rows times a row-major X of several columns, and dense columns. The columns of X lie side
// by side in registers; A is read once for each panel of them.
#include "column_panels.ipp"

namespace switchyard::openmp::SWITCHYARD_ISA {
namespace {

/// The second cache holds this much of X beside A's rows.
constexpr std::int64_t x_block_bytes = 256 << 10;
/// Sums that stay in registers: three quarters of them.
constexpr int dense_sums_at_once = register_bytes == 64 ? 24 : 12;

constexpr int smaller(int a, int b) { return a < b ? a : b; }

/// A tile of sums: `rows` rows, one panel of columns, over columns [begin, end) of A.
template <class T, int width, int vectors, int rows>
[[gnu::always_inline]] inline void dense_tile(const DensePart<T>& part, std::int64_t row,
                                              std::int64_t begin, std::int64_t end,
                                              std::int64_t first, std::int64_t count) {
  using Lanes = typename LanesOf<T, width>::type;
  const auto place = [&](int v) { return v + 1 < vectors ? v * width : count - width; };
  const T* const a = part.values + row * part.cols;
  T* const to = part.sums + row * part.count + first;
  Lanes sums[rows][vectors] = {};
  const T* x = part.x + begin * part.count + first;
  for (std::int64_t j = begin; j < end; ++j, x += part.count) {
    Lanes of_x[vectors];
    for (int v = 0; v < vectors; ++v) of_x[v] = load<Lanes>(x + place(v));
    for (int r = 0; r < rows; ++r) {
      const T value = a[r * part.cols + j];
      for (int v = 0; v < vectors; ++v) sums[r][v] += value * of_x[v];
    }
  }
  const bool goes_on = begin > part.col_begin;
  for (int r = 0; r < rows; ++r) {
    // Where vectors overlap, sums are read before any are written.
    if (goes_on) {
      for (int v = 0; v < vectors; ++v) sums[r][v] += load<Lanes>(to + r * part.count + place(v));
    }
    for (int v = 0; v < vectors; ++v) store(to + r * part.count + place(v), sums[r][v]);
  }
}

/// Tiles of `rows` rows from `row` on, then of half as many, and so on.
template <class T, int width, int vectors, int rows>
void dense_tiles(const DensePart<T>& part, std::int64_t row, std::int64_t begin, std::int64_t end,
                 std::int64_t first, std::int64_t count) {
  for (; row + rows <= part.row_end; row += rows) {
    dense_tile<T, width, vectors, rows>(part, row, begin, end, first, count);
  }
  if constexpr (rows > 1) {
    dense_tiles<T, width, vectors, rows / 2>(part, row, begin, end, first, count);
  }
}

/// With so few columns, fewer than half of a register has elements, rows are read by whole
/// registers instead.
template <class T>
constexpr std::int64_t few_columns = wide_length<T> / 2 - 1;
/// Bytes of X by columns that stay in the first cache beside A's rows.
constexpr int few_columns_bytes = 16 << 10;
constexpr int all_registers = register_bytes == 64 ? 32 : 16;

/// Sums of `rows` rows over `length` columns of A, with X by columns `pitch` elements apart.
template <class T, int columns, int rows>
[[gnu::always_inline]] inline void few_columns_tile(const T* a, std::int64_t stride, const T* x,
                                                    std::int64_t pitch, std::int64_t length, T* to,
                                                    bool goes_on) {
  constexpr int w = wide_length<T>;
  Wide<T> sums[rows][columns] = {};
  std::int64_t j = 0;
  for (; j + w <= length; j += w) {
    Wide<T> of_x[columns];
    for (int c = 0; c < columns; ++c) of_x[c] = load<Wide<T>>(x + c * pitch + j);
    for (int r = 0; r < rows; ++r) {
      const auto elements = load<Wide<T>>(a + r * stride + j);
      // The next rows: a block is too short for the processor's own prefetching.
      __builtin_prefetch(a + (r + rows) * stride + j, 0, 2);
      for (int c = 0; c < columns; ++c) sums[r][c] += elements * of_x[c];
    }
  }
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      T sum = sum_of<T>(folded<T, w>(sums[r][c]));
      for (std::int64_t k = j; k < length; ++k) sum += a[r * stride + k] * x[c * pitch + k];
      T& result = to[r * columns + c];
      result = goes_on ? result + sum : sum;
    }
  }
}

/// Tiles of `rows` rows from `row` on, then of half as many, and so on.
template <class T, int columns, int rows>
void few_columns_tiles(const DensePart<T>& part, std::int64_t row, std::int64_t begin,
                       std::int64_t length, const T* x, std::int64_t pitch) {
  for (; row + rows <= part.row_end; row += rows) {
    few_columns_tile<T, columns, rows>(part.values + row * part.cols + begin, part.cols, x, pitch,
                                       length, part.sums + row * columns, begin > part.col_begin);
  }
  if constexpr (rows > 1) {
    few_columns_tiles<T, columns, rows / 2>(part, row, begin, length, x, pitch);
  }
}

template <class T, int columns>
void dense_few_columns(const DensePart<T>& part) {
  constexpr int w = wide_length<T>;
  constexpr std::int64_t block =
      few_columns_bytes / (columns * static_cast<int>(sizeof(T))) / w * w;
  constexpr int rows = smaller(8, (all_registers - columns - 2) / columns);
  T by_columns[columns * block];
  for (std::int64_t begin = part.col_begin; begin < part.col_end; begin += block) {
    const std::int64_t length = part.col_end - begin < block ? part.col_end - begin : block;
    const T* x = part.x + begin * columns;
    for (std::int64_t j = 0; j < length; ++j, x += columns) {
      for (int c = 0; c < columns; ++c) by_columns[c * block + j] = x[c];
    }
    few_columns_tiles<T, columns, rows>(part, part.row_begin, begin, length, by_columns, block);
  }
}

/// Calls dense_few_columns for the part's count, which is from 2 to `columns`.
template <class T, int columns = few_columns<T>>
void dense_of_few_columns(const DensePart<T>& part) {
  if constexpr (columns > 1) {
    if (part.count == columns) return dense_few_columns<T, columns>(part);
  }
  if constexpr (columns > 2) dense_of_few_columns<T, columns - 1>(part);
}

template <class T>
void dense_columns(const DensePart<T>& part) {
  if (part.count > 1 && part.count <= few_columns<T> && part.col_begin < part.col_end) {
    return dense_of_few_columns(part);
  }
  if (part.col_begin == part.col_end) {
    for (std::int64_t i = part.row_begin * part.count; i < part.row_end * part.count; ++i) {
      part.sums[i] = T(0);
    }
  }
  for (std::int64_t first = 0; first < part.count;) {
    const std::int64_t count = next_panel<T>(part.count - first);
    const std::int64_t block = x_block_bytes / (count * std::int64_t{sizeof(T)});
    for (std::int64_t j = part.col_begin; j < part.col_end; j += block) {
      const std::int64_t end = j + block < part.col_end ? j + block : part.col_end;
      with_panel<T>(count, [&]<int width, int vectors>() {
        constexpr int rows = smaller(8, dense_sums_at_once / vectors);
        dense_tiles<T, width, vectors, rows>(part, part.row_begin, j, end, first, count);
      });
    }
    first += count;
  }
}

/// Adds `rows` rows, each times its row of X, to the sums of columns [begin, end).
template <class T, int width, int vectors, int rows>
[[gnu::always_inline]] inline void add_rows(const DensePart<T>& part, std::int64_t row,
                                            std::int64_t begin, std::int64_t end,
                                            std::int64_t first, std::int64_t count) {
  using Lanes = typename LanesOf<T, width>::type;
  const auto place = [&](int v) { return v + 1 < vectors ? v * width : count - width; };
  const T* const a = part.values + row * part.cols;
  Lanes x[rows][vectors];
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < vectors; ++v) {
      x[r][v] = load<Lanes>(part.x + (row + r) * part.count + first + place(v));
    }
  }
  T* to = part.sums + begin * part.count + first;
  for (std::int64_t j = begin; j < end; ++j, to += part.count) {
    Lanes sums[vectors];
    for (int v = 0; v < vectors; ++v) sums[v] = load<Lanes>(to + place(v));
    for (int r = 0; r < rows; ++r) {
      const T value = a[r * part.cols + j];
      for (int v = 0; v < vectors; ++v) sums[v] += value * x[r][v];
    }
    for (int v = 0; v < vectors; ++v) store(to + place(v), sums[v]);
  }
}

/// The same for one column of X: neighbouring columns of A lie side by side in registers.
template <class T, int rows>
[[gnu::always_inline]] inline void add_rows_to_vector(const DensePart<T>& part, std::int64_t row,
                                                      std::int64_t begin, std::int64_t end) {
  constexpr int w = wide_length<T>;
  const T* const a = part.values + row * part.cols;
  const T* const x = part.x + row;
  std::int64_t j = begin;
  for (; j + w <= end; j += w) {
    auto sums = load<Wide<T>>(part.sums + j);
    for (int r = 0; r < rows; ++r) sums += x[r] * load<Wide<T>>(a + r * part.cols + j);
    store(part.sums + j, sums);
  }
  for (; j < end; ++j) {
    T sum = part.sums[j];
    for (int r = 0; r < rows; ++r) sum += x[r] * a[r * part.cols + j];
    part.sums[j] = sum;
  }
}

/// Calls `add.template operator()<rows>(row)` for all rows, `rows` at a time, then one by one.
template <int rows, class T, class Add>
[[gnu::always_inline]] inline void over_rows(const DensePart<T>& part, const Add& add) {
  std::int64_t i = part.row_begin;
  for (; i + rows <= part.row_end; i += rows) add.template operator()<rows>(i);
  for (; i < part.row_end; ++i) add.template operator()<1>(i);
}

/// Columns of A whose sums stay in the first cache or near it, of so many bytes for each.
constexpr std::int64_t columns_together(std::int64_t bytes) {
  constexpr std::int64_t sum_bytes = 64 << 10;
  return bytes < sum_bytes / 64 ? sum_bytes / bytes : 64;
}

template <class T>
void dense_transposed(const DensePart<T>& part) {
  for (std::int64_t first = 0; first < part.count;) {
    const std::int64_t count = next_panel<T>(part.count - first);
    const std::int64_t block = columns_together(count * std::int64_t{sizeof(T)});
    for (std::int64_t j = part.col_begin; j < part.col_end; j += block) {
      const std::int64_t end = j + block < part.col_end ? j + block : part.col_end;
      if (part.count == 1) {
        over_rows<8>(
            part, [&]<int rows>(std::int64_t i) { add_rows_to_vector<T, rows>(part, i, j, end); });
        continue;
      }
      with_panel<T>(count, [&]<int width, int vectors>() {
        over_rows<4>(part, [&]<int rows>(std::int64_t i) {
          add_rows<T, width, vectors, rows>(part, i, j, end, first, count);
        });
      });
    }
    first += count;
  }
}

}  // namespace
}  // namespace switchyard::openmp::SWITCHYARD_ISA
