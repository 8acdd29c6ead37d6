// y = alpha A^T x + beta y with A in compressed sparse rows and one or more columns of x and y: the
// terms of element (i, j) are added to the sums of y_j.
//
// Each work-group takes a stretch of rows, one row after another, and has sums of its own. Within a
// row no two elements belong to the same sum. So sums are added up in a fixed order, without
// atomics. It is slow beside a product that gathers: it is there so that a matrix need not be
// converted.

/// `width`: the elements of y. `sums`: as many for each work-group.
__kernel WORK_GROUP(GROUP) void csr_scatter(long rows, long width, long columns,
                                            __global const OFFSET* offsets,
                                            __global const int* of_elements,
                                            __global const REAL* values, __global const REAL* x,
                                            __global REAL* sums) {
  const long stretch = (long)get_group_id(0);
  const long stretches = (long)get_num_groups(0);
  const long item = (long)get_local_id(0);
  __global REAL* const mine = sums + stretch * width;
  for (long j = item; j < width; j += GROUP) mine[j] = 0;
  const long end = rows * (stretch + 1) / stretches;
  for (long i = rows * stretch / stretches; i < end; ++i) {
    barrier(CLK_GLOBAL_MEM_FENCE);
    const long row_end = (long)offsets[i + 1] * columns;
    for (long k = (long)offsets[i] * columns + item; k < row_end; k += GROUP) {
      const long element = k / columns;
      const long column = k - element * columns;
      mine[of_elements[element] * columns + column] += values[element] * x[i * columns + column];
    }
  }
}

/// One item for each element of y adds the sums of all stretches.
__kernel WORK_GROUP(GROUP) void scatter_finish(long width, long stretches,
                                               __global const REAL* sums, REAL alpha, REAL beta,
                                               __global REAL* y) {
  const long j = (long)get_global_id(0);
  if (j >= width) return;
  REAL sum = 0;
  for (long stretch = 0; stretch < stretches; ++stretch) sum += sums[stretch * width + j];
  y[j] = updated(alpha, sum, beta, y, j);
}
