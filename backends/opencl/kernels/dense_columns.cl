// Y = alpha A X + beta Y and Y = alpha A^T X + beta Y with A dense, X and Y row-major with several
// columns. The sums of a panel of columns stay in registers, so that A is read once for all of them.
// Panels of more columns: dense_tiles.cl. Behind copies.cl.

/// Rows of A that an item sums together, and reads each element of X once for.
#define ROWS 4
/// Columns of X of an item at most; how many it has is known when compiling.
#define EACH 8
/// Items that share rows at least.
#define TEAM (LARGE_GROUP < 32 ? LARGE_GROUP : 32)
/// Vectors of 16 bytes of each row of A that meet one tile of X: TEAM items go over it four times.
#define TILE_VECTORS (4 * TEAM)
#define TILE_LENGTH (TILE_VECTORS * WIDE_LENGTH)
/// Vectors that an item asks for before it needs the first of them (H200, 16384 x 16384 times eight
/// columns: 273 us with one, 260 with two).
#define AHEAD 2
/// The tile of X for a panel: rows that an item reads together, with 16 bytes between them and the next.
#define PANEL_TILE(columns) ((TileOfX){columns, WIDE_LENGTH, WIDE_LENGTH})
#define TILE_SIZE(columns) (TILE_VECTORS * (columns + 1) * WIDE_LENGTH)

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

/// One element of each row times a row of X.
#define ADD_ROW_OF_X(e)                                                                            \
  {                                                                                                \
    REAL of_x[EACH];                                                                               \
    read_row_of_x(rows_of_x + (e) * columns, of_x, columns);                                       \
    UNROLLED                                                                                       \
    for (uint r = 0; r < ROWS; ++r) {                                                              \
      UNROLLED                                                                                     \
      for (uint c = 0; c < columns; ++c) sums[r][c] += elements[r].s##e * of_x[c];                 \
    }                                                                                              \
  }

INLINED void read_row_of_x(__local const REAL* from, REAL* to, uint columns) {
  UNROLLED
  for (uint c = 0; c < columns; c += WIDE_LENGTH) {
    const WIDE wide = *(__local const WIDE*)(from + c);
    to[c] = wide.s0;
    to[c + 1] = wide.s1;
#if WIDE_LENGTH == 4
    to[c + 2] = wide.s2;
    to[c + 3] = wide.s3;
#endif
  }
}

/// A vector of each row times the rows of X that it meets.
INLINED void add_products(const WIDE* elements, __local const REAL* rows_of_x, uint columns,
                          REAL sums[ROWS][EACH]) {
  ADD_ROW_OF_X(0)
  ADD_ROW_OF_X(1)
#if WIDE_LENGTH == 4
  ADD_ROW_OF_X(2)
  ADD_ROW_OF_X(3)
#endif
}

/// Goes over a tile of X. `ahead` holds the next vectors of the rows, from `j` on, and afterwards those
/// behind the tile. `whole`: all of them are in the rows.
INLINED void add_tile(__global const REAL** of_row, long j, long end, uint lane, uint lanes,
                      __local const REAL* tile, WIDE ahead[AHEAD][ROWS], REAL sums[ROWS][EACH],
                      uint columns, bool aligned, bool whole) {
  const uint pitch = (columns + 1) * WIDE_LENGTH;
  NOT_UNROLLED
  for (uint v = lane; v < TILE_VECTORS; v += AHEAD * lanes) {
    UNROLLED
    for (uint s = 0; s < AHEAD; ++s) {
      add_products(ahead[s], tile + (v + s * lanes) * pitch, columns, sums);
      const long next = j + (AHEAD + s) * lanes * WIDE_LENGTH;
      UNROLLED
      for (uint r = 0; r < ROWS; ++r) {
        ahead[s][r] = elements_at(of_row[r] + next, whole ? WIDE_LENGTH : end - next, aligned);
      }
    }
    j += AHEAD * lanes * WIDE_LENGTH;
  }
}

/// `lanes` items for each ROWS rows, striding along them together, over one of `stretches` stretches of
/// `length` columns. Of several, each leaves its sums in y[stretch], an array of the size of Y.
INLINED void multiply_rows(long rows, long cols, uint k, uint lanes, uint panels, uint stretches,
                           long length, __global const REAL* a, REAL alpha, __global const REAL* x,
                           REAL beta, __global REAL* y, __local WIDE* tiles, __local REAL* scratch,
                           uint columns, bool aligned) {
  const uint group = (uint)get_group_id(0);
  const uint first = group % panels * columns;
  const uint stretch = group / panels % stretches;
  const uint lane = lane_of(lanes);
  const uint bits = log2_of(lanes);
  const long row = ((long)(group / panels / stretches) * (LARGE_GROUP >> bits) +
                    ((uint)get_local_id(0) >> bits)) * ROWS;
  const long begin = stretch * length;
  const long end = min(begin + length, cols);
  const TileOfX shape = PANEL_TILE(columns);
  __local REAL* tile = (__local REAL*)tiles;
  __local REAL* other = tile + (STAGES - 1) * TILE_SIZE(columns);
  copy_rows_of_x(tile, shape, TILE_LENGTH, begin, end, first, k, x, LARGE_GROUP);

  // What lies beyond the last row is read again and not written.
  __global const REAL* of_row[ROWS];
  REAL sums[ROWS][EACH] = {{0}};
  WIDE ahead[AHEAD][ROWS];
  const long first_of_lane = begin + lane * WIDE_LENGTH;
  UNROLLED
  for (uint r = 0; r < ROWS; ++r) {
    of_row[r] = a + min(row + r, rows - 1) * cols;
    UNROLLED
    for (uint s = 0; s < AHEAD; ++s) {
      const long j = first_of_lane + s * lanes * WIDE_LENGTH;
      ahead[s][r] = elements_at(of_row[r] + j, end - j, aligned);
    }
  }
  wait_for_own_copies();
  barrier(CLK_LOCAL_MEM_FENCE);
  for (long at = begin; at < end; at += TILE_LENGTH) {
    const long next = at + TILE_LENGTH;
    if (STAGES == 2 && next < end) {
      copy_rows_of_x(other, shape, TILE_LENGTH, next, end, first, k, x, LARGE_GROUP);
    }
    const long j = at + lane * WIDE_LENGTH;
    if (next + AHEAD * lanes * WIDE_LENGTH <= end) {
      add_tile(of_row, j, end, lane, lanes, tile, ahead, sums, columns, aligned, true);
    } else {
      add_tile(of_row, j, end, lane, lanes, tile, ahead, sums, columns, aligned, false);
    }
    if (STAGES == 1 && next < end) {
      barrier(CLK_LOCAL_MEM_FENCE);
      copy_rows_of_x(other, shape, TILE_LENGTH, next, end, first, k, x, LARGE_GROUP);
    }
    wait_for_own_copies();
    barrier(CLK_LOCAL_MEM_FENCE);
    __local REAL* const used = tile;
    tile = other;
    other = used;
  }
  if (stretches > 1) y += stretch * rows * k;
  UNROLLED
  for (uint r = 0; r < ROWS; ++r) {
    UNROLLED
    for (uint c = 0; c < columns; ++c) {
      const REAL sum = sum_over_lanes(sums[r][c], lanes, scratch);
      const long at = (row + r) * k + first + c;
      if (lane == 0 && row + r < rows && first + c < k) {
        y[at] = stretches > 1 ? sum : updated(alpha, sum, beta, y, at);
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
}

/// A kernel for panels of so many columns. A macro, because OpenCL C has no templates: what
/// multiply_rows is handed has to be known when compiling.
#define PANEL_KERNEL(name, columns, aligned)                                                       \
  __kernel WORK_GROUP(LARGE_GROUP) void name(                                                      \
      long rows, long cols, uint k, uint lanes, uint panels, uint stretches, long length,          \
      __global const REAL* a, REAL alpha, __global const REAL* x, REAL beta, __global REAL* y) {   \
    __local WIDE tiles[STAGES * TILE_SIZE(columns) / WIDE_LENGTH];                                 \
    __local REAL scratch[LARGE_GROUP];                                                             \
    multiply_rows(rows, cols, k, lanes, panels, stretches, length, a, alpha, x, beta, y, tiles,    \
                  scratch, columns, aligned);                                                      \
  }

// Rows that are whole vectors of 16 bytes, and last rows of any length.
PANEL_KERNEL(dense_panel_4, 4, true)
PANEL_KERNEL(dense_panel_8, EACH, true)
PANEL_KERNEL(dense_panel_unaligned, EACH, false)

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
  UNROLLED_FOUR
  for (long s = 0; s < stretches; ++s) sum += partial[s * size + i];
  y[i] = updated(alpha, sum, beta, y, i);
}
