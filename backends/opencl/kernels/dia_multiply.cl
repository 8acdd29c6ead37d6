// y = alpha A x + beta y with A by diagonals. The element of row i in diagonal d is at [d * rows + i],
// so that neighbouring items, which have neighbouring rows, read neighbouring values and elements of
// x. A bit for each place says whether it is stored.

/// One item for each row.
__kernel WORK_GROUP(GROUP) void dia_rows(long rows, long diagonals, __global const long* diagonal,
                                         __global const ulong* masks,
                                         __global const REAL* values, REAL alpha,
                                         __global const REAL* x, REAL beta, __global REAL* y) {
  const long row = (long)get_global_id(0);
  if (row >= rows) return;
  const long words = (rows + 63) / 64;
  const uint bit = (uint)row % 64;
  masks += row / 64;
  values += row;
  x += row;
  REAL sum = 0;
#pragma unroll 4
  for (long d = 0; d < diagonals; ++d) {
    // The value is asked for before it is known whether it counts.
    const REAL value = streamed_real(values + d * rows);
    if ((masks[d * words] >> bit) & 1) sum += value * x[diagonal[d]];
  }
  y[row] = updated(alpha, sum, beta, y, row);
}
