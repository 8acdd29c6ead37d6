// Conversions between CSR and packed CSR (packed.hpp), whose codings are definitions: see
// packed_multiply.cl. TILE_ROWS rows are a tile, TILE_REACH columns from its base are those that 16
// bits reach. The elements of a tile are neighbours in memory.

static OFFSET tile_begin(long tile, long rows, __global const OFFSET* offsets) {
  return offsets[min(tile * TILE_ROWS, rows)];
}

#ifndef COLUMNS_BLOCKED
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
#endif

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

#ifndef COLUMNS_BLOCKED
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

#ifdef COLUMNS_BLOCKED
/// Items that share a row.
#define TEAM (GROUP < 32 ? GROUP : 32)

/// Whether element k of a row whose columns these are is the first of a block's.
static bool begins_head(__global const int* columns, uint k) {
  return k == 0 || columns[k] >> 8 != columns[k - 1] >> 8;
}

/// The heads of each row.
__kernel WORK_GROUP(GROUP) void count_heads(long rows, __global const OFFSET* offsets,
                                            __global const int* columns, __global uint* counts) {
  __local uint scratch[GROUP];
  const uint lane = lane_of(TEAM);
  const long row = row_of(TEAM);
  const OFFSET begin = row < rows ? offsets[row] : 0;
  const uint length = row < rows ? (uint)(offsets[row + 1] - begin) : 0;
  uint heads = 0;
  for (uint k = lane; k < length; k += TEAM) heads += begins_head(columns + begin, k);
  uint total;
  scan_over_lanes(heads, TEAM, scratch, &total);
  if (lane == 0 && row < rows) counts[row] = total;
}

/// The largest `value` of the group. `scratch` may not be used again before a barrier.
static uint largest_of_group(uint value, __local uint* scratch) {
  if (get_local_id(0) == 0) *scratch = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_max(scratch, value);
  barrier(CLK_LOCAL_MEM_FENCE);
  return *scratch;
}

/// Rows of CSR to those of blocked columns whose first heads are known.
__kernel WORK_GROUP(GROUP) void fill_blocked(long rows, __global const OFFSET* offsets,
                                             __global const int* columns,
                                             __global const REAL* values,
                                             __global const OFFSET* first_heads,
                                             __global uint* heads, uint words, __global uchar* low,
                                             __global REAL* packed_values) {
  __local uint scratch[GROUP];
  __local uint longest;
  const uint lane = lane_of(TEAM);
  const long row = row_of(TEAM);
  const OFFSET begin = row < rows ? offsets[row] : 0;
  const uint length = row < rows ? (uint)(offsets[row + 1] - begin) : 0;
  long head = row < rows ? first_heads[row] : 0;
  columns += begin;
  // All items of a group come to the barriers of its longest row.
  const uint end = largest_of_group(length, &longest);
  for (uint k = lane; k - lane < end; k += TEAM) {
    const bool begins = k < length && begins_head(columns, k);
    uint total;
    const uint place = scan_over_lanes(begins, TEAM, scratch, &total);
    if (begins) {
      const uint start = (uint)(begin + k) & 0xffff;
      const long at = head + place - 1;
      if (words == 1) {
        heads[at] = (uint)columns[k] >> 8 << 16 | start;
      } else {
        heads[2 * at] = (uint)columns[k] >> 8;
        heads[2 * at + 1] = start;
      }
    }
    head += total;
    if (k < length) {
      low[begin + k] = (uchar)columns[k];
      packed_values[begin + k] = values[begin + k];
    }
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
#define COLUMNS                                                                \
  __global const OFFSET *first_heads, __global const uint *heads, uint words, \
      __global const uchar *low
/// The elements begin to end of this group's part of its tile.
static void part_of_tile(long* begin, long* end, long tile, uint part, uint parts, long rows,
                         __global const OFFSET* offsets) {
  const long first = tile_begin(tile, rows, offsets);
  const long count = tile_begin(tile + 1, rows, offsets) - first;
  const long share = (count + parts - 1) / parts;
  *begin = first + min(part * share, count);
  *end = first + min((part + 1) * share, count);
}

/// Items that share the elements of a head.
#define HEAD_ITEMS (GROUP < 8 ? GROUP : 8)

/// The columns of a tile's elements. Each turn, the items of a group take so many heads; every
/// `parts`-th turn, from `part` on, falls to this group. 16 bits tell how far it is from the heads of
/// one turn to those of the next.
static void fill_columns(long tile, uint part, uint parts, long rows,
                         __global const OFFSET* offsets, COLUMNS, __global int* csr_columns) {
  const uint item = (uint)get_local_id(0);
  const OFFSET end_head = tile_begin(tile + 1, rows, first_heads);
  const uint end_of_tile = (uint)tile_begin(tile + 1, rows, offsets) & 0xffff;
  OFFSET at = tile_begin(tile, rows, offsets);
  OFFSET head = tile_begin(tile, rows, first_heads) + item / HEAD_ITEMS;
  for (uint turn = 0; head < end_head; head += GROUP / HEAD_ITEMS, ++turn) {
    const uint start = heads[words * ((long)head + 1) - 1] & 0xffff;
    at += (start - (uint)at) & 0xffff;
    if (turn % parts != part) continue;
    const uint next =
        head + 1 < end_head ? heads[words * ((long)head + 2) - 1] & 0xffff : end_of_tile;
    const uint count = (next - start) & 0xffff;
    const uint column = words == 1 ? heads[head] >> 16 << 8 : heads[2 * (long)head] << 8;
    for (uint k = item % HEAD_ITEMS; k < count; k += HEAD_ITEMS) {
      csr_columns[at + k] = (int)(column + low[at + k]);
    }
  }
}
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
/// The same of blocked columns: `parts` work-groups share a tile.
__kernel WORK_GROUP(GROUP) void fill_csr_from_packed(long rows, uint parts,
                                                     __global const OFFSET* offsets, COLUMNS,
                                                     VALUES, __global int* csr_columns,
                                                     __global REAL* csr_values) {
  const long tile = (long)get_group_id(0) / parts;
  const uint part = (uint)(get_group_id(0) % parts);
  long begin, end;
  part_of_tile(&begin, &end, tile, part, parts, rows, offsets);
  for (long k = begin + (long)get_local_id(0); k < end; k += GROUP) csr_values[k] = VALUE(k);
  fill_columns(tile, part, parts, rows, offsets, first_heads, heads, words, low, csr_columns);
}
#endif
