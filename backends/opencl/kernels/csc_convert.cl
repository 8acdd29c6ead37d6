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
  const long begin = (long)get_group_id(0) * TILE;
  const long end = min(begin + TILE, nnz);
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
  uint items[TILE_ITEMS];
  UNROLLED
  for (uint i = 0; i < TILE_ITEMS; ++i) items[i] = ballot(own + i * TEAM < size);
  // Bit by bit for all elements: no ballot waits for the one before. Those beyond `bits` are 0.
  UNROLLED
  for (uint bit = 0; bit < DIGIT_BITS; ++bit) {
    UNROLLED
    for (uint i = 0; i < TILE_ITEMS; ++i) {
      const bool is_set = digit_of(column[i], shift, bits) >> bit & 1;
      const uint set = ballot(is_set);
      items[i] &= is_set ? set : ~set;
    }
  }
  const uint below = (1U << lane_of(TEAM)) - 1;
  UNROLLED
  for (uint i = 0; i < TILE_ITEMS; ++i) {
    same[i] = (uint2)(popcount(items[i] & below), popcount(items[i]));
  }
#else
  const uint item = (uint)get_local_id(0);
  for (uint i = 0; i < TILE_ITEMS; ++i) {
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

/// A tile's columns, rows or values.
typedef union {
  int integers[TILE];
  REAL values[TILE];
} SortedTile;

/// Puts the elements into the order of a digit: first in local memory, so that neighbours are written
/// to neighbouring places. `starts` has the first place of each group's for each digit, as `csc_digits`
/// counts them. In the `first` pass rows are found by `offsets` and those of the tiles.
__kernel WORK_GROUP(LARGE_GROUP) void csc_sort(
    long nnz, uint shift, uint bits, uint first, __global const OFFSET* starts,
    __global const OFFSET* offsets, __global const long* tile_rows, __global const int* columns,
    __global const int* row_of, __global const REAL* values, __global int* to_columns,
    __global int* to_row_of, __global REAL* to_values) {
  __local uint counts[TEAMS * DIGITS];
  __local uint sums[LARGE_GROUP];
  __local OFFSET shifts[DIGITS];
  __local SortedTile sorted;
  const uint item = (uint)get_local_id(0);
  const uint team = item / TEAM;
  const long begin = (long)get_group_id(0) * TILE;
  const uint size = (uint)min((long)TILE, nnz - begin);
  // An item's elements are a team apart: those of a team are asked for together.
  const uint own = team * TEAM * TILE_ITEMS + lane_of(TEAM);
  TileRows rows = {0, 0};
  if (first) {
    rows = (TileRows){tile_rows[get_group_id(0)], tile_rows[get_group_id(0) + 1]};
    mark_rows(rows, offsets, begin, size, sorted.integers, sums);
  }
  int column[TILE_ITEMS];
  int row[TILE_ITEMS];
  uint place[TILE_ITEMS];
  UNROLLED
  for (uint i = 0; i < TILE_ITEMS; ++i) {
    const uint k = own + i * TEAM;
    column[i] = k < size ? columns[begin + k] : 0;
    row[i] = 0;
    if (k < size) {
      row[i] = first ? (int)row_of_element(rows, offsets, begin, k, sorted.integers)
                     : row_of[begin + k];
    }
  }
  for (uint k = item; k < TEAMS * DIGITS; k += LARGE_GROUP) counts[k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint2 same[TILE_ITEMS];
  same_digits(column, own, size, shift, bits, sums, same);
  UNROLLED
  for (uint i = 0; i < TILE_ITEMS; ++i) {
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
  for (uint i = 0; i < TILE_ITEMS; ++i) {
    place[i] += counts[team * DIGITS + digit_of(column[i], shift, bits)];
    if (own + i * TEAM < size) sorted.integers[place[i]] = column[i];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  OFFSET to[TILE_ITEMS];
  UNROLLED
  for (uint i = 0; i < TILE_ITEMS; ++i) {
    const uint k = i * LARGE_GROUP + item;
    to[i] = 0;
    if (k >= size) continue;
    to[i] = shifts[digit_of(sorted.integers[k], shift, bits)] + (OFFSET)k;
    to_columns[to[i]] = sorted.integers[k];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  UNROLLED
  for (uint i = 0; i < TILE_ITEMS; ++i) {
    if (own + i * TEAM < size) sorted.integers[place[i]] = row[i];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  UNROLLED
  for (uint i = 0; i < TILE_ITEMS; ++i) {
    if (i * LARGE_GROUP + item < size) to_row_of[to[i]] = sorted.integers[i * LARGE_GROUP + item];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  UNROLLED
  for (uint i = 0; i < TILE_ITEMS; ++i) {
    if (own + i * TEAM < size) sorted.values[place[i]] = values[begin + own + i * TEAM];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  UNROLLED
  for (uint i = 0; i < TILE_ITEMS; ++i) {
    if (i * LARGE_GROUP + item < size) to_values[to[i]] = sorted.values[i * LARGE_GROUP + item];
  }
}

/// Where each column begins among elements that are in the order of their columns.
__kernel WORK_GROUP(GROUP) void csc_starts(long cols, long nnz, __global const int* columns,
                                           __global OFFSET* starts) {
  const long j = (long)get_global_id(0);
  if (j <= cols) starts[j] = (OFFSET)first_not_below(columns, nnz, j);
}
