// Diagonals to CSR: see dia_multiply.cl for where a value and its bit are. One item for each row.

__kernel WORK_GROUP(64) void dia_lengths(long rows, long diagonals, __global const ulong* masks,
                                         __global uint* lengths) {
  const long row = (long)get_global_id(0);
  if (row >= rows) return;
  const long words = (rows + 63) / 64;
  uint length = 0;
  for (long d = 0; d < diagonals; ++d) {
    length += (uint)(masks[d * words + row / 64] >> ((uint)row % 64)) & 1;
  }
  lengths[row] = length;
}

__kernel WORK_GROUP(64) void fill_csr_from_dia(long rows, long diagonals,
                                               __global const long* diagonal,
                                               __global const ulong* masks,
                                               __global const REAL* values,
                                               __global const OFFSET* offsets,
                                               __global int* to_columns,
                                               __global REAL* to_values) {
  const long row = (long)get_global_id(0);
  if (row >= rows) return;
  const long words = (rows + 63) / 64;
  OFFSET place = offsets[row];
  for (long d = 0; d < diagonals; ++d) {
    if (((masks[d * words + row / 64] >> ((uint)row % 64)) & 1) == 0) continue;
    to_columns[place] = (int)(row + diagonal[d]);
    to_values[place] = values[d * rows + row];
    ++place;
  }
}
