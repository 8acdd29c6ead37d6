// The stored values of a CSR matrix with their rows and columns, for functions recorded from the program:
// see recorded_text.hpp for what stands before. A group takes neighbouring elements, whatever their
// rows, so that uneven rows keep nobody waiting. What is said of rows is true of columns where a matrix
// is `by_columns`: CSC is CSR of the transpose.

#if VALUE_OPERANDS == 1
/// The function of the element at (row, column), or at (column, row) of a matrix by columns.
static REAL apply_there(uint by_columns, long row, long column, REAL value VALUE_PARAMETERS) {
  return apply_at(by_columns ? column : row, by_columns ? row : column, value VALUE_ARGUMENTS);
}
#endif

#ifdef FOLDED
/// Each group folds `share` neighbouring elements; the host folds what they leave, in sums[group].
__kernel WORK_GROUP(LARGE_GROUP) void fold_csr_places(long rows, long size, long share,
                                                      uint by_columns, FOLDED identity,
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
    const REAL value = apply_there(by_columns, row, columns[k], values[k] VALUE_ARGUMENTS);
    folded = combine(folded, value FOLD_ARGUMENTS);
  }
  scratch[item] = folded;
  for (uint reach = LARGE_GROUP / 2; reach > 0; reach /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < reach) scratch[item] = combine(scratch[item], scratch[item + reach] FOLD_ARGUMENTS);
  }
  if (item == 0) sums[get_group_id(0)] = scratch[0];
}
#elif VALUE_OPERANDS == 1
/// values = f(row, column, values).
__kernel WORK_GROUP(GROUP) void map_csr_places(long rows, long size, uint by_columns,
                                               __global const OFFSET* offsets,
                                               __global const int* columns,
                                               __global REAL* values VALUE_PARAMETERS) {
  const long begin = (long)get_group_id(0) * (ELEMENTS_PER_ITEM * GROUP);
  const long end = min(begin + ELEMENTS_PER_ITEM * GROUP, size);
  long row = row_with(offsets, 0, rows - 1, begin);
  const long last = row_with(offsets, row, rows - 1, end - 1);
  for (long k = begin + (long)get_local_id(0); k < end; k += GROUP) {
    row = row_with(offsets, row, last, k);
    values[k] = apply_there(by_columns, row, columns[k], values[k] VALUE_ARGUMENTS);
  }
}
#else
#if VALUE_OPERANDS == 2
#define SECOND_BESIDE
#else
#define SECOND_BESIDE , second[column]
#endif

/// f of an element that is not zero and of those of one or two vectors beside the matrix: `first` has
/// one for each row, or for each column, and `second` one for each column.
static REAL apply_beside(long row, long column, REAL value, __global const REAL* first,
                         uint first_of_columns, __global const REAL* second VALUE_PARAMETERS) {
  const REAL result = apply_at(row, column, value,
                               first[first_of_columns ? column : row] SECOND_BESIDE
                               VALUE_ARGUMENTS);
  return value != 0 ? result : 0;
}

/// values = f(row, column, values, vectors).
__kernel WORK_GROUP(GROUP) void map_csr_beside(long rows, long size, uint by_columns,
                                               __global const OFFSET* offsets,
                                               __global const int* columns,
                                               __global REAL* values, __global const REAL* first,
                                               uint first_of_columns,
                                               __global const REAL* second VALUE_PARAMETERS) {
  const long begin = (long)get_group_id(0) * (ELEMENTS_PER_ITEM * GROUP);
  const long end = min(begin + ELEMENTS_PER_ITEM * GROUP, size);
  long row = row_with(offsets, 0, rows - 1, begin);
  const long last = row_with(offsets, row, rows - 1, end - 1);
  for (long k = begin + (long)get_local_id(0); k < end; k += GROUP) {
    row = row_with(offsets, row, last, k);
    const long column = columns[k];
    values[k] = apply_beside(by_columns ? column : row, by_columns ? row : column, values[k], first,
                             first_of_columns, second VALUE_ARGUMENTS);
  }
}

/// The same of a dense matrix.
__kernel WORK_GROUP(GROUP) void map_dense_beside(long size, long cols, __global REAL* values,
                                                 __global const REAL* first,
                                                 uint first_of_columns,
                                                 __global const REAL* second VALUE_PARAMETERS) {
  long i = (long)get_group_id(0) * (ELEMENTS_PER_ITEM * GROUP) + (long)get_local_id(0);
  for (int k = 0; k < ELEMENTS_PER_ITEM && i < size; ++k, i += GROUP) {
    const long row = i / cols;
    values[i] = apply_beside(row, i - row * cols, values[i], first, first_of_columns,
                             second VALUE_ARGUMENTS);
  }
}
#endif
