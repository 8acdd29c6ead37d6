// C = f(A, B, ...) of matrices in CSR, wherever any has an element, with f recorded from the program:
// see recorded_text.hpp for what stands before. Each item walks along one row of all of them side by
// side; along a long row all items of a work-group walk together, each between two columns. The first
// launch counts the results that are not zero, the second computes them again (in long rows twice, so
// that each item knows where its own begin) and stores them.

/// Items of a work-group, and the rows that they take.
#define MERGE_GROUP 64
/// Elements of a row, those of all operands together, from which on it is long.
#define LONG_ROW 1024

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

INLINED long length_of(const Walk* walks) {
  long length = 0;
  UNROLLED for (int k = 0; k < VALUE_OPERANDS; ++k) length += walks[k].end - walks[k].at;
  return length;
}

/// The results on the way that are not zero.
INLINED uint count_of(Walk* walks, long row VALUE_PARAMETERS) {
  uint count = 0;
  for (int column = next_column(walks); column != NO_COLUMN; column = next_column(walks)) {
    count += merged(walks, row, column VALUE_ARGUMENTS) != 0 ? 1 : 0;
  }
  return count;
}

/// Stores them from there on.
INLINED void store(Walk* walks, long row, OFFSET at, __global int* columns,
                   __global REAL* values VALUE_PARAMETERS) {
  for (int column = next_column(walks); column != NO_COLUMN; column = next_column(walks)) {
    const REAL value = merged(walks, row, column VALUE_ARGUMENTS);
    if (value != 0) {
      columns[at] = column;
      values[at] = value;
      ++at;
    }
  }
}

/// This item's part of the way along a row: from one column to another, such that all items have
/// equal parts of the longest operand.
INLINED void take_part(Walk* walks) {
  const long item = (long)get_local_id(0);
  Walk whole = walks[0];
  UNROLLED for (int k = 1; k < VALUE_OPERANDS; ++k) {
    if (walks[k].end - walks[k].at > whole.end - whole.at) whole = walks[k];
  }
  const long length = whole.end - whole.at;
  const long share = length / MERGE_GROUP + 1;
  __global const int* const columns = whole.columns + whole.at;
  const int first = item == 0 ? INT_MIN : columns[min(item * share, length - 1)];
  const int last = columns[min((item + 1) * share, length - 1)];
  UNROLLED for (int k = 0; k < VALUE_OPERANDS; ++k) {
    __global const int* const row = walks[k].columns + walks[k].at;
    const long all = walks[k].end - walks[k].at;
    const OFFSET begin = walks[k].at;
    walks[k].at = begin + (OFFSET)first_not_below(row, all, first);
    if (item + 1 < MERGE_GROUP) walks[k].end = begin + (OFFSET)first_not_below(row, all, last);
  }
}

/// The rows of a work-group that all items take together.
typedef struct {
  uint count;
  uchar rows[MERGE_GROUP];
} LongRows;

/// Puts this item's row among them if it is long. Their order does not matter. Two barriers.
INLINED void note_long(__local LongRows* long_rows, bool is_long) {
  const uint item = (uint)get_local_id(0);
  if (item == 0) long_rows->count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (is_long) long_rows->rows[atomic_inc(&long_rows->count)] = (uchar)item;
  barrier(CLK_LOCAL_MEM_FENCE);
}

/// The elements of each row of the result.
__kernel WORK_GROUP(MERGE_GROUP) void merge_count(long rows, __global uint* counts MERGE_PARAMETERS
                                                  VALUE_PARAMETERS) {
  __local LongRows long_rows;
  __local uint parts[MERGE_GROUP];
  const uint item = (uint)get_local_id(0);
  const long first = (long)get_group_id(0) * MERGE_GROUP;
  {
    const long row = min(first + item, rows - 1);
    const bool is_there = first + item < rows;
    Walk walks[VALUE_OPERANDS] = {MERGE_WALKS};
    const bool is_long = is_there && length_of(walks) >= LONG_ROW;
    note_long(&long_rows, is_long);
    if (is_there && !is_long) counts[row] = count_of(walks, row VALUE_ARGUMENTS);
  }
  for (uint k = 0; k < long_rows.count; ++k) {
    const long row = first + long_rows.rows[k];
    Walk walks[VALUE_OPERANDS] = {MERGE_WALKS};
    take_part(walks);
    parts[item] = count_of(walks, row VALUE_ARGUMENTS);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint count = 0;
    for (uint part = 0; part < MERGE_GROUP; ++part) count += parts[part];
    if (item == 0) counts[row] = count;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

/// The result, whose rows begin where `offsets` says.
__kernel WORK_GROUP(MERGE_GROUP) void merge_fill(long rows, __global const OFFSET* offsets,
                                                 __global int* columns,
                                                 __global REAL* values MERGE_PARAMETERS
                                                 VALUE_PARAMETERS) {
  __local LongRows long_rows;
  __local uint parts[MERGE_GROUP];
  const uint item = (uint)get_local_id(0);
  const long first = (long)get_group_id(0) * MERGE_GROUP;
  {
    const long row = min(first + item, rows - 1);
    const bool is_there = first + item < rows;
    Walk walks[VALUE_OPERANDS] = {MERGE_WALKS};
    const bool is_long = is_there && length_of(walks) >= LONG_ROW;
    note_long(&long_rows, is_long);
    if (is_there && !is_long) store(walks, row, offsets[row], columns, values VALUE_ARGUMENTS);
  }
  for (uint k = 0; k < long_rows.count; ++k) {
    const long row = first + long_rows.rows[k];
    Walk walks[VALUE_OPERANDS] = {MERGE_WALKS};
    take_part(walks);
    Walk counted[VALUE_OPERANDS];
    UNROLLED for (int w = 0; w < VALUE_OPERANDS; ++w) counted[w] = walks[w];
    parts[item] = count_of(counted, row VALUE_ARGUMENTS);
    barrier(CLK_LOCAL_MEM_FENCE);
    OFFSET at = offsets[row];
    for (uint part = 0; part < item; ++part) at += parts[part];
    store(walks, row, at, columns, values VALUE_ARGUMENTS);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
