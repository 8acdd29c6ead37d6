// CSR to SELL-C-sigma and back: see sell_multiply.cl for where a slot is. `height` and `window` are
// powers of two.

/// Rows of the largest window.
#define LARGEST_WINDOW 1024

/// One work-group for each window: puts its rows in descending order of their lengths, equal ones in
/// the order of their rows, by a bitonic sort in local memory. The width of a slice is the length of
/// its first row.
__kernel WORK_GROUP(GROUP) void sell_order(long rows, uint height, uint window,
                                           __global const OFFSET* offsets, __global int* order,
                                           __global int* lengths, __global uint* widths) {
  __local ulong keys[LARGEST_WINDOW];
  const uint item = (uint)get_local_id(0);
  const long first = (long)get_group_id(0) * window;
  // Shortest last; positions without a row come after all of them.
  for (uint i = item; i < window; i += GROUP) {
    ulong key = ULONG_MAX;
    if (first + i < rows) {
      const uint length = (uint)(offsets[first + i + 1] - offsets[first + i]);
      key = (ulong)(INT_MAX - length) << 32 | i;
    }
    keys[i] = key;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint run = 2; run <= window; run *= 2) {
    for (uint reach = run / 2; reach > 0; reach /= 2) {
      for (uint pair = item; pair < window / 2; pair += GROUP) {
        const uint low = 2 * pair - (pair & (reach - 1));
        const ulong a = keys[low], b = keys[low + reach];
        const bool ascending = (low & run) == 0;
        if ((a > b) == ascending) {
          keys[low] = b;
          keys[low + reach] = a;
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
  const long padded = (rows + height - 1) & ~(long)(height - 1);
  for (uint i = item; i < window; i += GROUP) {
    const long p = first + i;
    const ulong key = keys[i];
    const int length = p < rows ? INT_MAX - (int)(key >> 32) : 0;
    if (p < rows) order[p] = (int)(uint)key;
    if (p < padded) lengths[p] = length;
    if (p < padded && (i & (height - 1)) == 0) widths[p >> log2_of(height)] = (uint)length;
  }
}

/// One item for each position; padding is column 0, value 0.
__kernel WORK_GROUP(64) void fill_sell(long positions, uint height, uint window,
                                       __global const OFFSET* offsets,
                                       __global const int* columns, __global const REAL* values,
                                       __global const long* starts, __global const int* order,
                                       __global const int* lengths, __global int* to_columns,
                                       __global REAL* to_values) {
  const long p = (long)get_global_id(0);
  if (p >= positions) return;
  const long slice = p >> log2_of(height);
  const long width = starts[slice + 1] - starts[slice];
  const long slot = starts[slice] * height + ((uint)p & (height - 1));
  const long length = lengths[p];
  const OFFSET begin = length > 0 ? offsets[p - ((uint)p & (window - 1)) + order[p]] : 0;
  for (long k = 0; k < width; ++k) {
    const bool is_element = k < length;
    to_columns[slot + k * height] = is_element ? columns[begin + (OFFSET)k] : 0;
    to_values[slot + k * height] = is_element ? values[begin + (OFFSET)k] : 0;
  }
}

/// The length of each row, by row.
__kernel WORK_GROUP(64) void lengths_by_row(long rows, uint window, __global const int* order,
                                            __global const int* lengths,
                                            __global uint* by_row) {
  const long p = (long)get_global_id(0);
  if (p < rows) by_row[p - ((uint)p & (window - 1)) + order[p]] = (uint)lengths[p];
}

/// One item for each position that has a row.
__kernel WORK_GROUP(64) void fill_csr_from_sell(long rows, uint height, uint window,
                                                __global const long* starts,
                                                __global const int* order,
                                                __global const int* lengths,
                                                __global const int* columns,
                                                __global const REAL* values,
                                                __global const OFFSET* offsets,
                                                __global int* to_columns,
                                                __global REAL* to_values) {
  const long p = (long)get_global_id(0);
  if (p >= rows) return;
  const long slot = starts[p >> log2_of(height)] * height + ((uint)p & (height - 1));
  const OFFSET begin = offsets[p - ((uint)p & (window - 1)) + order[p]];
  const long length = lengths[p];
  for (long k = 0; k < length; ++k) {
    to_columns[begin + (OFFSET)k] = columns[slot + k * height];
    to_values[begin + (OFFSET)k] = values[slot + k * height];
  }
}
