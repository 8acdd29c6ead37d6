// Y = alpha A X + beta Y with A dense, X and Y row-major with more columns than dense_columns.cl takes
// at once: tiles of A and X are copied to local memory while those before are multiplied, and each item
// has the sums of eight rows and eight columns. Behind copies.cl.

#if GROUP < 16
#error "groups are too small for two rows of items"
#endif

/// Rows and columns of the sums of an item.
#define EACH 8
/// Rows of A of a work-group.
#define TILE_ROWS GROUP
/// Items for all rows of a tile and the same columns.
#define ROW_ITEMS (TILE_ROWS / EACH)
/// Vectors of A that an item copies for one tile, at most.
#define MOST_COPIES 16

/// What is known when compiling.
typedef struct {
  uint columns;  ///< of X of a work-group
  uint depth;    ///< columns of A, and rows of X, of a tile
  uint items;    ///< of a work-group
  bool aligned;  ///< rows of A are whole vectors of 16 bytes, and items share them evenly
} Shape;

/// Elements of a row of A in local memory: 16 bytes more than it has, so that neighbouring rows lie in
/// different banks.
#define PITCH(depth) (depth + WIDE_LENGTH)
#define SIZE_OF_A(depth) (TILE_ROWS * PITCH(depth))
#define STAGE_SIZE(columns, depth) (SIZE_OF_A(depth) + depth * columns)

/// Starts to copy a tile of A, from `from[n]` on: this item's vector of each row that it copies. What is
/// beyond the `left` columns is zero. Moves `from` on to the next tile.
INLINED void copy_wides_of_a(__local REAL* to, __global const REAL** from, __global const REAL* a,
                             long left, Shape shape) {
  const uint wides = shape.depth / WIDE_LENGTH;
  const uint item = (uint)get_local_id(0);
  const uint column = item % wides * WIDE_LENGTH;
  const bool there = column < left;
  UNROLLED
  for (uint n = 0; n < TILE_ROWS * wides / shape.items; ++n) {
    const uint row = item / wides + n * (shape.items / wides);
    copy_wide(to + row * PITCH(shape.depth) + column, there ? from[n] : a, there);
    from[n] += shape.depth;
  }
}

/// The same of rows that begin anywhere, of which `height` are there: a tile that begins at `a`. The last
/// row is copied again where there is none.
INLINED void copy_elements_of_a(__local REAL* to, __global const REAL* a, long height, long cols,
                                long left, Shape shape) {
  NOT_UNROLLED
  for (uint e = (uint)get_local_id(0); e < TILE_ROWS * shape.depth; e += shape.items) {
    const uint row = e / shape.depth, column = e % shape.depth;
    const bool there = column < left;
    copy_one(to + row * PITCH(shape.depth) + column,
             there ? a + min((long)row, height - 1) * cols + column : a, there);
  }
}

/// What of A and X is copied to local memory at once: the columns of A, and rows of X, from `begin` on up
/// to `end` at most.
typedef struct {
  long begin;
  long end;
  uint first;      ///< column of X
  long first_row;  ///< of A
} Stage;

INLINED void copy_stage(__local REAL* to, __global const REAL** from, long rows, long cols, uint k,
                        __global const REAL* a, __global const REAL* x, Stage stage, Shape shape) {
  const TileOfX tile_of_x = {shape.columns, shape.depth, 0};
  const long left = stage.end - stage.begin;
  if (shape.aligned) {
    copy_wides_of_a(to, from, a, left, shape);
  } else {
    copy_elements_of_a(to, a + stage.first_row * cols + stage.begin, rows - stage.first_row, cols,
                       left, shape);
  }
  copy_rows_of_x(to + SIZE_OF_A(shape.depth), tile_of_x, shape.depth, stage.begin, stage.end,
                 stage.first, k, x, shape.items);
}

/// Element `e` of each vector of A times a row of X.
#if WIDE_LENGTH == 4
#define ADD_WIDE(sum, element, of_x)                                                               \
  (sum)[0] += (element) * (of_x).s0;                                                               \
  (sum)[1] += (element) * (of_x).s1;                                                               \
  (sum)[2] += (element) * (of_x).s2;                                                               \
  (sum)[3] += (element) * (of_x).s3;
#else
#define ADD_WIDE(sum, element, of_x)                                                               \
  (sum)[0] += (element) * (of_x).s0;                                                               \
  (sum)[1] += (element) * (of_x).s1;
#endif
#define ADD_ROW_OF_X(e)                                                                            \
  {                                                                                                \
    WIDE of_x[EACH / WIDE_LENGTH];                                                                 \
    UNROLLED                                                                                       \
    for (uint n = 0; n < EACH / WIDE_LENGTH; ++n) {                                                \
      of_x[n] = *(__local const WIDE*)(x + (e) * columns + n * (columns * WIDE_LENGTH / EACH));    \
    }                                                                                              \
    UNROLLED                                                                                       \
    for (uint i = 0; i < EACH; ++i) {                                                              \
      UNROLLED                                                                                     \
      for (uint n = 0; n < EACH / WIDE_LENGTH; ++n) {                                              \
        ADD_WIDE(sums[i] + n * WIDE_LENGTH, elements[i].s##e, of_x[n])                             \
      }                                                                                            \
    }                                                                                              \
  }

/// A vector of each of an item's rows times the rows of X that it meets.
INLINED void add_products(__local const REAL* a, __local const REAL* x, uint columns, uint pitch,
                          REAL sums[EACH][EACH]) {
  WIDE elements[EACH];
  UNROLLED
  for (uint i = 0; i < EACH; ++i) {
    elements[i] = *(__local const WIDE*)(a + i * ROW_ITEMS * pitch);
  }
  ADD_ROW_OF_X(0)
  ADD_ROW_OF_X(1)
#if WIDE_LENGTH == 4
  ADD_ROW_OF_X(2)
  ADD_ROW_OF_X(3)
#endif
}

/// Rows of the sums of an item that go through local memory at once.
#define ROWS_AT_ONCE (EACH / 2)

/// Adds sums of slice `other` to those of slice 0: of ROWS_AT_ONCE rows from `first` on, which is known
/// when compiling.
INLINED void add_rows_of_slice(REAL sums[EACH][EACH], uint first, __local REAL* scratch, uint slice,
                               uint other, uint item, uint items) {
  barrier(CLK_LOCAL_MEM_FENCE);
  if (slice == other) {
    UNROLLED
    for (uint e = 0; e < ROWS_AT_ONCE * EACH; ++e) {
      scratch[e * items + item] = sums[first + e / EACH][e % EACH];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (slice == 0) {
    UNROLLED
    for (uint e = 0; e < ROWS_AT_ONCE * EACH; ++e) {
      sums[first + e / EACH][e % EACH] += scratch[e * items + item];
    }
  }
}

/// Adds the sums of all slices to those of slice 0, in order. `scratch` holds ROWS_AT_ONCE * EACH
/// elements for each item of a slice; all items of the group come here.
INLINED void add_slices(REAL sums[EACH][EACH], __local REAL* scratch, uint slice, uint slices,
                        uint item, uint items) {
  for (uint other = 1; other < slices; ++other) {
    add_rows_of_slice(sums, 0, scratch, slice, other, item, items);
    add_rows_of_slice(sums, ROWS_AT_ONCE, scratch, slice, other, item, items);
  }
}

/// A work-group has TILE_ROWS rows, a panel of columns, and one of `stretches` stretches of `length`
/// columns of A. Of several, each leaves its sums in y[stretch], an array of the size of Y. Where items
/// are more than the tile of Y needs, slices of them share the columns of each tile of A.
INLINED void multiply_tiles(long rows, long cols, uint k, uint panels, uint stretches, long length,
                            __global const REAL* a, REAL alpha, __global const REAL* x, REAL beta,
                            __global REAL* y, __local WIDE* stages, Shape shape) {
  const uint group = (uint)get_group_id(0);
  const uint first = group % panels * shape.columns;
  const uint stretch = group / panels % stretches;
  const long first_row = (long)(group / panels / stretches) * TILE_ROWS;
  const uint across = shape.columns / EACH;
  const uint of_slice = across * ROW_ITEMS;
  const uint item = (uint)get_local_id(0);
  const uint slice = item / of_slice;
  // Neighbours have two rows and half as many columns as they are, so that they read few words at once
  // (32 columns in float: 452 us, and 476 with a row for as many as there are columns).
  const uint row = item % 2 + item / (2 * across) * 2 % ROW_ITEMS;
  const uint column = item / 2 % across * WIDE_LENGTH;
  const long begin = stretch * length;
  const long end = min(begin + length, cols);
  const uint pitch = PITCH(shape.depth);

  // What lies beyond the last row is read again and not written.
  __global const REAL* from[MOST_COPIES];
  if (shape.aligned) {
    const uint wides = shape.depth / WIDE_LENGTH;
    UNROLLED
    for (uint n = 0; n < TILE_ROWS * wides / shape.items; ++n) {
      const long of_a = first_row + item / wides + n * (shape.items / wides);
      from[n] = a + min(of_a, rows - 1) * cols + begin + item % wides * WIDE_LENGTH;
    }
  }
  REAL sums[EACH][EACH] = {{0}};
  __local REAL* used = (__local REAL*)stages;
  __local REAL* next = used + (STAGES - 1) * STAGE_SIZE(shape.columns, shape.depth);
  const Stage first_of_all = {begin, end, first, first_row};
  copy_stage(used, from, rows, cols, k, a, x, first_of_all, shape);
  NOT_UNROLLED
  for (long at = begin; at < end; at += shape.depth) {
    wait_for_own_copies();
    barrier(CLK_LOCAL_MEM_FENCE);
    const Stage ahead = {at + shape.depth, end, first, first_row};
    const bool more = ahead.begin < end;
    if (STAGES == 2 && more) copy_stage(next, from, rows, cols, k, a, x, ahead, shape);
    __local const REAL* const of_a = used + row * pitch;
    __local const REAL* const of_x = used + SIZE_OF_A(shape.depth) + column;
    const uint slices = shape.items / of_slice;
    UNROLLED
    for (uint s = 0; s < shape.depth / WIDE_LENGTH / slices; ++s) {
      const uint j = (s * slices + slice) * WIDE_LENGTH;
      add_products(of_a + j, of_x + j * shape.columns, shape.columns, pitch, sums);
    }
    if (STAGES == 1 && more) {
      barrier(CLK_LOCAL_MEM_FENCE);
      copy_stage(next, from, rows, cols, k, a, x, ahead, shape);
    }
    __local REAL* const was_used = used;
    used = next;
    next = was_used;
  }
  add_slices(sums, (__local REAL*)stages, slice, shape.items / of_slice, item % of_slice, of_slice);
  if (stretches > 1) y += stretch * rows * k;
  UNROLLED
  for (uint i = 0; i < EACH; ++i) {
    const long of_y = first_row + row + i * ROW_ITEMS;
    UNROLLED
    for (uint c = 0; c < EACH; ++c) {
      const uint of_panel = c / WIDE_LENGTH * (shape.columns * WIDE_LENGTH / EACH) + column;
      const uint in_y = first + of_panel + c % WIDE_LENGTH;
      const long place = of_y * k + in_y;
      if (slice == 0 && of_y < rows && in_y < k) {
        y[place] = stretches > 1 ? sums[i][c] : updated(alpha, sums[i][c], beta, y, place);
      }
    }
  }
}

/// Vectors of each row of A in a tile of a panel of up to 32 columns. Of wider ones, half as many: local
/// memory holds no more of X.
#define DEPTH (8 * WIDE_LENGTH)
/// Whether `items` items copy whole rows of a tile at once.
#define EVEN(items, depth) ((items) % ((depth) / WIDE_LENGTH) == 0)

/// A kernel for panels of so many columns. A macro, because OpenCL C has no templates: what
/// multiply_tiles is handed has to be known when compiling.
#define TILE_KERNEL(name, columns, depth, items, aligned)                                          \
  __kernel WORK_GROUP(items) void name(                                                            \
      long rows, long cols, uint k, uint panels, uint stretches, long length,                      \
      __global const REAL* a, REAL alpha, __global const REAL* x, REAL beta, __global REAL* y) {   \
    __local WIDE stages[STAGES * STAGE_SIZE(columns, (depth)) / WIDE_LENGTH];                      \
    const Shape shape = {columns, depth, items, (aligned) && EVEN(items, depth)};                  \
    multiply_tiles(rows, cols, k, panels, stretches, length, a, alpha, x, beta, y, stages, shape); \
  }

// Rows that are whole vectors of 16 bytes, and last rows of any length.
TILE_KERNEL(dense_tiles_16, 16, DEPTH, (GROUP / 2), true)
TILE_KERNEL(dense_tiles_32, 32, DEPTH, GROUP, true)
TILE_KERNEL(dense_tiles_64, 64, DEPTH / 2, GROUP, true)
TILE_KERNEL(dense_tiles_unaligned, 32, DEPTH, GROUP, false)

#ifdef MULTIPLIES_DOUBLES
// The same in double by the tensor cores of NVIDIA's Hopper and later: eight warps' worth of products in
// one instruction, each rounded once, as `fma` does.

/// Rows of A of a warp, in blocks of eight.
#define BLOCKS 2
/// Pairs of neighbouring elements that an item asks for of each of its rows before it needs them.
#define PAIRS 4
/// Columns of A that a warp goes over at once: four items have a pair of each eight.
#define STEP (8 * PAIRS)

/// c += A X for 16 rows of A, 8 of its columns and 8 columns of X. Item i has of rows i / 4 and 8 + i / 4
/// of A the columns 2 (i % 4) and the next (`low`, `high`), of X these two rows in column i / 4 (`x0`,
/// `x1`), and of the result columns 2 (i % 4) and the next in both rows.
INLINED void add_product(double4* c, double2 low, double2 high, double x0, double x1) {
  double4 sum;
  __asm__ volatile(
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
      : "=d"(sum.s0), "=d"(sum.s1), "=d"(sum.s2), "=d"(sum.s3)
      : "d"(low.s0), "d"(high.s0), "d"(low.s1), "d"(high.s1), "d"(x0), "d"(x1), "d"(c->s0),
        "d"(c->s1), "d"(c->s2), "d"(c->s3));
  *c = sum;
}

/// Two neighbouring elements, of which `left` are in the row; what is beyond is zero.
INLINED double2 pair_at(__global const double* from, long left, bool aligned) {
  double2 pair = 0;
  if (aligned) return left > 0 ? streamed_wide(from) : pair;
  if (left > 0) pair.s0 = streamed_real(from);
  if (left > 1) pair.s1 = streamed_real(from + 1);
  return pair;
}

/// A warp has 8 * BLOCKS rows, `width` panels of eight columns, and one of `stretches` stretches of
/// `length` columns of A, as in multiply_tiles. `depth` rows of X are in local memory at once.
INLINED void multiply_doubles(long rows, long cols, uint k, uint panels, uint stretches,
                              long length, __global const double* a, double alpha,
                              __global const double* x, double beta, __global double* y,
                              __local double2* tiles, uint width, uint depth, bool aligned) {
  const uint group = (uint)get_group_id(0);
  const uint first = group % panels * 8 * width;
  const uint stretch = group / panels % stretches;
  const uint item = (uint)get_local_id(0);
  const uint eighth = item % WARP / 4, fourth = item % 4;
  const long first_row =
      ((long)(group / panels / stretches) * (GROUP / WARP) + item / WARP) * 8 * BLOCKS;
  const long begin = stretch * length;
  const long end = min(begin + length, cols);
  const uint pitch = 8 * width + WIDE_LENGTH;
  const TileOfX shape = {8 * width, 1, WIDE_LENGTH};
  __local double* tile = (__local double*)tiles;
  __local double* other = tile + depth * pitch;
  copy_rows_of_x(tile, shape, depth, begin, end, first, k, x, GROUP);

  // What lies beyond the last row is read again and not written.
  __global const double* of_row[BLOCKS];
  double2 ahead[PAIRS][BLOCKS];
  double4 sums[BLOCKS / 2][4];
  UNROLLED
  for (uint b = 0; b < BLOCKS; ++b) {
    of_row[b] = a + min(first_row + 8 * b + eighth, rows - 1) * cols;
    UNROLLED
    for (uint p = 0; p < PAIRS; ++p) {
      const long j = begin + 8 * p + 2 * fourth;
      ahead[p][b] = pair_at(of_row[b] + j, end - j, aligned);
    }
    UNROLLED
    for (uint n = 0; n < width; ++n) sums[b / 2][n] = 0;
  }
  wait_for_own_copies();
  barrier(CLK_LOCAL_MEM_FENCE);
  for (long at = begin; at < end; at += depth) {
    if (at + depth < end) {
      copy_rows_of_x(other, shape, depth, at + depth, end, first, k, x, GROUP);
    }
    NOT_UNROLLED
    for (uint s = 0; s < depth; s += STEP) {
      double2 now[PAIRS][BLOCKS];
      UNROLLED
      for (uint p = 0; p < PAIRS; ++p) {
        UNROLLED
        for (uint b = 0; b < BLOCKS; ++b) {
          const long j = at + s + STEP + 8 * p + 2 * fourth;
          now[p][b] = ahead[p][b];
          ahead[p][b] = pair_at(of_row[b] + j, end - j, aligned);
        }
      }
      UNROLLED
      for (uint p = 0; p < PAIRS; ++p) {
        UNROLLED
        for (uint n = 0; n < width; ++n) {
          __local const double* const of_x =
              tile + (s + 8 * p + 2 * fourth) * pitch + 8 * n + eighth;
          UNROLLED
          for (uint b = 0; b < BLOCKS; b += 2) {
            add_product(&sums[b / 2][n], now[p][b], now[p][b + 1], of_x[0], of_x[pitch]);
          }
        }
      }
    }
    wait_for_own_copies();
    barrier(CLK_LOCAL_MEM_FENCE);
    __local double* const used = tile;
    tile = other;
    other = used;
  }
  if (stretches > 1) y += stretch * rows * k;
  UNROLLED
  for (uint b = 0; b < BLOCKS; ++b) {
    UNROLLED
    for (uint n = 0; n < width; ++n) {
      const double2 pair = b % 2 == 0 ? sums[b / 2][n].lo : sums[b / 2][n].hi;
      const long row = first_row + 8 * b + eighth;
      const uint column = first + 8 * n + 2 * fourth;
      const long place = row * k + column;
      if (row < rows && column < k) {
        y[place] = stretches > 1 ? pair.s0 : updated(alpha, pair.s0, beta, y, place);
      }
      if (row < rows && column + 1 < k) {
        y[place + 1] = stretches > 1 ? pair.s1 : updated(alpha, pair.s1, beta, y, place + 1);
      }
    }
  }
}

#define DOUBLES_KERNEL(name, width, depth, aligned)                                                \
  __kernel WORK_GROUP(GROUP) void name(                                                            \
      long rows, long cols, uint k, uint panels, uint stretches, long length,                      \
      __global const double* a, double alpha, __global const double* x, double beta,               \
      __global double* y) {                                                                        \
    __local double2 tiles[(depth) * (8 * width + WIDE_LENGTH)];                                    \
    multiply_doubles(rows, cols, k, panels, stretches, length, a, alpha, x, beta, y, tiles, width, \
                     depth, aligned);                                                              \
  }

DOUBLES_KERNEL(dense_doubles_8, 1, 2 * STEP, true)
DOUBLES_KERNEL(dense_doubles_16, 2, 2 * STEP, true)
DOUBLES_KERNEL(dense_doubles_32, 4, STEP, true)
DOUBLES_KERNEL(dense_doubles_unaligned, 4, STEP, false)
#endif
