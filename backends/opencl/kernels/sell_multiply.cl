// y = alpha A x + beta y with A in SELL-C-sigma: slot k of position p, in slice s, is at
// [(starts[s] + k) * height + p % height], so that neighbouring items, which have neighbouring
// positions, read neighbouring slots. Position p holds row order[p] of its window.

/// One item for each position that has a row. `height` and `window` are powers of two.
__kernel WORK_GROUP(64) void sell_slices(long rows, uint height, uint window,
                                         __global const long* starts,
                                         __global const int* order, __global const int* lengths,
                                         __global const int* columns,
                                         __global const REAL* values, REAL alpha,
                                         __global const REAL* x, REAL beta, __global REAL* y) {
  const long p = (long)get_global_id(0);
  if (p >= rows) return;
  const uint length = (uint)lengths[p];
  const uint r = (uint)p & (height - 1);
  const long slot = starts[p >> log2_of(height)] * height + r;
  columns += slot;
  values += slot;
  REAL sum0 = 0, sum1 = 0;
  uint k = 0;
  // Four columns and values are asked for before the first element of x, which has to wait.
  for (; length - k >= 4; k += 4) {
    const int column0 = streamed_int(columns), column1 = streamed_int(columns + height);
    const int column2 = streamed_int(columns + 2 * height);
    const int column3 = streamed_int(columns + 3 * height);
    const REAL value0 = streamed_real(values), value1 = streamed_real(values + height);
    const REAL value2 = streamed_real(values + 2 * height);
    const REAL value3 = streamed_real(values + 3 * height);
    sum0 += value0 * x[column0];
    sum1 += value1 * x[column1];
    sum0 += value2 * x[column2];
    sum1 += value3 * x[column3];
    columns += 4 * height;
    values += 4 * height;
  }
  for (; k < length; ++k) {
    sum0 += *values * x[*columns];
    columns += height;
    values += height;
  }
  const long row = p - ((uint)p & (window - 1)) + order[p];
  y[row] = updated(alpha, sum0 + sum1, beta, y, row);
}
