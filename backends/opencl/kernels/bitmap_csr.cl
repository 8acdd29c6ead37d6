// Bitmap from and to CSR. Values and offsets of both are the same arrays: they are copied, and only
// columns and bits are converted.
//
// A team of 32 items goes over a row by blocks of a word of 32 columns for each item. On processors
// an item does it alone ("_scalar"): they pay for every barrier. All kernels are launched for one
// row more, of which only the offset is copied.

#define TEAM (GROUP < 32 ? GROUP : 32)
#define WORD_BITS 32

/// Words of 32 bits of a row.
static long words_of_row(long cols) { return (cols + 63) / 64 * 2; }

/// The lowest set bit. REQUIRES: word != 0.
static uint lowest_bit(uint word) { return 31 - clz(word & -word); }

/// Writes the offset of a row, which may need fewer bits than where it was: 32, if `narrow`.
static void write_offset(__global void* offsets, uint narrow, long row, OFFSET value) {
  if (narrow) {
    ((__global int*)offsets)[row] = (int)value;
  } else {
    ((__global long*)offsets)[row] = value;
  }
}

/// Copies `count` values, by `lanes` items, four each at a time.
static void copy_values(__global const REAL* from, uint count, __global REAL* to, uint lanes) {
  uint k = lane_of(lanes);
  for (; k + 3 * lanes < count; k += 4 * lanes) {
    const REAL value0 = from[k], value1 = from[k + lanes];
    const REAL value2 = from[k + 2 * lanes], value3 = from[k + 3 * lanes];
    to[k] = value0;
    to[k + lanes] = value1;
    to[k + 2 * lanes] = value2;
    to[k + 3 * lanes] = value3;
  }
  for (; k < count; k += lanes) to[k] = from[k];
}

// CSR to bitmap.

/// Sets the bits of up to four columns of an item, number *k of a row and each TEAM after the one
/// before, in a block that starts at column `first`, and moves *k to the next. Columns ascend, so
/// that an item stops at its first column beyond the block. All four are asked for at once.
/// REQUIRES *k < length. Returns whether more may follow.
static bool set_four(__global const int* columns, uint length, long first, uint* k,
                     __local uint* block) {
  int column[4];
#pragma unroll
  for (uint i = 0; i < 4; ++i) {
    const uint at = *k + i * TEAM;
    column[i] = columns[min(at, length - 1)];
    if (at >= length) column[i] = INT_MAX;
  }
  uint placed = 0;
#pragma unroll
  for (uint i = 0; i < 4; ++i) {
    const long place = column[i] - first;
    if (place < TEAM * WORD_BITS) {
      atomic_or(&block[place / WORD_BITS], 1u << (place % WORD_BITS));
      ++placed;
    }
  }
  *k += placed * TEAM;
  return placed == 4;
}

/// A team for each row: the bits of a block are put together in local memory.
__kernel WORK_GROUP(GROUP) void fill_bitmap_from_csr(long rows, long cols,
                                                     __global const OFFSET* offsets,
                                                     __global const int* columns,
                                                     __global const REAL* values,
                                                     __global void* new_offsets, uint narrow,
                                                     __global uint* masks,
                                                     __global REAL* new_values) {
  __local uint shared[GROUP];
  const uint item = (uint)get_local_id(0);
  const uint lane = lane_of(TEAM);
  __local uint* block = shared + (item - lane);
  const long row = row_of(TEAM);
  const bool inside = row < rows;
  const long words = words_of_row(cols);
  const OFFSET begin = inside ? offsets[row] : 0;
  const uint length = inside ? (uint)(offsets[row + 1] - begin) : 0;
  if (row <= rows && lane == 0) write_offset(new_offsets, narrow, row, offsets[row]);
  columns += begin;
  copy_values(values + begin, length, new_values + begin, TEAM);
  uint k = lane;
  for (long w = 0; w < words; w += TEAM) {
    block[lane] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const long first = w * WORD_BITS;
    while (k < length && set_four(columns, length, first, &k, block)) {
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (inside && w + lane < words) masks[row * words + w + lane] = block[lane];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

/// One item for each row.
__kernel WORK_GROUP(16) void fill_bitmap_from_csr_scalar(long rows, long cols,
                                                         __global const OFFSET* offsets,
                                                         __global const int* columns,
                                                         __global const REAL* values,
                                                         __global void* new_offsets, uint narrow,
                                                         __global uint* masks,
                                                         __global REAL* new_values) {
  const long row = (long)get_global_id(0);
  if (row > rows) return;
  const OFFSET begin = offsets[row];
  write_offset(new_offsets, narrow, row, begin);
  if (row == rows) return;
  const OFFSET end = offsets[row + 1];
  copy_values(values + begin, (uint)(end - begin), new_values + begin, 1);
  const long words = words_of_row(cols);
  OFFSET k = begin;
  for (long w = 0; w < words; ++w) {
    uint word = 0;
    for (; k < end && columns[k] < (w + 1) * WORD_BITS; ++k) word |= 1u << (columns[k] % WORD_BITS);
    masks[row * words + w] = word;
  }
}

// Bitmap to CSR.

/// A team for each row. Each item writes the columns of its own word's bits.
__kernel WORK_GROUP(GROUP) void fill_csr_from_bitmap(long rows, long cols,
                                                     __global const OFFSET* offsets,
                                                     __global const uint* masks,
                                                     __global const REAL* values,
                                                     __global void* new_offsets, uint narrow,
                                                     __global int* columns,
                                                     __global REAL* new_values) {
  __local uint shared[GROUP];
  const uint lane = lane_of(TEAM);
  const long row = row_of(TEAM);
  const bool inside = row < rows;
  const long words = words_of_row(cols);
  const OFFSET begin = inside ? offsets[row] : 0;
  const uint length = inside ? (uint)(offsets[row + 1] - begin) : 0;
  if (row <= rows && lane == 0) write_offset(new_offsets, narrow, row, offsets[row]);
  copy_values(values + begin, length, new_values + begin, TEAM);
  OFFSET at = begin;
  for (long w = 0; w < words; w += TEAM) {
    uint word = inside && w + lane < words ? masks[row * words + w + lane] : 0;
    const uint count = popcount(word);
    uint total;
    OFFSET place = at + (OFFSET)(scan_over_lanes(count, TEAM, shared, &total) - count);
    for (; word; word &= word - 1) {
      columns[place++] = (int)((w + lane) * WORD_BITS + lowest_bit(word));
    }
    at += (OFFSET)total;
  }
}

/// One item for each row.
__kernel WORK_GROUP(16) void fill_csr_from_bitmap_scalar(long rows, long cols,
                                                         __global const OFFSET* offsets,
                                                         __global const uint* masks,
                                                         __global const REAL* values,
                                                         __global void* new_offsets, uint narrow,
                                                         __global int* columns,
                                                         __global REAL* new_values) {
  const long row = (long)get_global_id(0);
  if (row > rows) return;
  const OFFSET begin = offsets[row];
  write_offset(new_offsets, narrow, row, begin);
  if (row == rows) return;
  const OFFSET end = offsets[row + 1];
  copy_values(values + begin, (uint)(end - begin), new_values + begin, 1);
  const long words = words_of_row(cols);
  OFFSET place = begin;
  for (long w = 0; w < words; ++w) {
    for (uint word = masks[row * words + w]; word; word &= word - 1) {
      columns[place++] = (int)(w * WORD_BITS + lowest_bit(word));
    }
  }
}
