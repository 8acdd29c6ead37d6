// Conversions between CSR and packed CSR (packed.hpp), whose codings are definitions: see
// packed_multiply.cl. TILE_ROWS rows are a tile, TILE_REACH columns from its base are those that 16
// bits reach. The elements of a tile are neighbours in memory: `parts` work-groups share them,
// whatever its rows.

static OFFSET tile_begin(long tile, long rows, __global const OFFSET* offsets) {
  return offsets[min(tile * TILE_ROWS, rows)];
}

/// The elements begin to end of this group's part of its tile.
static void part_of_tile(long* begin, long* end, long tile, uint part, uint parts, long rows,
                         __global const OFFSET* offsets) {
  const long first = tile_begin(tile, rows, offsets);
  const long count = tile_begin(tile + 1, rows, offsets) - first;
  const long share = (count + parts - 1) / parts;
  *begin = first + min(part * share, count);
  *end = first + min((part + 1) * share, count);
}

/// The offsets of a tile's rows, and of the row after them, in the width that has an array.
static void copy_offsets(long tile, long rows, __global const OFFSET* offsets,
                         __global int* offsets32, __global long* offsets64) {
  const long end = min((tile + 1) * TILE_ROWS, rows);
  for (long row = tile * TILE_ROWS + (long)get_local_id(0); row <= end; row += GROUP) {
    if (offsets32) {
      offsets32[row] = (int)offsets[row];
    } else {
      offsets64[row] = offsets[row];
    }
  }
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

/// Columns, values and offsets of CSR to those of tiles whose bases and shifts are known.
__kernel WORK_GROUP(GROUP) void fill_packed(long rows, uint parts, __global const OFFSET* offsets,
                                            __global const int* columns,
                                            __global const REAL* values,
                                            __global const long2* tiles,
                                            __global int* offsets32, __global long* offsets64,
                                            __global ushort* narrow, __global int* wide,
                                            __global REAL* packed_values) {
  const long tile = (long)get_group_id(0) / parts;
  const uint part = (uint)(get_group_id(0) % parts);
  const uint item = (uint)get_local_id(0);
  long begin, end;
  part_of_tile(&begin, &end, tile, part, parts, rows, offsets);
  const long2 place = begin < end ? tiles[tile] : (long2)(0);  // of no rows, there is none
  for (long k = begin + item; k < end; k += GROUP) {
    const int column = columns[k];
    if (place.y >= 0) {
      narrow[k - place.x] = (ushort)(column - place.y);
    } else {
      wide[k - place.x] = column;
    }
    packed_values[k] = values[k];
  }
  if (part == 0) copy_offsets(tile, rows, offsets, offsets32, offsets64);
}

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
#else
#define COLUMNS __global const int* wide
#endif

/// Columns, values and offsets of packed CSR to those of CSR.
__kernel WORK_GROUP(GROUP) void fill_csr_from_packed(long rows, uint parts,
                                                     __global const OFFSET* offsets, COLUMNS,
                                                     VALUES, __global int* offsets32,
                                                     __global long* offsets64,
                                                     __global int* csr_columns,
                                                     __global REAL* csr_values) {
  const long tile = (long)get_group_id(0) / parts;
  const uint part = (uint)(get_group_id(0) % parts);
  const uint item = (uint)get_local_id(0);
  long begin, end;
  part_of_tile(&begin, &end, tile, part, parts, rows, offsets);
#ifdef COLUMNS_TILED
  const long2 place = begin < end ? tiles[tile] : (long2)(0);  // of no rows, there is none
#endif
  for (long k = begin + item; k < end; k += GROUP) {
#ifdef COLUMNS_TILED
    csr_columns[k] = place.y >= 0 ? (int)(place.y + narrow[k - place.x]) : wide[k - place.x];
#else
    csr_columns[k] = wide[k];
#endif
    csr_values[k] = VALUE(k);
  }
  if (part == 0) copy_offsets(tile, rows, offsets, offsets32, offsets64);
}
