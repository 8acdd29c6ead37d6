// CSR to dense: rows are put together in local memory, so that every element of the result is
// written once and beside its neighbours.

/// Puts up to four elements of a lane, *k and each `lanes` after the one before, where they belong
/// in the stretch that starts at column `first`, and moves *k to the next. Columns ascend, so that
/// a lane stops at its first element beyond the stretch, and goes on from there in the next; but
/// all four are asked for at once, which at worst reads some again, out of the cache. REQUIRES
/// *k < length. Returns whether more may follow.
static bool place_four(__global const int* columns, __global const REAL* values, uint length,
                       uint lanes, long first, long filled, uint* k, __local REAL* stretch) {
  int column[4];
  REAL value[4];
#pragma unroll
  for (uint i = 0; i < 4; ++i) {
    const uint at = *k + i * lanes;
    column[i] = columns[min(at, length - 1)];
    value[i] = values[min(at, length - 1)];
    if (at >= length) column[i] = INT_MAX;
  }
  uint placed = 0;
#pragma unroll
  for (uint i = 0; i < 4; ++i) {
    if (column[i] - first < filled) {
      stretch[column[i] - first] = value[i];
      ++placed;
    }
  }
  *k += placed * lanes;
  return placed == 4;
}

/// `lanes` items for each of `parts` parts, `width` columns wide, of every row: for GPUs. Each lane
/// has COLUMNS_PER_LANE columns of a row's stretch in local memory.
__kernel WORK_GROUP(GROUP) void fill_dense(long rows, long cols, uint parts, long width,
                                           uint lanes, __global const OFFSET* offsets,
                                           __global const int* columns,
                                           __global const REAL* values, __global REAL* a) {
  __local REAL stretches[GROUP * COLUMNS_PER_LANE];
  const uint item = (uint)get_local_id(0);
  const uint lane = lane_of(lanes);
  const long index = row_of(lanes);
  const long row = parts == 1 ? index : index / parts;
  const bool inside = row < rows;
  const long part_begin = (index - row * parts) * width;
  const long part_end = min(part_begin + width, cols);
  const uint step = lanes * COLUMNS_PER_LANE;
  __local REAL* stretch = stretches + (item - lane) * COLUMNS_PER_LANE;
  uint k = 0, length = 0;
  if (inside) {
    const OFFSET begin = offsets[row];
    length = (uint)(offsets[row + 1] - begin);
    columns += begin;
    values += begin;
    a += row * cols;
    k = lane + (parts == 1 ? 0 : (uint)first_not_below(columns, length, part_begin));
  }
  for (long done = 0; done < width; done += step) {
    const long first = part_begin + done;
    const long filled = clamp(part_end - first, 0L, (long)step);
    for (uint j = lane; j < step; j += lanes) stretch[j] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    while (k < length && place_four(columns, values, length, lanes, first, filled, &k, stretch)) {
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (inside) {
      for (uint j = lane; j < filled; j += lanes) a[first + j] = stretch[j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

/// One item for each row: for processors, which pay for every barrier.
__kernel WORK_GROUP(16) void fill_dense_scalar(long rows, long cols,
                                               __global const OFFSET* offsets,
                                               __global const int* columns,
                                               __global const REAL* values, __global REAL* a) {
  const long row = (long)get_global_id(0);
  if (row >= rows) return;
  a += row * cols;
  for (long j = 0; j < cols; ++j) a[j] = 0;
  for (OFFSET k = offsets[row]; k < offsets[row + 1]; ++k) a[columns[k]] = values[k];
}
