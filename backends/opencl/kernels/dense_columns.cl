// Y = alpha A X + beta Y and Y = alpha A^T X + beta Y with A dense, X and Y row-major with several
// columns. The sums of a panel of columns stay in registers, so that A is read once for all of them.
//
// The host defines ROWS: so many rows of A an item sums together, and reads each element of X once for
// all of them.

/// Columns of X of an item at most; how many it has is known when compiling.
#define EACH 8
/// Items that share rows at least. They are cut into parts, of which each has EACH columns.
#define TEAM (LARGE_GROUP < 32 ? LARGE_GROUP : 32)
/// Vectors of 16 bytes of X in local memory: a tile of so many rows that TEAM items go over it four
/// times.
#define TILE_VECTORS (4 * TEAM)
/// Columns of a tile lie apart so that neighbouring items store to different banks.
#define TILE_SIZE ((TILE_VECTORS + 16 / WIDE_LENGTH) * EACH)

INLINED REAL dot_wide(WIDE a, WIDE x, REAL sum) {
  sum += a.s0 * x.s0;
  sum += a.s1 * x.s1;
#if WIDE_LENGTH == 4
  sum += a.s2 * x.s2;
  sum += a.s3 * x.s3;
#endif
  return sum;
}

/// Elements from `from` on, of which `left` are in the row; what is beyond is zero. `aligned`: rows
/// are whole vectors, and read once.
INLINED WIDE elements_at(__global const REAL* from, long left, bool aligned) {
  WIDE elements = 0;
  if (aligned) return left > 0 ? streamed_wide(from) : elements;
  if (left > 0) elements.s0 = from[0];
  if (left > 1) elements.s1 = from[1];
#if WIDE_LENGTH == 4
  if (left > 2) elements.s2 = from[2];
  if (left > 3) elements.s3 = from[3];
#endif
  return elements;
}

/// Copies `height` rows of X from `row` on into local memory, by columns `pitch` elements apart: the
/// `width` columns from `first` on. What is beyond X is zero.
INLINED void load_tile(__local REAL* tile, uint pitch, uint height, uint width, long row, long rows,
                      uint first, uint k, __global const REAL* x) {
  const uint bits = log2_of(width);
  for (uint e = (uint)get_local_id(0); e < height * width; e += LARGE_GROUP) {
    const uint c = e & (width - 1);
    const long j = row + (e >> bits);
    tile[c * pitch + (e >> bits)] = j < rows && first + c < k ? x[j * k + first + c] : 0;
  }
}

/// `lanes` items for each ROWS rows, striding along them together.
INLINED void multiply_rows(long rows, long cols, uint k, uint lanes, uint panels,
                           __global const REAL* a, REAL alpha, __global const REAL* x, REAL beta,
                           __global REAL* y, __local WIDE* tile, __local REAL* scratch, uint columns,
                           uint parts, bool aligned) {
  const uint group = (uint)get_group_id(0) / panels;
  const uint panel = ((uint)get_group_id(0) - group * panels) * columns * parts;
  const uint width = lanes / parts;
  const uint lane = lane_of(width);
  const uint part = lane_of(lanes) >> log2_of(width);
  const uint first = panel + part * columns;
  const uint bits = log2_of(lanes);
  const long row =
      ((long)group * (LARGE_GROUP >> bits) + ((uint)get_local_id(0) >> bits)) * ROWS;
  // What lies beyond the last row is read again and not written.
  __global const REAL* of_row[ROWS];
  UNROLLED
  for (uint r = 0; r < ROWS; ++r) of_row[r] = a + min(row + r, rows - 1) * cols;
  REAL sums[ROWS][EACH] = {{0}};
  const uint vectors = TILE_VECTORS / parts;
  const uint pitch = vectors + 4 / WIDE_LENGTH;
  for (long begin = 0; begin < cols; begin += vectors * WIDE_LENGTH) {
    load_tile((__local REAL*)tile, pitch * WIDE_LENGTH, vectors * WIDE_LENGTH, columns * parts,
              begin, cols, panel, k, x);
    barrier(CLK_LOCAL_MEM_FENCE);
    NOT_UNROLLED
    for (uint v = lane; v < vectors; v += width) {
      const long j = begin + v * WIDE_LENGTH;
      WIDE elements[ROWS];
      UNROLLED
      for (uint r = 0; r < ROWS; ++r) elements[r] = elements_at(of_row[r] + j, cols - j, aligned);
      UNROLLED
      for (uint c = 0; c < columns; ++c) {
        const WIDE of_x = tile[(part * columns + c) * pitch + v];
        UNROLLED
        for (uint r = 0; r < ROWS; ++r) sums[r][c] = dot_wide(elements[r], of_x, sums[r][c]);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  UNROLLED
  for (uint r = 0; r < ROWS; ++r) {
    UNROLLED
    for (uint c = 0; c < columns; ++c) {
      const REAL sum = sum_over_lanes(sums[r][c], width, scratch);
      const long at = (row + r) * k + first + c;
      if (lane == 0 && row + r < rows && first + c < k) y[at] = updated(alpha, sum, beta, y, at);
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
}

/// A kernel for panels of `parts` times `columns` columns. A macro, because OpenCL C has no templates:
/// what multiply_rows is handed has to be known when compiling.
#define PANEL_KERNEL(name, columns, parts, aligned)                                                \
  __kernel WORK_GROUP(LARGE_GROUP) void name(                                                      \
      long rows, long cols, uint k, uint lanes, uint panels, __global const REAL* a, REAL alpha,   \
      __global const REAL* x, REAL beta, __global REAL* y) {                                       \
    __local WIDE tile[TILE_SIZE];                                                                  \
    __local REAL scratch[LARGE_GROUP];                                                             \
    multiply_rows(rows, cols, k, lanes, panels, a, alpha, x, beta, y, tile, scratch, columns,      \
                  parts, aligned);                                                                 \
  }

// Rows that are whole vectors of 16 bytes, and last rows of any length.
PANEL_KERNEL(dense_panel_2, 2, 1, true)
PANEL_KERNEL(dense_panel_4, 4, 1, true)
PANEL_KERNEL(dense_panel_8, EACH, 1, true)
PANEL_KERNEL(dense_panel_16, EACH, 2, true)
PANEL_KERNEL(dense_panel_32, EACH, 4, true)
PANEL_KERNEL(dense_panel_unaligned, EACH, 1, false)

/// The transpose: each item has one column of A, neighbours have neighbouring ones, and a stretch of
/// `height` rows. Leaves its sums in partial[stretch], of the size of Y.
INLINED void add_stretch(long rows, long cols, uint k, uint panels, long blocks, long height,
                         __global const REAL* a, __global const REAL* x, __global REAL* partial,
                         uint columns) {
  const long group = (long)get_group_id(0);
  const uint first = (uint)(group % panels) * columns;
  const long stretch = group / panels / blocks;
  const long col = (group / panels - stretch * blocks) * GROUP + (long)get_local_id(0);
  if (col >= cols) return;
  const long begin = stretch * height;
  const long end = min(begin + height, rows);
  // What lies beyond the last column is read again and not written.
  const uint last = min(k - first, columns) - 1;
  REAL4 sums = 0;
  UNROLLED_EIGHT
  for (long i = begin; i < end; ++i) {
    const REAL element = a[i * cols + col];
    __global const REAL* const of_x = x + i * k + first;
    sums.s0 += element * of_x[0];
    if (columns > 1) {
      sums.s1 += element * of_x[min(1u, last)];
      sums.s2 += element * of_x[min(2u, last)];
      sums.s3 += element * of_x[min(3u, last)];
    }
  }
  partial += stretch * cols * k + col * k + first;
  partial[0] = sums.s0;
  if (columns == 1) return;
  if (last > 0) partial[1] = sums.s1;
  if (last > 1) partial[2] = sums.s2;
  if (last > 2) partial[3] = sums.s3;
}

/// One column of X.
__kernel WORK_GROUP(GROUP) void dense_transposed_1(long rows, long cols, uint k, uint panels,
                                                   long blocks, long height,
                                                   __global const REAL* a, __global const REAL* x,
                                                   __global REAL* partial) {
  add_stretch(rows, cols, k, panels, blocks, height, a, x, partial, 1);
}

/// Panels of up to four columns.
__kernel WORK_GROUP(GROUP) void dense_transposed_4(long rows, long cols, uint k, uint panels,
                                                   long blocks, long height,
                                                   __global const REAL* a, __global const REAL* x,
                                                   __global REAL* partial) {
  add_stretch(rows, cols, k, panels, blocks, height, a, x, partial, 4);
}

/// Where an item of the kernels below works, which have WIDE_LENGTH neighbouring columns of A: so they
/// read X less often.
typedef struct {
  uint first;  ///< column of X
  long col;    ///< of A
  long begin;  ///< row of A
  long end;
} Stretch;

INLINED Stretch stretch_of(long rows, uint panels, long blocks, long height, uint columns) {
  const long group = (long)get_group_id(0);
  const long stretch = group / panels / blocks;
  Stretch its;
  its.first = (uint)(group % panels) * columns;
  its.col = ((group / panels - stretch * blocks) * GROUP + (long)get_local_id(0)) * WIDE_LENGTH;
  its.begin = stretch * height;
  its.end = min(its.begin + height, rows);
  return its;
}

/// Where its sums belong. Not kept in `Stretch`, where it would take registers in the loop.
INLINED __global REAL* sums_of(Stretch its, long cols, uint k, uint panels, long blocks,
                               __global REAL* partial) {
  const long stretch = (long)get_group_id(0) / panels / blocks;
  return partial + (stretch * cols + its.col) * k + its.first;
}

/// One column of X, and rows that are whole vectors of 16 bytes.
__kernel WORK_GROUP(GROUP) void dense_transposed_wide_1(
    long rows, long cols, uint k, uint panels, long blocks, long height, __global const REAL* a,
    __global const REAL* x, __global REAL* partial) {
  const Stretch its = stretch_of(rows, panels, blocks, height, 1);
  if (its.col >= cols) return;
  WIDE sum = 0;
  UNROLLED_EIGHT
  for (long i = its.begin; i < its.end; ++i) sum += streamed_wide(a + i * cols + its.col) * x[i];
  *(__global WIDE*)sums_of(its, cols, k, panels, blocks, partial) = sum;
}

/// Panels of four columns.
__kernel WORK_GROUP(GROUP) void dense_transposed_wide_4(
    long rows, long cols, uint k, uint panels, long blocks, long height, __global const REAL* a,
    __global const REAL* x, __global REAL* partial) {
  const Stretch its = stretch_of(rows, panels, blocks, height, 4);
  if (its.col >= cols) return;
  REAL4 sum0 = 0, sum1 = 0;
#if WIDE_LENGTH == 4
  REAL4 sum2 = 0, sum3 = 0;
#endif
  UNROLLED_FOUR
  for (long i = its.begin; i < its.end; ++i) {
    const WIDE elements = streamed_wide(a + i * cols + its.col);
    const REAL4 of_x = *(__global const REAL4*)(x + i * k + its.first);
    sum0 += elements.s0 * of_x;
    sum1 += elements.s1 * of_x;
#if WIDE_LENGTH == 4
    sum2 += elements.s2 * of_x;
    sum3 += elements.s3 * of_x;
#endif
  }
  __global REAL* const sums = sums_of(its, cols, k, panels, blocks, partial);
  *(__global REAL4*)sums = sum0;
  *(__global REAL4*)(sums + k) = sum1;
#if WIDE_LENGTH == 4
  *(__global REAL4*)(sums + 2 * k) = sum2;
  *(__global REAL4*)(sums + 3 * k) = sum3;
#endif
}

/// Eight neighbouring elements from a multiple of eight on.
INLINED REAL8 eight_at(__global const REAL* from) {
  __global const REAL4* const fours = (__global const REAL4*)from;
  return (REAL8)(fours[0], fours[1]);
}

INLINED void store_eight(REAL8 eight, __global REAL* to) {
  __global REAL4* const fours = (__global REAL4*)to;
  fours[0] = eight.lo;
  fours[1] = eight.hi;
}

/// Panels of eight columns.
__kernel WORK_GROUP(GROUP) void dense_transposed_wide_8(
    long rows, long cols, uint k, uint panels, long blocks, long height, __global const REAL* a,
    __global const REAL* x, __global REAL* partial) {
  const Stretch its = stretch_of(rows, panels, blocks, height, 8);
  if (its.col >= cols) return;
  REAL8 sum0 = 0, sum1 = 0;
#if WIDE_LENGTH == 4
  REAL8 sum2 = 0, sum3 = 0;
#endif
  UNROLLED_FOUR
  for (long i = its.begin; i < its.end; ++i) {
    const WIDE elements = streamed_wide(a + i * cols + its.col);
    const REAL8 of_x = eight_at(x + i * k + its.first);
    sum0 += elements.s0 * of_x;
    sum1 += elements.s1 * of_x;
#if WIDE_LENGTH == 4
    sum2 += elements.s2 * of_x;
    sum3 += elements.s3 * of_x;
#endif
  }
  __global REAL* const sums = sums_of(its, cols, k, panels, blocks, partial);
  store_eight(sum0, sums);
  store_eight(sum1, sums + k);
#if WIDE_LENGTH == 4
  store_eight(sum2, sums + 2 * k);
  store_eight(sum3, sums + 3 * k);
#endif
}

/// Adds up the stretches in their order, one item for each of the `size` elements of Y.
__kernel WORK_GROUP(GROUP) void add_stretches(long size, long stretches,
                                              __global const REAL* partial, REAL alpha, REAL beta,
                                              __global REAL* y) {
  const long i = (long)get_global_id(0);
  if (i >= size) return;
  REAL sum = 0;
  for (long s = 0; s < stretches; ++s) sum += partial[s * size + i];
  y[i] = updated(alpha, sum, beta, y, i);
}
