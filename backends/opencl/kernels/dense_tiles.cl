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
