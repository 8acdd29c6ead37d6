// The CSR arrays of the transpose of a matrix in CSR: from CSR to CSC, and back.
//
// Each work-group takes a stretch of rows, one row after another, and has counts of its own for all
// columns. Within a row no two elements are in the same column. So each element's place is found in a
// fixed order, without atomics.

/// Counts the elements of each stretch in each column.
__kernel WORK_GROUP(GROUP) void csc_count(long rows, long cols, __global const OFFSET* offsets,
                                          __global const int* columns, __global uint* counts) {
  const long stretch = (long)get_group_id(0);
  const long stretches = (long)get_num_groups(0);
  const long item = (long)get_local_id(0);
  __global uint* const mine = counts + stretch * cols;
  for (long j = item; j < cols; j += GROUP) mine[j] = 0;
  const long end = rows * (stretch + 1) / stretches;
  for (long i = rows * stretch / stretches; i < end; ++i) {
    barrier(CLK_GLOBAL_MEM_FENCE);
    const OFFSET row_end = offsets[i + 1];
    for (OFFSET k = offsets[i] + (OFFSET)item; k < row_end; k += GROUP) ++mine[columns[k]];
  }
}

/// One item for each column: what stretches before have there, instead of the counts, and their sum.
__kernel WORK_GROUP(GROUP) void csc_add_up(long cols, long stretches, __global uint* counts,
                                           __global uint* totals) {
  const long j = (long)get_global_id(0);
  if (j >= cols) return;
  uint total = 0;
  for (long stretch = 0; stretch < stretches; ++stretch) {
    const uint count = counts[stretch * cols + j];
    counts[stretch * cols + j] = total;
    total += count;
  }
  totals[j] = total;
}

/// Puts the elements of each stretch behind those of the stretches before, column by column.
__kernel WORK_GROUP(GROUP) void csc_fill(long rows, long cols, __global const OFFSET* offsets,
                                         __global const int* columns, __global const REAL* values,
                                         __global uint* counts, __global const OFFSET* starts,
                                         __global int* to_columns, __global REAL* to_values) {
  const long stretch = (long)get_group_id(0);
  const long stretches = (long)get_num_groups(0);
  const long item = (long)get_local_id(0);
  __global uint* const mine = counts + stretch * cols;
  const long end = rows * (stretch + 1) / stretches;
  for (long i = rows * stretch / stretches; i < end; ++i) {
    barrier(CLK_GLOBAL_MEM_FENCE);
    const OFFSET row_end = offsets[i + 1];
    for (OFFSET k = offsets[i] + (OFFSET)item; k < row_end; k += GROUP) {
      const int j = columns[k];
      const OFFSET place = starts[j] + (OFFSET)mine[j]++;
      to_columns[place] = (int)i;
      to_values[place] = values[k];
    }
  }
}
