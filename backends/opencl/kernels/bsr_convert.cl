// CSR to blocks of BLOCK x BLOCK (bsr.hpp), and back.

/// Where each row of a block row is read, and its end.
typedef struct {
  long at[BLOCK];
  long end[BLOCK];
} RowsOfBlocks;

static void begin_rows(RowsOfBlocks* of, long block_row, long rows,
                       __global const OFFSET* offsets) {
  for (uint r = 0; r < BLOCK; ++r) {
    const long row = min(block_row * BLOCK + r, rows);
    of->at[r] = offsets[row];
    of->end[r] = offsets[min(row + 1, rows)];
  }
}

/// The block column of the next block, or INT_MAX if there is none.
static int next_block(const RowsOfBlocks* of, __global const int* columns) {
  int next = INT_MAX;
  for (uint r = 0; r < BLOCK; ++r) {
    if (of->at[r] < of->end[r]) next = min(next, columns[of->at[r]]);
  }
  return next == INT_MAX ? INT_MAX : next / BLOCK;
}

/// The number of blocks of each block row. One item for each.
__kernel WORK_GROUP(64) void count_blocks(long rows, __global const OFFSET* offsets,
                                          __global const int* columns, __global uint* counts) {
  const long block_row = (long)get_global_id(0);
  if (block_row * BLOCK >= rows) return;
  RowsOfBlocks of;
  begin_rows(&of, block_row, rows, offsets);
  uint blocks = 0;
  for (int block = next_block(&of, columns); block != INT_MAX; block = next_block(&of, columns)) {
    const long end = (long)block * BLOCK + BLOCK;
    for (uint r = 0; r < BLOCK; ++r) {
      while (of.at[r] < of.end[r] && columns[of.at[r]] < end) ++of.at[r];
    }
    ++blocks;
  }
  counts[block_row] = blocks;
}

/// The blocks of each block row. One item for each.
__kernel WORK_GROUP(64) void fill_blocks(long rows, __global const OFFSET* offsets,
                                         __global const int* columns, __global const REAL* values,
                                         __global const int* block_offsets32,
                                         __global const long* block_offsets64,
                                         __global int* block_columns, __global ushort* masks,
                                         __global REAL* block_values) {
  const long block_row = (long)get_global_id(0);
  if (block_row * BLOCK >= rows) return;
  RowsOfBlocks of;
  begin_rows(&of, block_row, rows, offsets);
  long k = block_offsets32 ? block_offsets32[block_row] : block_offsets64[block_row];
  for (int block = next_block(&of, columns); block != INT_MAX; block = next_block(&of, columns)) {
    const long first = (long)block * BLOCK;
    __global REAL* const to = block_values + k * BLOCK * BLOCK;
    uint mask = 0;
    for (uint r = 0; r < BLOCK; ++r) {
      for (uint c = 0; c < BLOCK; ++c) {
        const bool is_stored = of.at[r] < of.end[r] && columns[of.at[r]] == first + c;
        to[r * BLOCK + c] = is_stored ? values[of.at[r]] : 0;
        mask |= (uint)is_stored << (r * BLOCK + c);
        of.at[r] += is_stored;
      }
    }
    block_columns[k] = block;
    masks[k] = (ushort)mask;
    ++k;
  }
}

/// Bit c: whether a block with this mask stores an element in column c of its row r.
static uint row_mask(uint mask, uint r) { return mask >> (r * BLOCK) & ((1u << BLOCK) - 1); }

/// The length of each row. One item for each.
__kernel WORK_GROUP(64) void lengths_of_rows(long rows, __global const OFFSET* block_offsets,
                                             __global const ushort* masks,
                                             __global uint* lengths) {
  const long row = (long)get_global_id(0);
  if (row >= rows) return;
  const long block_row = row / BLOCK;
  const uint r = (uint)(row - block_row * BLOCK);
  uint length = 0;
  for (long k = block_offsets[block_row]; k < block_offsets[block_row + 1]; ++k) {
    length += popcount(row_mask(masks[k], r));
  }
  lengths[row] = length;
}

/// The elements of each row. One item for each.
__kernel WORK_GROUP(64) void fill_rows(long rows, __global const OFFSET* block_offsets,
                                       __global const int* block_columns,
                                       __global const ushort* masks,
                                       __global const REAL* block_values,
                                       __global const int* offsets32,
                                       __global const long* offsets64, __global int* columns,
                                       __global REAL* values) {
  const long row = (long)get_global_id(0);
  if (row >= rows) return;
  const long block_row = row / BLOCK;
  const uint r = (uint)(row - block_row * BLOCK);
  long at = offsets32 ? offsets32[row] : offsets64[row];
  for (long k = block_offsets[block_row]; k < block_offsets[block_row + 1]; ++k) {
    const uint stored = row_mask(masks[k], r);
    __global const REAL* const from = block_values + (k * BLOCK + r) * BLOCK;
    for (uint c = 0; c < BLOCK; ++c) {
      if ((stored >> c & 1) == 0) continue;
      columns[at] = block_columns[k] * BLOCK + (int)c;
      values[at] = from[c];
      ++at;
    }
  }
}
