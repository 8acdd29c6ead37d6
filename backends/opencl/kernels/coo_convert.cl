// CSR to coordinates, and back. OFFSET is the type of CSR's offsets; a row's index has 64 bits where
// `wide` is set, else 32.

static long row_at(__global const void* row_of, uint wide, long k) {
  return wide ? ((__global const long*)row_of)[k] : ((__global const int*)row_of)[k];
}

/// The elements of COO, one item for each.
__kernel WORK_GROUP(64) void coo_from_csr(long rows, long nonzeros, uint wide,
                                          __global const OFFSET* offsets,
                                          __global const int* columns,
                                          __global const REAL* values, __global void* to_rows,
                                          __global int* to_columns, __global REAL* to_values) {
  const long k = (long)get_global_id(0);
  if (k >= nonzeros) return;
  const long row = row_with(offsets, 0, rows - 1, k);
  if (wide) {
    ((__global long*)to_rows)[k] = row;
  } else {
    ((__global int*)to_rows)[k] = (int)row;
  }
  to_columns[k] = columns[k];
  to_values[k] = values[k];
}

/// CSR, one item for each element and for each row and the end. The row's first element is searched
/// for.
__kernel WORK_GROUP(64) void csr_from_coo(long rows, long nonzeros, uint wide,
                                          __global const void* row_of,
                                          __global const int* columns,
                                          __global const REAL* values, __global OFFSET* offsets,
                                          __global int* to_columns, __global REAL* to_values) {
  const long i = (long)get_global_id(0);
  if (i < nonzeros) {
    to_columns[i] = columns[i];
    to_values[i] = values[i];
  }
  if (i > rows) return;
  long low = 0, high = nonzeros;
  while (low < high) {
    const long middle = low + (high - low) / 2;
    if (row_at(row_of, wide, middle) < i) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  offsets[i] = (OFFSET)low;
}
