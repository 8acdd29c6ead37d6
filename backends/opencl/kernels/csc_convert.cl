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

// The same by sorting the elements by their columns, least significant digits first. Every pass keeps the
// order of elements with equal digits, so that those of a column stay in the order of the rows.

#define DIGIT_BITS 8
#define DIGITS (1 << DIGIT_BITS)
/// Elements of each item.
#define SORTED_ITEMS 8
#define SORTED_TILE (LARGE_GROUP * SORTED_ITEMS)

// Items that find out together which of them have the same digit.
#ifdef NVIDIA_WARP
#define TEAM NVIDIA_WARP
#else
#define TEAM LARGE_GROUP
#endif
#define TEAMS (LARGE_GROUP / TEAM)

static uint digit_of(int column, uint shift, uint bits) {
  return (uint)column >> shift & ((1U << bits) - 1);
}

/// The elements of each group that have each digit, digit by digit.
__kernel WORK_GROUP(LARGE_GROUP) void csc_digits(long nnz, uint shift, uint bits,
                                                 __global const int* columns,
                                                 __global uint* totals) {
  __local uint counts[DIGITS];
  const uint item = (uint)get_local_id(0);
  for (uint digit = item; digit < DIGITS; digit += LARGE_GROUP) counts[digit] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const long begin = (long)get_group_id(0) * SORTED_TILE;
  const long end = min(begin + SORTED_TILE, nnz);
  for (long k = begin + item; k < end; k += LARGE_GROUP) {
    atomic_inc(counts + digit_of(columns[k], shift, bits));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint digit = item; digit >> bits == 0; digit += LARGE_GROUP) {
    totals[digit * get_num_groups(0) + get_group_id(0)] = counts[digit];
  }
}

/// Of the elements of one item, which are a team apart: how many items of the team have an element
/// with the same digit in the same round, in `y`, and how many of them stand before it, in `x`. From
/// element `size` on, of the tile, there are none; `own` is the item's first. All items of the team
/// come here.
static void same_digits(const int* column, uint own, uint size, uint shift, uint bits,
                        __local uint* scratch, uint2* same) {
#ifdef NVIDIA_WARP
  (void)scratch;
  uint items[SORTED_ITEMS];
  UNROLLED
  for (uint i = 0; i < SORTED_ITEMS; ++i) items[i] = ballot(own + i * TEAM < size);
  // Bit by bit for all elements: no ballot waits for the one before. Those beyond `bits` are 0.
  UNROLLED
  for (uint bit = 0; bit < DIGIT_BITS; ++bit) {
    UNROLLED
    for (uint i = 0; i < SORTED_ITEMS; ++i) {
      const bool is_set = digit_of(column[i], shift, bits) >> bit & 1;
      const uint set = ballot(is_set);
      items[i] &= is_set ? set : ~set;
    }
  }
  const uint below = (1U << lane_of(TEAM)) - 1;
  UNROLLED
  for (uint i = 0; i < SORTED_ITEMS; ++i) {
    same[i] = (uint2)(popcount(items[i] & below), popcount(items[i]));
  }
#else
  const uint item = (uint)get_local_id(0);
  for (uint i = 0; i < SORTED_ITEMS; ++i) {
    const uint digit = digit_of(column[i], shift, bits);
    scratch[item] = own + i * TEAM < size ? digit : DIGITS;
    barrier(CLK_LOCAL_MEM_FENCE);
    same[i] = 0;
    for (uint other = 0; other < LARGE_GROUP; ++other) {
      const uint is_same = scratch[other] == digit;
      same[i] += (uint2)(other < item ? is_same : 0, is_same);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#endif
}

/// Turns the `value` of each item into the sum, or the maximum, of those up to it.
static void scan_items(uint value, bool is_sum, __local uint* scanned) {
  const uint item = (uint)get_local_id(0);
  scanned[item] = value;
  for (uint step = 1; step < LARGE_GROUP; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    // By a branch, as in scan.cl.
    uint before = 0;
    if (item >= step) before = scanned[item - step];
    barrier(CLK_LOCAL_MEM_FENCE);
    scanned[item] = is_sum ? scanned[item] + before : max(scanned[item], before);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

/// Turns the teams' counts of each digit into what stands before each: smaller digits, and those of
/// teams before.
static void add_up_digits(__local uint* counts, __local uint* sums) {
  const uint item = (uint)get_local_id(0);
  const uint each = (DIGITS + LARGE_GROUP - 1) / LARGE_GROUP;
  const uint first = min(item * each, (uint)DIGITS), end = min(first + each, (uint)DIGITS);
  uint own = 0;
  for (uint digit = first; digit < end; ++digit) {
    for (uint team = 0; team < TEAMS; ++team) own += counts[team * DIGITS + digit];
  }
  scan_items(own, true, sums);
  uint at = sums[item] - own;
  for (uint digit = first; digit < end; ++digit) {
    for (uint team = 0; team < TEAMS; ++team) {
      const uint count = counts[team * DIGITS + digit];
      counts[team * DIGITS + digit] = at;
      at += count;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

/// The row of the first element of each tile, and of the last of all.
__kernel WORK_GROUP(GROUP) void csc_tile_rows(long tiles, long rows, long nnz,
                                              __global const OFFSET* offsets,
                                              __global int* tile_rows) {
  const long tile = (long)get_global_id(0);
  if (tile > tiles) return;
  tile_rows[tile] = (int)row_with(offsets, 0, rows - 1, min(tile * SORTED_TILE, nnz - 1));
}

/// Rows between two tiles from which on each element's row is searched for.
#define MANY_ROWS (8L * SORTED_TILE)

/// Puts the row of each element of a tile into `row_of`. Each row that is not empty marks its first
/// element; a maximum of all marks up to an element is its row.
static void find_rows(__global const OFFSET* offsets, __global const int* tile_rows, long begin,
                      uint size, __local int* row_of, __local uint* scanned) {
  const uint item = (uint)get_local_id(0);
  const long first = tile_rows[get_group_id(0)];
  const long last = tile_rows[get_group_id(0) + 1];
  if (last - first > MANY_ROWS) {
    for (uint k = item; k < size; k += LARGE_GROUP) {
      row_of[k] = (int)row_with(offsets, first, last, begin + k);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return;
  }
  for (uint k = item; k < SORTED_TILE; k += LARGE_GROUP) row_of[k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (long row = first + 1 + item; row <= last; row += LARGE_GROUP) {
    const long k = offsets[row] - begin;
    if (k < size && offsets[row + 1] > offsets[row]) row_of[k] = (int)(row - first);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  __local int* const own = row_of + item * SORTED_ITEMS;
  int largest = 0;
  for (uint i = 0; i < SORTED_ITEMS; ++i) largest = max(largest, own[i]);
  scan_items((uint)largest, false, scanned);
  largest = item > 0 ? (int)scanned[item - 1] : 0;
  for (uint i = 0; i < SORTED_ITEMS; ++i) {
    largest = max(largest, own[i]);
    own[i] = (int)first + largest;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

/// A tile's columns, rows or values.
typedef union {
  int integers[SORTED_TILE];
  REAL values[SORTED_TILE];
} SortedTile;

/// Puts the elements into the order of a digit: first in local memory, so that neighbours are written
/// to neighbouring places. `starts` has the first place of each group's for each digit, as `csc_digits`
/// counts them. In the `first` pass rows are found by `offsets`, and `row_of` has those of the tiles.
__kernel WORK_GROUP(LARGE_GROUP) void csc_sort(
    long nnz, uint shift, uint bits, uint first, __global const OFFSET* starts,
    __global const OFFSET* offsets, __global const int* columns, __global const int* row_of,
    __global const REAL* values, __global int* to_columns, __global int* to_row_of,
    __global REAL* to_values) {
  __local uint counts[TEAMS * DIGITS];
  __local uint sums[LARGE_GROUP];
  __local OFFSET shifts[DIGITS];
  __local SortedTile sorted;
  const uint item = (uint)get_local_id(0);
  const uint team = item / TEAM;
  const long begin = (long)get_group_id(0) * SORTED_TILE;
  const uint size = (uint)min((long)SORTED_TILE, nnz - begin);
  // An item's elements are a team apart: those of a team are asked for together.
  const uint own = team * TEAM * SORTED_ITEMS + lane_of(TEAM);
  if (first) find_rows(offsets, row_of, begin, size, sorted.integers, sums);
  int column[SORTED_ITEMS];
  int row[SORTED_ITEMS];
  uint place[SORTED_ITEMS];
  UNROLLED
  for (uint i = 0; i < SORTED_ITEMS; ++i) {
    const uint k = own + i * TEAM;
    column[i] = k < size ? columns[begin + k] : 0;
    row[i] = first ? sorted.integers[k] : k < size ? row_of[begin + k] : 0;
  }
  for (uint k = item; k < TEAMS * DIGITS; k += LARGE_GROUP) counts[k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint2 same[SORTED_ITEMS];
  same_digits(column, own, size, shift, bits, sums, same);
  UNROLLED
  for (uint i = 0; i < SORTED_ITEMS; ++i) {
    __local uint* const count = counts + team * DIGITS + digit_of(column[i], shift, bits);
    const uint before = *count;
    meet_team();
    const bool is_last = same[i].x + 1 == same[i].y;
    if (own + i * TEAM < size && is_last) *count = before + same[i].y;
    meet_team();
    place[i] = before + same[i].x;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  add_up_digits(counts, sums);
  for (uint digit = item; digit >> bits == 0; digit += LARGE_GROUP) {
    shifts[digit] = starts[digit * get_num_groups(0) + get_group_id(0)] - (OFFSET)counts[digit];
  }
  UNROLLED
  for (uint i = 0; i < SORTED_ITEMS; ++i) {
    place[i] += counts[team * DIGITS + digit_of(column[i], shift, bits)];
    if (own + i * TEAM < size) sorted.integers[place[i]] = column[i];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  OFFSET to[SORTED_ITEMS];
  UNROLLED
  for (uint i = 0; i < SORTED_ITEMS; ++i) {
    const uint k = i * LARGE_GROUP + item;
    to[i] = 0;
    if (k >= size) continue;
    to[i] = shifts[digit_of(sorted.integers[k], shift, bits)] + (OFFSET)k;
    to_columns[to[i]] = sorted.integers[k];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  UNROLLED
  for (uint i = 0; i < SORTED_ITEMS; ++i) {
    if (own + i * TEAM < size) sorted.integers[place[i]] = row[i];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  UNROLLED
  for (uint i = 0; i < SORTED_ITEMS; ++i) {
    if (i * LARGE_GROUP + item < size) to_row_of[to[i]] = sorted.integers[i * LARGE_GROUP + item];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  UNROLLED
  for (uint i = 0; i < SORTED_ITEMS; ++i) {
    if (own + i * TEAM < size) sorted.values[place[i]] = values[begin + own + i * TEAM];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  UNROLLED
  for (uint i = 0; i < SORTED_ITEMS; ++i) {
    if (i * LARGE_GROUP + item < size) to_values[to[i]] = sorted.values[i * LARGE_GROUP + item];
  }
}

/// Where each column begins among elements that are in the order of their columns.
__kernel WORK_GROUP(GROUP) void csc_starts(long cols, long nnz, __global const int* columns,
                                           __global OFFSET* starts) {
  const long j = (long)get_global_id(0);
  if (j <= cols) starts[j] = (OFFSET)first_not_below(columns, nnz, j);
}
