// CSR to ELLPACK with row lengths, and back. Slot k of row i is at [k * rows + i].

/// The length of each row, and, in *longest, which is 0 before, that of the longest.
__kernel WORK_GROUP(GROUP) void ell_lengths(long rows, __global const OFFSET* offsets,
                                            __global int* lengths, __global uint* longest) {
  __local uint longest_of_group;
  if (get_local_id(0) == 0) longest_of_group = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const long row = (long)get_global_id(0);
  if (row < rows) {
    const uint length = (uint)(offsets[row + 1] - offsets[row]);
    lengths[row] = (int)length;
    atomic_max(&longest_of_group, length);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) atomic_max(longest, longest_of_group);
}

/// One item for each row of each of `parts` stretches of `span` slots; padding is column 0, value 0.
__kernel WORK_GROUP(64) void fill_ell(long rows, long width, uint parts, long span,
                                      __global const OFFSET* offsets,
                                      __global const int* columns, __global const REAL* values,
                                      __global int* to_columns, __global REAL* to_values) {
  const long groups = (long)get_num_groups(0) / parts;
  const long part = (long)get_group_id(0) / groups;
  const long row = ((long)get_group_id(0) - part * groups) * 64 + (long)get_local_id(0);
  if (row >= rows) return;
  const OFFSET begin = offsets[row];
  const long length = (long)(offsets[row + 1] - begin);
  const long first = part * span;
  const long end = min(first + span, width);
  for (long k = first; k < end; ++k) {
    const bool is_element = k < length;
    to_columns[k * rows + row] = is_element ? columns[begin + (OFFSET)k] : 0;
    to_values[k * rows + row] = is_element ? values[begin + (OFFSET)k] : 0;
  }
}

/// The same division of the work, elements alone, the other way.
__kernel WORK_GROUP(64) void fill_csr_from_ell(long rows, long width, uint parts, long span,
                                               __global const OFFSET* offsets,
                                               __global const int* columns,
                                               __global const REAL* values,
                                               __global int* to_columns,
                                               __global REAL* to_values) {
  const long groups = (long)get_num_groups(0) / parts;
  const long part = (long)get_group_id(0) / groups;
  const long row = ((long)get_group_id(0) - part * groups) * 64 + (long)get_local_id(0);
  if (row >= rows) return;
  const OFFSET begin = offsets[row];
  const long first = part * span;
  const long end = min(min(first + span, width), (long)(offsets[row + 1] - begin));
  for (long k = first; k < end; ++k) {
    to_columns[begin + (OFFSET)k] = columns[k * rows + row];
    to_values[begin + (OFFSET)k] = values[k * rows + row];
  }
}
