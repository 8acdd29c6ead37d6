// CSR to dense: every row is cleared and filled by the same items, so that the stored elements
// still find the line of zeros in the cache.

/// `lanes` items for each row: for GPUs.
__kernel WORK_GROUP(GROUP) void fill_dense(long rows, long cols, uint lanes,
                                           __global const OFFSET* offsets,
                                           __global const int* columns,
                                           __global const REAL* values, __global REAL* a) {
  const uint lane = lane_of(lanes);
  const long row = row_of(lanes);
  if (row < rows) {
    a += row * cols;
    for (long j = lane; j < cols; j += lanes) a[j] = 0;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (row >= rows) return;
  const OFFSET begin = offsets[row];
  const uint length = (uint)(offsets[row + 1] - begin);
  columns += begin;
  values += begin;
  for (uint k = lane; k < length; k += lanes) a[columns[k]] = values[k];
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
