// The CSR arrays of the transpose of a matrix in CSR: from CSR to CSC, and back.
//
// Each work-group takes a stretch of rows, one row after another, and has counts of its own for all
// columns. Within a row no two elements are in the same column. So each element's place is found in a
// fixed order, without atomics.

/// Counts the elements of each stretch in each column.
__kernel WORK_GROUP(GROUP) void csc_count(long rows, long cols, __global const OFFSET* offsets,
                                          __global const int* columns, __global uint* counts) {
  const long stretch = (long)get_group_id(0);
  const long stretches = (long)get_num_groups(0);
  const long item = (long)get_local_id(0);
  __global uint* const mine = counts + stretch * cols;
  for (long j = item; j < cols; j += GROUP) mine[j] = 0;
  const long end = rows * (stretch + 1) / stretches;
  for (long i = rows * stretch / stretches; i < end; ++i) {
    barrier(CLK_GLOBAL_MEM_FENCE);
    const OFFSET row_end = offsets[i + 1];
    for (OFFSET k = offsets[i] + (OFFSET)item; k < row_end; k += GROUP) ++mine[columns[k]];
  }
}

/// One item for each column: what stretches before have there, instead of the counts, and their sum.
__kernel WORK_GROUP(GROUP) void csc_add_up(long cols, long stretches, __global uint* counts,
                                           __global uint* totals) {
  const long j = (long)get_global_id(0);
  if (j >= cols) return;
  uint total = 0;
  for (long stretch = 0; stretch < stretches; ++stretch) {
    const uint count = counts[stretch * cols + j];
    counts[stretch * cols + j] = total;
    total += count;
  }
  totals[j] = total;
}

/// Puts the elements of each stretch behind those of the stretches before, column by column.
__kernel WORK_GROUP(GROUP) void csc_fill(long rows, long cols, __global const OFFSET* offsets,
                                         __global const int* columns, __global const REAL* values,
                                         __global uint* counts, __global const OFFSET* starts,
                                         __global int* to_columns, __global REAL* to_values) {
  const long stretch = (long)get_group_id(0);
  const long stretches = (long)get_num_groups(0);
  const long item = (long)get_local_id(0);
  __global uint* const mine = counts + stretch * cols;
  const long end = rows * (stretch + 1) / stretches;
  for (long i = rows * stretch / stretches; i < end; ++i) {
    barrier(CLK_GLOBAL_MEM_FENCE);
    const OFFSET row_end = offsets[i + 1];
    for (OFFSET k = offsets[i] + (OFFSET)item; k < row_end; k += GROUP) {
      const int j = columns[k];
      const OFFSET place = starts[j] + (OFFSET)mine[j]++;
      to_columns[place] = (int)i;
      to_values[place] = values[k];
    }
  }
}

// The same element by element: each takes one of the places of its column, whichever is free, by an
// atomic counter; then it goes to the place that its row has among those of the column. No two are of
// the same row, so that the result does not depend on who came first.

/// Columns of so many elements at most compare all with all. In longer ones rows are marked.
#define COMPARED 256

__kernel WORK_GROUP(GROUP) void csc_clear(long size, __global uint* counts) {
  const long i = (long)get_global_id(0);
  if (i < size) counts[i] = 0;
}

__kernel WORK_GROUP(GROUP) void csc_count_each(long nnz, __global const int* columns,
                                               __global uint* counts) {
  const long k = (long)get_global_id(0);
  if (k < nnz) atomic_inc(counts + columns[k]);
}

/// The columns that are too long to compare, in any order, in `list`. In found[0] is how many they are,
/// in found[1] how many elements the longest has, and in found[2] how often work-groups that take one
/// each go over LARGE_GROUP elements. All are 0 before.
__kernel WORK_GROUP(GROUP) void csc_list_long(long cols, __global const uint* counts,
                                              __global uint* found, __global int* list) {
  const long j = (long)get_global_id(0);
  if (j >= cols || counts[j] <= COMPARED) return;
  list[atomic_inc(found)] = (int)j;
  atomic_max(found + 1, counts[j]);
  atomic_add(found + 2, counts[j] / LARGE_GROUP + 1);
}

/// Neighbouring elements of each item, a work-group apart.
#define PLACED_ITEMS 8
#define PLACED_TILE (GROUP * PLACED_ITEMS)

/// Puts each element into a place of its column. `counts` are 0 afterwards.
__kernel WORK_GROUP(GROUP) void csc_take_places(long rows, long nnz, __global const OFFSET* offsets,
                                                __global const int* columns,
                                                __global const REAL* values,
                                                __global const OFFSET* starts,
                                                __global uint* counts, __global int* to_rows,
                                                __global REAL* to_values) {
  const long begin = (long)get_group_id(0) * PLACED_TILE;
  const long end = min(begin + PLACED_TILE, nnz);
  long row = row_with(offsets, 0, rows - 1, begin);
  const long last = row_with(offsets, row, rows - 1, end - 1);
  for (long k = begin + (long)get_local_id(0); k < end; k += GROUP) {
    row = row_with(offsets, row, last, k);
    const int column = columns[k];
    const long place = (long)starts[column] + atomic_dec(counts + column) - 1;
    to_rows[place] = (int)row;
    to_values[place] = values[k];
  }
}

/// Brings the elements of each column into the order of their rows, but for long ones.
__kernel WORK_GROUP(GROUP) void csc_rank(long cols, long nnz, __global const OFFSET* starts,
                                         __global const int* rows, __global const REAL* values,
                                         __global int* to_rows, __global REAL* to_values) {
  const long begin = (long)get_group_id(0) * PLACED_TILE;
  const long end = min(begin + PLACED_TILE, nnz);
  long column = row_with(starts, 0, cols - 1, begin);
  const long last = row_with(starts, column, cols - 1, end - 1);
  for (long k = begin + (long)get_local_id(0); k < end; k += GROUP) {
    column = row_with(starts, column, last, k);
    const int row = rows[k];
    long place = (long)starts[column];
    const long column_end = (long)starts[column + 1];
    if (column_end - place > COMPARED) continue;
    for (long other = place, stop = column_end; other < stop; ++other) place += rows[other] < row;
    to_rows[place] = row;
    to_values[place] = values[k];
  }
}

/// Words of 32 rows that a group marks at a time, and its items count.
#define MARKED_WORDS 3840
#define WORDS_OF_ITEM (MARKED_WORDS / LARGE_GROUP)

/// What is marked before each word, and in `sums` up to the end of each item's words.
static void count_marked(__local const uint* marks, __local uint* before, __local uint* sums) {
  const uint item = (uint)get_local_id(0);
  const uint first = item * WORDS_OF_ITEM;
  uint own = 0;
  for (uint w = first; w < first + WORDS_OF_ITEM; ++w) own += popcount(marks[w]);
  sums[item] = own;
  for (uint step = 1; step < LARGE_GROUP; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    // By a branch, as in scan.cl.
    uint other = 0;
    if (item >= step) other = sums[item - step];
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[item] += other;
  }
  uint at = sums[item] - own;
  for (uint w = first; w < first + WORDS_OF_ITEM; ++w) {
    before[w] = at;
    at += popcount(marks[w]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

/// Brings the elements of one long column for each work-group into the order of their rows: marks the
/// rows, as many at a time as there is room for, and counts the marks before each.
__kernel WORK_GROUP(LARGE_GROUP) void csc_rank_long(long row_count, __global const int* list,
                                                    __global const OFFSET* starts,
                                                    __global const int* rows,
                                                    __global const REAL* values,
                                                    __global int* to_rows,
                                                    __global REAL* to_values) {
  __local uint marks[MARKED_WORDS];
  __local uint before[MARKED_WORDS];
  __local uint sums[LARGE_GROUP];
  const uint item = (uint)get_local_id(0);
  const int column = list[get_group_id(0)];
  const long begin = (long)starts[column];
  const long end = (long)starts[column + 1];
  long place = begin;
  for (long first = 0; first < row_count; first += 32 * MARKED_WORDS) {
    for (uint w = item; w < MARKED_WORDS; w += LARGE_GROUP) marks[w] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLLED_FOUR for (long k = begin + item; k < end; k += LARGE_GROUP) {
      const long row = rows[k] - first;
      if (row >= 0 && row < 32 * MARKED_WORDS) atomic_or(marks + row / 32, 1U << row % 32);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    count_marked(marks, before, sums);
    UNROLLED_FOUR for (long k = begin + item; k < end; k += LARGE_GROUP) {
      const long row = rows[k] - first;
      if (row < 0 || row >= 32 * MARKED_WORDS) continue;
      const uint below = marks[row / 32] & ((1U << row % 32) - 1);
      const long to = place + before[row / 32] + popcount(below);
      to_rows[to] = rows[k];
      to_values[to] = values[k];
    }
    place += sums[LARGE_GROUP - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// The same by sorting the elements by their columns, least significant digits first: for matrices that
// are too wide for many stretches of rows to have counts of their own, and have columns too long to
// rank. Every pass keeps the order of elements with equal digits, so that of a column they stay in the
// order of the rows.

#define DIGIT_BITS 4
#define DIGITS (1 << DIGIT_BITS)
// Elements of each item, which are neighbours.
#define SORTED_ITEMS 8
#define SORTED_TILE (GROUP * SORTED_ITEMS)

static uint digit_of(int column, uint shift) { return (uint)column >> shift & (DIGITS - 1); }

/// The row of each element.
__kernel WORK_GROUP(GROUP) void csc_rows(long rows, long nnz, __global const OFFSET* offsets,
                                         __global int* row_of) {
  const long k = (long)get_global_id(0);
  if (k >= nnz) return;
  row_of[k] = (int)row_with(offsets, 0, rows - 1, k);
}

/// Counts the digits of this group's elements: digit by digit, one count for each item.
static void count_digits(__local ushort* counts, long nnz, uint shift,
                         __global const int* columns) {
  const uint item = (uint)get_local_id(0);
  const long first = (long)get_group_id(0) * SORTED_TILE + item * SORTED_ITEMS;
  for (uint digit = 0; digit < DIGITS; ++digit) counts[digit * GROUP + item] = 0;
  for (long k = first; k < min(first + SORTED_ITEMS, nnz); ++k) {
    ++counts[digit_of(columns[k], shift) * GROUP + item];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

/// The elements of each group that have each digit, digit by digit.
__kernel WORK_GROUP(GROUP) void csc_digits(long nnz, uint shift, __global const int* columns,
                                           __global uint* totals) {
  __local ushort counts[DIGITS * GROUP];
  count_digits(counts, nnz, shift, columns);
  for (uint digit = (uint)get_local_id(0); digit < DIGITS; digit += GROUP) {
    uint total = 0;
    for (uint item = 0; item < GROUP; ++item) total += counts[digit * GROUP + item];
    totals[digit * get_num_groups(0) + get_group_id(0)] = total;
  }
}

/// Turns counts into what stands before each.
static void add_up_counts(__local ushort* counts, __local ushort* sums) {
  const uint item = (uint)get_local_id(0);
  __local ushort* const mine = counts + item * DIGITS;
  uint own = 0;
  for (uint i = 0; i < DIGITS; ++i) own += mine[i];
  sums[item] = (ushort)own;
  for (uint step = 1; step < GROUP; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint before = item >= step ? sums[item - step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[item] += (ushort)before;
  }
  uint before = sums[item] - own;
  for (uint i = 0; i < DIGITS; ++i) {
    const uint count = mine[i];
    mine[i] = (ushort)before;
    before += count;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

/// Puts the elements into the order of a digit. `starts` has the first place of each group's for each
/// digit, as `csc_digits` counts them.
__kernel WORK_GROUP(GROUP) void csc_sort(long nnz, uint shift, __global const OFFSET* starts,
                                         __global const int* columns, __global const int* row_of,
                                         __global const REAL* values, __global int* to_columns,
                                         __global int* to_row_of, __global REAL* to_values) {
  __local ushort places[DIGITS * GROUP];
  __local ushort sums[GROUP];
  __local ushort begins[DIGITS];
  const uint item = (uint)get_local_id(0);
  count_digits(places, nnz, shift, columns);
  add_up_counts(places, sums);
  for (uint digit = item; digit < DIGITS; digit += GROUP) begins[digit] = places[digit * GROUP];
  barrier(CLK_LOCAL_MEM_FENCE);
  const long first = (long)get_group_id(0) * SORTED_TILE + item * SORTED_ITEMS;
  for (long k = first; k < min(first + SORTED_ITEMS, nnz); ++k) {
    const int column = columns[k];
    const uint digit = digit_of(column, shift);
    const uint in_group = places[digit * GROUP + item]++ - begins[digit];
    const long place = (long)starts[digit * get_num_groups(0) + get_group_id(0)] + in_group;
    to_columns[place] = column;
    to_row_of[place] = row_of[k];
    to_values[place] = values[k];
  }
}

/// Where each column begins among elements that are in the order of their columns.
__kernel WORK_GROUP(GROUP) void csc_starts(long cols, long nnz, __global const int* columns,
                                           __global OFFSET* starts) {
  const long j = (long)get_global_id(0);
  if (j > cols) return;
  long low = 0, high = nnz;
  while (low < high) {
    const long middle = low + (high - low) / 2;
    if (columns[middle] < j) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  starts[j] = (OFFSET)low;
}
