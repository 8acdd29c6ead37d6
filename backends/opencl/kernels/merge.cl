// C = f(A, B, ...) of matrices in CSR, wherever any has an element, with f recorded from the program: see
// recorded_text.hpp for what stands before. Each item walks along one row of all of them side by side.
// The first launch counts the results that are not zero, the second computes them again and stores them.

/// Where an item stands in its row of one matrix.
typedef struct {
  __global const int* columns;
  __global const REAL* values;
  OFFSET at;
  OFFSET end;
} Walk;

/// Behind the last column: no matrix has so many.
#define NO_COLUMN INT_MAX

/// The next column in which any has an element.
INLINED int next_column(const Walk* walks) {
  int column = NO_COLUMN;
  UNROLLED for (int k = 0; k < VALUE_OPERANDS; ++k) {
    if (walks[k].at < walks[k].end) column = min(column, walks[k].columns[walks[k].at]);
  }
  return column;
}

/// f of the elements in that column, which all walks leave behind.
INLINED REAL merged(Walk* walks, long row, int column VALUE_PARAMETERS) {
  REAL values[VALUE_OPERANDS];
  UNROLLED for (int k = 0; k < VALUE_OPERANDS; ++k) {
    values[k] = 0;
    if (walks[k].at < walks[k].end && walks[k].columns[walks[k].at] == column) {
      values[k] = walks[k].values[walks[k].at];
      ++walks[k].at;
    }
  }
  return apply_at(row, column, MERGED_VALUES VALUE_ARGUMENTS);
}

/// The elements of each row of the result.
__kernel WORK_GROUP(64) void merge_count(long rows, __global uint* counts MERGE_PARAMETERS
                                         VALUE_PARAMETERS) {
  const long row = (long)get_global_id(0);
  if (row >= rows) return;
  Walk walks[VALUE_OPERANDS] = {MERGE_WALKS};
  uint count = 0;
  for (int column = next_column(walks); column != NO_COLUMN; column = next_column(walks)) {
    count += merged(walks, row, column VALUE_ARGUMENTS) != 0 ? 1 : 0;
  }
  counts[row] = count;
}

/// The result, whose rows begin where `offsets` says.
__kernel WORK_GROUP(64) void merge_fill(long rows, __global const OFFSET* offsets,
                                        __global int* columns,
                                        __global REAL* values MERGE_PARAMETERS VALUE_PARAMETERS) {
  const long row = (long)get_global_id(0);
  if (row >= rows) return;
  Walk walks[VALUE_OPERANDS] = {MERGE_WALKS};
  OFFSET at = offsets[row];
  for (int column = next_column(walks); column != NO_COLUMN; column = next_column(walks)) {
    const REAL value = merged(walks, row, column VALUE_ARGUMENTS);
    if (value != 0) {
      columns[at] = column;
      values[at] = value;
      ++at;
    }
  }
}
