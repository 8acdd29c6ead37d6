// y = alpha A x + beta y with A in ELLPACK with row lengths: slot k of row i is at [k * rows + i], so
// that neighbouring items, which have neighbouring rows, read neighbouring slots.

/// The part of a row's sum that falls to one lane: its slots from `first` on, `step` apart. Four
/// columns and values are asked for before the first element of x, which has to wait for its column.
static REAL ell_dot(long row, uint length, long rows, __global const int* columns,
                    __global const REAL* values, __global const REAL* x, uint first, uint step) {
  REAL sum0 = 0, sum1 = 0;
  const long stride = rows * step;
  long at = row + rows * first;
  uint k = first;
  // Written without k + 3 * step, which may exceed 32 bits.
  for (; k < length && length - k > 3 * step; k += 4 * step, at += 4 * stride) {
    const int column0 = streamed_int(columns + at);
    const int column1 = streamed_int(columns + at + stride);
    const int column2 = streamed_int(columns + at + 2 * stride);
    const int column3 = streamed_int(columns + at + 3 * stride);
    const REAL value0 = streamed_real(values + at);
    const REAL value1 = streamed_real(values + at + stride);
    const REAL value2 = streamed_real(values + at + 2 * stride);
    const REAL value3 = streamed_real(values + at + 3 * stride);
    sum0 += value0 * x[column0];
    sum1 += value1 * x[column1];
    sum0 += value2 * x[column2];
    sum1 += value3 * x[column3];
  }
  for (; k < length; at += stride) {
    sum0 += values[at] * x[columns[at]];
    if (length - k <= step) break;
    k += step;
  }
  return sum0 + sum1;
}

/// One item for each row.
__kernel WORK_GROUP(64) void ell_rows(long rows, __global const int* lengths,
                                      __global const int* columns, __global const REAL* values,
                                      REAL alpha, __global const REAL* x, REAL beta,
                                      __global REAL* y) {
  const long row = (long)get_global_id(0);
  if (row >= rows) return;
  const REAL sum = ell_dot(row, (uint)lengths[row], rows, columns, values, x, 0, 1);
  y[row] = updated(alpha, sum, beta, y, row);
}

/// `lanes` items for each row, a power of two, for matrices of few rows. Neighbouring items have
/// neighbouring rows, so that the items of a row lie `share` apart.
__kernel WORK_GROUP(GROUP) void ell_lanes(long rows, uint lanes, __global const int* lengths,
                                          __global const int* columns,
                                          __global const REAL* values, REAL alpha,
                                          __global const REAL* x, REAL beta, __global REAL* y) {
  __local REAL scratch[GROUP];
  const uint item = (uint)get_local_id(0);
  const uint share = GROUP >> log2_of(lanes);
  const uint lane = item >> log2_of(share);
  const long row = (long)get_group_id(0) * share + (item & (share - 1));
  REAL sum = 0;
  if (row < rows) sum = ell_dot(row, (uint)lengths[row], rows, columns, values, x, lane, lanes);
  scratch[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint reach = lanes / 2; reach > 0; reach /= 2) {
    if (lane < reach) scratch[item] += scratch[item + reach * share];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lane == 0 && row < rows) y[row] = updated(alpha, scratch[item], beta, y, row);
}
