// y = alpha A x + beta y with A in BLOCK x BLOCK blocks (bsr.hpp). Neighbouring items read
// neighbouring rows of blocks, which follow each other in memory: item r of each BLOCK_LANES has row
// r of a block. Of BLOCK_LANES 4 for blocks of 3, the last has nothing to do.

/// The part of the sum of row r of block row `block_row` that falls to one lane.
static REAL lane_sum(long begin, long end, uint r, uint step, long cols,
                     __global const int* columns, __global const ushort* masks,
                     __global const REAL* values, __global const REAL* x) {
  const uint whole_row = (1u << BLOCK) - 1;
  REAL sum = 0;
  for (long k = begin; k < end; k += step) {
    const uint stored = masks[k] >> (r * BLOCK) & whole_row;
    __global const REAL* const row = values + (k * BLOCK + r) * BLOCK;
    const long column = (long)columns[k] * BLOCK;
    if (stored == whole_row) {
#pragma unroll
      for (uint c = 0; c < BLOCK; ++c) sum += row[c] * x[column + c];
    } else {
      // What is not stored is dropped, not multiplied by zero; x may end within the block.
#pragma unroll
      for (uint c = 0; c < BLOCK; ++c) {
        const REAL product = row[c] * x[min(column + c, cols - 1)];
        sum += (stored >> c & 1) != 0 ? product : 0;
      }
    }
  }
  return sum;
}

/// The sum of `value` over the items of a block row that have the same row of its blocks, valid in
/// the first BLOCK_LANES; always added in the same order. All items of the group must come here.
static REAL sum_over_blocks(REAL value, uint lanes, __local REAL* scratch) {
#ifdef NVIDIA_WARP
  (void)scratch;
  for (uint reach = lanes / 2; reach >= BLOCK_LANES; reach /= 2) {
    value += real_from_lane_above(value, reach);
  }
  return value;
#else
  const uint item = (uint)get_local_id(0);
  scratch[item] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint reach = lanes / 2; reach >= BLOCK_LANES; reach /= 2) {
    if (lane_of(lanes) < reach) scratch[item] += scratch[item + reach];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return scratch[item];
#endif
}

/// `lanes` items for each block row: a power of two, from BLOCK_LANES to 32.
__kernel WORK_GROUP(GROUP) void bsr_blocks(long rows, long cols, uint lanes,
                                           __global const OFFSET* offsets,
                                           __global const int* columns,
                                           __global const ushort* masks,
                                           __global const REAL* values, REAL alpha,
                                           __global const REAL* x, REAL beta, __global REAL* y) {
  __local REAL scratch[GROUP];
  const uint lane = lane_of(lanes);
  const long block_row = row_of(lanes);
  const uint r = lane % BLOCK_LANES;
  REAL sum = 0;
  if (block_row * BLOCK < rows && r < BLOCK) {
    sum = lane_sum(offsets[block_row] + lane / BLOCK_LANES, offsets[block_row + 1], r,
                   lanes / BLOCK_LANES, cols, columns, masks, values, x);
  }
  sum = sum_over_blocks(sum, lanes, scratch);
  const long row = block_row * BLOCK + r;
  if (lane < BLOCK && row < rows) y[row] = updated(alpha, sum, beta, y, row);
}
