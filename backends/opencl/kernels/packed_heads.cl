// CSR to packed CSR with blocked columns (packed.hpp): what a head is shows from the columns and rows of
// two neighbouring elements, so that work-groups have equally many, whatever the rows. Compiled behind
// element_rows.cl.

/// Elements of a word of `bits`, one for each.
#define WORD 32

/// For each element of a tile whether a head begins with it, and how many do in each word.
__kernel WORK_GROUP(LARGE_GROUP) void mark_heads(long nnz, __global const long* tile_rows,
                                                 __global const OFFSET* offsets,
                                                 __global const int* columns, __global uint* bits,
                                                 __global uint* counts) {
  __local int row_of[TILE];
  __local uint scanned[LARGE_GROUP];
  __local uint words[TILE / WORD];
  const uint item = (uint)get_local_id(0);
  const long begin = (long)get_group_id(0) * TILE;
  const uint size = (uint)min((long)TILE, nnz - begin);
  const TileRows rows = {tile_rows[get_group_id(0)], tile_rows[get_group_id(0) + 1]};
  for (uint w = item; w < TILE / WORD; w += LARGE_GROUP) words[w] = 0;
  mark_rows(rows, offsets, begin, size, row_of, scanned);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = item; k < size; k += LARGE_GROUP) {
    const long at = begin + k;
    const bool begins_row = offsets[row_of_element(rows, offsets, begin, k, row_of)] == at;
    if (begins_row || columns[at] >> 8 != columns[at - 1] >> 8) {
      atomic_or(words + k / WORD, 1U << k % WORD);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint w = item; w < TILE / WORD; w += LARGE_GROUP) {
    bits[begin / WORD + w] = words[w];
    counts[begin / WORD + w] = popcount(words[w]);
  }
}

/// The heads before element k; `starts` has those before each word, and all.
static OFFSET heads_before(long k, __global const uint* bits, __global const OFFSET* starts) {
  const uint before = (1U << k % WORD) - 1;
  return starts[k / WORD] + (before ? (OFFSET)popcount(bits[k / WORD] & before) : 0);
}

/// The first head of each row, and the end of the last, one item for each.
__kernel WORK_GROUP(GROUP) void find_first_heads(long rows, __global const OFFSET* offsets,
                                                 __global const uint* bits,
                                                 __global const OFFSET* starts,
                                                 __global OFFSET* first_heads) {
  const long row = (long)get_global_id(0);
  if (row <= rows) first_heads[row] = heads_before(offsets[row], bits, starts);
}

/// One item for each element.
__kernel WORK_GROUP(GROUP) void fill_blocked(long nnz, __global const uint* bits,
                                             __global const OFFSET* starts,
                                             __global const int* columns,
                                             __global const REAL* values, __global uint* heads,
                                             uint words, __global uchar* low,
                                             __global REAL* packed_values) {
  const long k = (long)get_global_id(0);
  if (k >= nnz) return;
  const uint column = (uint)columns[k];
  low[k] = (uchar)column;
  packed_values[k] = values[k];
  if (!(bits[k / WORD] >> k % WORD & 1)) return;
  const long head = heads_before(k, bits, starts);
  const uint start = (uint)k & 0xffff;
  if (words == 1) {
    heads[head] = column >> 8 << 16 | start;
  } else {
    heads[2 * head] = column >> 8;
    heads[2 * head + 1] = start;
  }
}
