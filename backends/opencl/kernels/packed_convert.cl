// Conversions between CSR and packed CSR (packed.hpp), whose codings are definitions: see
// packed_multiply.cl. TILE_ROWS rows are a tile, TILE_REACH columns from its base are those that 16
// bits reach. The elements of a tile are neighbours in memory.

#ifndef COLUMNS_BLOCKED
static OFFSET tile_begin(long tile, long rows, __global const OFFSET* offsets) {
  return offsets[min(tile * TILE_ROWS, rows)];
}

/// The tile of `tiles` that element k is in. It is looked for from `near` on, both ways.
static long tile_of(long k, long near, long tiles, long rows, __global const OFFSET* offsets) {
  long low = near, high = near;
  if (tile_begin(near, rows, offsets) <= k) {
    for (high += 1; high < tiles && tile_begin(high, rows, offsets) <= k;) {
      const long step = 2 * (high - low);
      low = high;
      high = min(high + step, tiles);
    }
  } else {
    for (long step = 1; tile_begin(low, rows, offsets) > k; step *= 2) {
      high = low;
      low = max(low - step, 0L);
    }
  }
  while (high - low > 1) {
    const long middle = low + (high - low) / 2;
    if (tile_begin(middle, rows, offsets) <= k) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Where an item is among the tiles.
typedef struct {
  long tile;
  long end;     // of its elements
  long2 place;  // what `tiles` has for it
} Cursor;

/// Before any element: where element k of all would be if tiles had equally many.
static Cursor cursor_near(long k, long count, long rows, __global const OFFSET* offsets) {
  return (Cursor){min(k / (offsets[rows] / count + 1), count - 1), 0, (long2)(0, 0)};
}

/// Moves on to element k, which is not before the one that it is at. `count` is that of the tiles.
static void move_to(Cursor* at, long k, long count, long rows, __global const OFFSET* offsets,
                    __global const long2* tiles) {
  if (k < at->end) return;
  at->tile = tile_of(k, min(at->tile, count - 1), count, rows, offsets);
  at->end = tile_begin(at->tile + 1, rows, offsets);
  at->place = tiles[at->tile];
}

/// The base of each tile, as packed_base gives it, and its number of elements. One item for each.
__kernel WORK_GROUP(GROUP) void lay_tiles(long rows, __global const OFFSET* offsets,
                                          __global const int* columns, __global long2* tiles) {
  const long tile = (long)get_global_id(0);
  if (tile * TILE_ROWS >= rows) return;
  long first = LONG_MAX, last = -1;
  for (long row = tile * TILE_ROWS; row < min((tile + 1) * TILE_ROWS, rows); ++row) {
    const OFFSET begin = offsets[row], end = offsets[row + 1];
    if (begin == end) continue;
    first = min(first, (long)columns[begin]);
    last = max(last, (long)columns[end - 1]);
  }
  long base = 0;
  if (last >= TILE_REACH) {
    const long even = first / (TILE_REACH / 2) * (TILE_REACH / 2);
    base = last - even < TILE_REACH ? even : last - first < TILE_REACH ? first : -1;
  }
  const OFFSET begin = tile_begin(tile, rows, offsets);
  tiles[tile] = (long2)(tile_begin(tile + 1, rows, offsets) - begin, base);
}

/// Columns and values of CSR to those of tiles whose bases and shifts are known. Whatever the lengths
/// of rows, each group has `share` elements.
__kernel WORK_GROUP(GROUP) void fill_packed(long rows, long share, __global const OFFSET* offsets,
                                            __global const int* columns,
                                            __global const REAL* values,
                                            __global const long2* tiles, __global ushort* narrow,
                                            __global int* wide, __global REAL* packed_values) {
  const long count = (rows + TILE_ROWS - 1) / TILE_ROWS;
  const long end = min(((long)get_group_id(0) + 1) * share, (long)offsets[rows]);
  long k = (long)get_group_id(0) * share + (long)get_local_id(0);
  Cursor at = cursor_near(k, count, rows, offsets);
  for (; k < end; k += GROUP) {
    move_to(&at, k, count, rows, offsets, tiles);
    const int column = columns[k];
    if (at.place.y >= 0) {
      narrow[k - at.place.x] = (ushort)(column - at.place.y);
    } else {
      wide[k - at.place.x] = column;
    }
    packed_values[k] = values[k];
  }
}
#endif

#if defined(VALUES_DICTIONARY)
#define VALUES __global const REAL *values, __global const uchar *codes
#define VALUE(k) values[codes[k]]
#elif defined(VALUES_CONSTANT)
#define VALUES __global const REAL* values
#define VALUE(k) values[0]
#else
#define VALUES __global const REAL* values
#define VALUE(k) values[k]
#endif
#ifdef COLUMNS_TILED
#define COLUMNS __global const long2 *tiles, __global const ushort *narrow, __global const int *wide
#elif defined(COLUMNS_BLOCKED)
#define COLUMNS __global const uint *heads, uint words, __global const uchar *low
#endif

#ifndef COLUMNS
/// Values of packed CSR whose columns are those of CSR to values of CSR.
__kernel WORK_GROUP(GROUP) void fill_values(long nnz, VALUES, __global REAL* csr_values) {
  for (long k = (long)get_global_id(0); k < nnz; k += (long)get_global_size(0)) {
    csr_values[k] = VALUE(k);
  }
}
#elif defined(COLUMNS_TILED)
/// Columns and values of packed CSR to those of CSR.
__kernel WORK_GROUP(GROUP) void fill_csr_from_packed(long rows, long share,
                                                     __global const OFFSET* offsets, COLUMNS,
                                                     VALUES, __global int* csr_columns,
                                                     __global REAL* csr_values) {
  const long count = (rows + TILE_ROWS - 1) / TILE_ROWS;
  const long end = min(((long)get_group_id(0) + 1) * share, (long)offsets[rows]);
  long k = (long)get_group_id(0) * share + (long)get_local_id(0);
  Cursor at = cursor_near(k, count, rows, offsets);
  for (; k < end; k += GROUP) {
    move_to(&at, k, count, rows, offsets, tiles);
    const long in_width = k - at.place.x;
    csr_columns[k] = at.place.y >= 0 ? (int)(at.place.y + narrow[in_width]) : wide[in_width];
    csr_values[k] = VALUE(k);
  }
}
#else
/// Heads of a stretch: 16 bits tell how far it is from its first to the end of its last.
#define STRETCH 128
/// Items that share the elements of a head.
#define HEAD_ITEMS (GROUP < 8 ? GROUP : 8)

/// The last 16 bits of the number of a head's first element. `count` heads are all; behind them, that
/// of all elements.
static uint start_of(__global const uint* heads, uint words, long head, long count, long nnz) {
  return head < count ? heads[words * (head + 1) - 1] & 0xffff : (uint)nnz & 0xffff;
}

/// The elements of each stretch of heads, one item for each.
__kernel WORK_GROUP(GROUP) void count_elements(long nnz, long count, __global const uint* heads,
                                               uint words, __global uint* counts) {
  const long head = (long)get_global_id(0) * STRETCH;
  if (head >= count) return;
  const uint end = start_of(heads, words, min(head + STRETCH, count), count, nnz);
  counts[get_global_id(0)] = (end - start_of(heads, words, head, count, nnz)) & 0xffff;
}

/// The same of blocked columns, a stretch of heads for each work-group. `starts` has the first element
/// of each stretch, and the end of the last.
__kernel WORK_GROUP(GROUP) void fill_csr_from_packed(long nnz, long count,
                                                     __global const OFFSET* starts, COLUMNS, VALUES,
                                                     __global int* csr_columns,
                                                     __global REAL* csr_values) {
  const uint item = (uint)get_local_id(0);
  const long stretch = (long)get_group_id(0);
  const long begin = starts[stretch], end = starts[stretch + 1];
  for (long k = begin + item; k < end; k += GROUP) csr_values[k] = VALUE(k);
  const long first = stretch * STRETCH;
  const uint first_start = start_of(heads, words, first, count, nnz);
  for (long h = first + item / HEAD_ITEMS; h < min(first + STRETCH, count);
       h += GROUP / HEAD_ITEMS) {
    const uint start = start_of(heads, words, h, count, nnz);
    const uint length = (start_of(heads, words, h + 1, count, nnz) - start) & 0xffff;
    const long at = begin + ((start - first_start) & 0xffff);
    const uint column = words == 1 ? heads[h] >> 16 << 8 : heads[2 * h] << 8;
    for (uint k = item % HEAD_ITEMS; k < length; k += HEAD_ITEMS) {
      csr_columns[at + k] = (int)(column + low[at + k]);
    }
  }
}
#endif
