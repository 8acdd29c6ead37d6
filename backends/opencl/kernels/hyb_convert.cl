// HYB to CSR. Slot k of row i is at [k * rows + i], element r of the rest at [width * rows + r].
// OFFSET is the type of CSR's offsets; the row of an element of the rest has 64 bits where `wide` is
// set, else 32.

static long row_at(__global const void* rest_rows, uint wide, long r) {
  return wide ? ((__global const long*)rest_rows)[r] : ((__global const int*)rest_rows)[r];
}

/// The first element of the rest that is in `row` or a later one.
static long first_in_row(__global const void* rest_rows, uint wide, long rest, long row) {
  long low = 0, high = rest;
  while (low < high) {
    const long middle = low + (high - low) / 2;
    if (row_at(rest_rows, wide, middle) < row) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// The length of each row, in its slots and in the rest.
__kernel WORK_GROUP(64) void hyb_lengths(long rows, long width, long rest, uint wide,
                                         __global const int* in_slots,
                                         __global const void* rest_rows,
                                         __global uint* lengths) {
  const long row = (long)get_global_id(0);
  if (row >= rows) return;
  long length = in_slots[row];
  if (length == width) {
    length += first_in_row(rest_rows, wide, rest, row + 1) - first_in_row(rest_rows, wide, rest, row);
  }
  lengths[row] = (uint)length;
}

/// One item for each row and each element of the rest.
__kernel WORK_GROUP(64) void fill_csr_from_hyb(long rows, long width, long rest, uint wide,
                                               __global const int* in_slots,
                                               __global const void* rest_rows,
                                               __global const OFFSET* offsets,
                                               __global const int* columns,
                                               __global const REAL* values,
                                               __global int* to_columns,
                                               __global REAL* to_values) {
  const long i = (long)get_global_id(0);
  if (i < rows) {
    const long begin = offsets[i];
    const long length = in_slots[i];
    for (long k = 0; k < length; ++k) {
      to_columns[begin + k] = columns[k * rows + i];
      to_values[begin + k] = values[k * rows + i];
    }
  }
  if (i < rest) {
    const long row = row_at(rest_rows, wide, i);
    const long place = offsets[row] + width + i - first_in_row(rest_rows, wide, rest, row);
    to_columns[place] = columns[width * rows + i];
    to_values[place] = values[width * rows + i];
  }
}
