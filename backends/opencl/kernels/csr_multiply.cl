// y = alpha A x + beta y with A in compressed sparse rows.

/// The part of a row's product that falls to one lane. A row is no longer than the columns are
/// many, so that 32 unsigned bits count it, four strides beyond its end included.
static REAL lane_dot(__global const OFFSET* offsets, __global const int* columns,
                     __global const REAL* values, __global const REAL* x, long row, uint lane,
                     uint lanes) {
  const OFFSET begin = offsets[row];
  const uint length = (uint)(offsets[row + 1] - begin);
  columns += begin;
  values += begin;
  REAL sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
  uint k = lane;
  for (; k + 3 * lanes < length; k += 4 * lanes) {
    const int column0 = columns[k], column1 = columns[k + lanes];
    const int column2 = columns[k + 2 * lanes], column3 = columns[k + 3 * lanes];
    sum0 += values[k] * x[column0];
    sum1 += values[k + lanes] * x[column1];
    sum2 += values[k + 2 * lanes] * x[column2];
    sum3 += values[k + 3 * lanes] * x[column3];
  }
  for (; k < length; k += lanes) sum0 += values[k] * x[columns[k]];
  return (sum0 + sum1) + (sum2 + sum3);
}

/// One item for each row.
__kernel WORK_GROUP(64) void csr_scalar(long rows, __global const OFFSET* offsets,
                                        __global const int* columns, __global const REAL* values,
                                        REAL alpha, __global const REAL* x, REAL beta,
                                        __global REAL* y) {
  const long row = (long)get_global_id(0);
  if (row >= rows) return;
  const REAL sum = lane_dot(offsets, columns, values, x, row, 0, 1);
  y[row] = updated(alpha, sum, beta, y, row);
}

/// `lanes` items for each row, striding along it together.
__kernel WORK_GROUP(GROUP) void csr_vector(long rows, uint lanes, __global const OFFSET* offsets,
                                           __global const int* columns,
                                           __global const REAL* values, REAL alpha,
                                           __global const REAL* x, REAL beta, __global REAL* y) {
  __local REAL scratch[GROUP];
  const uint lane = lane_of(lanes);
  const long row = row_of(lanes);
  REAL sum = 0;
  if (row < rows) sum = lane_dot(offsets, columns, values, x, row, lane, lanes);
  sum = sum_over_lanes(sum, lanes, scratch);
  if (lane == 0 && row < rows) y[row] = updated(alpha, sum, beta, y, row);
}
