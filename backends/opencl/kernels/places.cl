// The stored values of a CSR matrix with their rows and columns, for functions recorded from the program:
// see recorded_text.hpp for what stands before. A group takes neighbouring elements, whatever their
// rows, so that uneven rows keep nobody waiting.

/// The last row from `first` to `last` that begins at element k or before: the row of that element.
static long row_with(__global const OFFSET* offsets, long first, long last, long k) {
  while (first < last) {
    const long middle = first + (last - first + 1) / 2;
    if (offsets[middle] <= k) {
      first = middle;
    } else {
      last = middle - 1;
    }
  }
  return first;
}

#ifdef FOLDED
/// Each group folds `share` neighbouring elements; the host folds what they leave, in sums[group].
__kernel WORK_GROUP(LARGE_GROUP) void fold_csr_places(long rows, long size, long share,
                                                      FOLDED identity,
                                                      __global const OFFSET* offsets,
                                                      __global const int* columns,
                                                      __global const REAL* values,
                                                      __global FOLDED* sums VALUE_PARAMETERS
                                                      FOLD_PARAMETERS) {
  __local FOLDED scratch[LARGE_GROUP];
  const uint item = (uint)get_local_id(0);
  const long begin = (long)get_group_id(0) * share;
  const long end = min(begin + share, size);
  long row = row_with(offsets, 0, rows - 1, begin);
  const long last = row_with(offsets, row, rows - 1, end - 1);
  FOLDED folded = identity;
  for (long k = begin + item; k < end; k += LARGE_GROUP) {
    row = row_with(offsets, row, last, k);
    folded = combine(folded, apply_at(row, columns[k], values[k] VALUE_ARGUMENTS) FOLD_ARGUMENTS);
  }
  scratch[item] = folded;
  for (uint reach = LARGE_GROUP / 2; reach > 0; reach /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < reach) scratch[item] = combine(scratch[item], scratch[item + reach] FOLD_ARGUMENTS);
  }
  if (item == 0) sums[get_group_id(0)] = scratch[0];
}
#else
/// values = f(row, column, values).
__kernel WORK_GROUP(GROUP) void map_csr_places(long rows, long size, __global const OFFSET* offsets,
                                               __global const int* columns,
                                               __global REAL* values VALUE_PARAMETERS) {
  const long begin = (long)get_group_id(0) * (ELEMENTS_PER_ITEM * GROUP);
  const long end = min(begin + ELEMENTS_PER_ITEM * GROUP, size);
  long row = row_with(offsets, 0, rows - 1, begin);
  const long last = row_with(offsets, row, rows - 1, end - 1);
  for (long k = begin + (long)get_local_id(0); k < end; k += GROUP) {
    row = row_with(offsets, row, last, k);
    values[k] = apply_at(row, columns[k], values[k] VALUE_ARGUMENTS);
  }
}
#endif
