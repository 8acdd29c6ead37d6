// y = alpha A x + beta y with A dense, row by row.

/// The part of a row's product that falls to one lane, in 16-byte loads. Four loads of each array
/// are in flight, which hides the memory's latency; one sum is enough, since additions are not
/// what is waited for, and leaves the registers that keep the device full of items.
static REAL lane_dot_wide(__global const WIDE* a, __global const WIDE* x, long count, uint lane,
                          uint lanes) {
  WIDE sum = 0;
  long j = lane;
  for (; j + 3 * (long)lanes < count; j += 4 * (long)lanes) {
    const WIDE a0 = a[j], a1 = a[j + lanes], a2 = a[j + 2 * lanes], a3 = a[j + 3 * lanes];
    sum += a0 * x[j];
    sum += a1 * x[j + lanes];
    sum += a2 * x[j + 2 * lanes];
    sum += a3 * x[j + 3 * lanes];
  }
  for (; j < count; j += lanes) sum += a[j] * x[j];
#if WIDE_LENGTH == 4
  return (sum.s0 + sum.s1) + (sum.s2 + sum.s3);
#else
  return sum.s0 + sum.s1;
#endif
}

/// The same element by element, for rows that do not start on 16 bytes.
static REAL lane_dot_narrow(__global const REAL* a, __global const REAL* x, long count, uint lane,
                            uint lanes) {
  REAL sum = 0;
  long j = lane;
  for (; j + 3 * (long)lanes < count; j += 4 * (long)lanes) {
    const REAL a0 = a[j], a1 = a[j + lanes], a2 = a[j + 2 * lanes], a3 = a[j + 3 * lanes];
    sum += a0 * x[j];
    sum += a1 * x[j + lanes];
    sum += a2 * x[j + 2 * lanes];
    sum += a3 * x[j + 3 * lanes];
  }
  for (; j < count; j += lanes) sum += a[j] * x[j];
  return sum;
}

/// Both arrays start on 16 bytes and `count` fills whole vectors where `cols` and `count` divide.
static REAL lane_dot(__global const REAL* a, __global const REAL* x, long cols, long count,
                     uint lane, uint lanes) {
  if (cols % WIDE_LENGTH == 0 && count % WIDE_LENGTH == 0) {
    return lane_dot_wide((__global const WIDE*)a, (__global const WIDE*)x, count / WIDE_LENGTH,
                         lane, lanes);
  }
  return lane_dot_narrow(a, x, count, lane, lanes);
}

/// One item for each row: for processors, whose vector units and prefetchers like one long stream.
__kernel WORK_GROUP(16) void dense_scalar(long rows, long cols, __global const REAL* a, REAL alpha,
                                          __global const REAL* x, REAL beta, __global REAL* y) {
  const long row = (long)get_global_id(0);
  if (row >= rows) return;
  a += row * cols;
  REAL8 sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
  long j = 0;
  for (; j + 32 <= cols; j += 32) {
    sum0 += vload8(0, a + j) * vload8(0, x + j);
    sum1 += vload8(0, a + j + 8) * vload8(0, x + j + 8);
    sum2 += vload8(0, a + j + 16) * vload8(0, x + j + 16);
    sum3 += vload8(0, a + j + 24) * vload8(0, x + j + 24);
  }
  const REAL8 sum8 = (sum0 + sum1) + (sum2 + sum3);
  const REAL4 sum4 = sum8.lo + sum8.hi;
  REAL sum = (sum4.s0 + sum4.s1) + (sum4.s2 + sum4.s3);
  for (; j < cols; ++j) sum += a[j] * x[j];
  y[row] = updated(alpha, sum, beta, y, row);
}

/// `lanes` items for each row, up to a whole work-group: for GPUs, whose neighbouring items should
/// read neighbouring elements.
__kernel WORK_GROUP(GROUP) void dense_group(long rows, long cols, uint lanes,
                                            __global const REAL* a, REAL alpha,
                                            __global const REAL* x, REAL beta, __global REAL* y) {
  __local REAL scratch[GROUP];
  const uint lane = lane_of(lanes);
  const long row = row_of(lanes);
  REAL sum = 0;
  if (row < rows) sum = lane_dot(a + row * cols, x, cols, cols, lane, lanes);
  sum = sum_over_lanes(sum, lanes, scratch);
  if (lane == 0 && row < rows) y[row] = updated(alpha, sum, beta, y, row);
}

/// For rows too few to fill a GPU: one work-group sums one of `parts` stretches, `width` columns
/// long, of one row into partial[row * parts + part]. Groups that start together read the same
/// stretch of x, which may be larger than the cache.
__kernel WORK_GROUP(GROUP) void dense_partial(long rows, long cols, uint parts, long width,
                                              __global const REAL* a, __global const REAL* x,
                                              __global REAL* partial) {
  __local REAL scratch[GROUP];
  const long group = (long)get_group_id(0);
  const long part = group / rows;
  const long row = group - part * rows;
  const long begin = part * width;
  const long count = min(width, cols - begin);
  REAL sum = lane_dot(a + row * cols + begin, x + begin, cols, count, lane_of(GROUP), GROUP);
  sum = sum_over_lanes(sum, GROUP, scratch);
  if (get_local_id(0) == 0) partial[row * parts + part] = sum;
}

/// Adds up what dense_partial left, one work-group for each row.
__kernel WORK_GROUP(GROUP) void dense_combine(uint parts, __global const REAL* partial, REAL alpha,
                                              REAL beta, __global REAL* y) {
  __local REAL scratch[GROUP];
  const long row = (long)get_group_id(0);
  REAL sum = 0;
  for (uint part = lane_of(GROUP); part < parts; part += GROUP) sum += partial[row * parts + part];
  sum = sum_over_lanes(sum, GROUP, scratch);
  if (get_local_id(0) == 0) y[row] = updated(alpha, sum, beta, y, row);
}
