// y = alpha A x + beta y with A in coordinates, sorted by row. OFFSET is the type of a row's index.
//
// Every work-group takes a tile of as many elements, whatever the rows. Each item of it sums
// MERGE_ITEMS neighbouring elements, and a scan over the items adds what belongs to one row. The
// rows without elements before an element belong to that element's tile.
//
// A row may lie in several tiles. Each but the last of them publishes what it summed of the row. The
// tile in which the row ends adds these sums, in a fixed order and without atomics: after its own
// work where a work-group may wait for those of lower index, else in a second launch.

#define TILE (GROUP * MERGE_ITEMS)
/// So many rows without elements one item takes alone; the whole work-group takes longer gaps.
#define SHORT_GAP 16

// What is kept beside a matrix, in words of 64 bits: what each tile published; with a second launch,
// what each tile summed of the row that it ends and did not begin. The host counts on this layout.

static __global REAL* heads_in(__global ulong* kept, long tiles) {
  return (__global REAL*)(kept + tiles * PUBLISHED_WORDS);
}

/// Nothing is published yet.
__kernel WORK_GROUP(GROUP) void coo_clear(long words, __global ulong* kept) {
  const long w = (long)get_global_id(0);
  if (w < words) kept[w] = 0;
}

/// The tile in which the row begins whose last element before tile `t` > 0 is the one before that
/// tile.
static long first_tile_of(OFFSET row, long t, __global const OFFSET* row_of) {
  long low = 0, high = t - 1;
  // Few rows are longer than a tile.
  if (high == 0 || row_of[high * TILE - 1] < row) return high;
  while (low < high) {
    const long middle = low + (high - low) / 2;
    if (row_of[(middle + 1) * TILE - 1] < row) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Rows without elements: every `items`-th from `first` to before `end`.
static void write_empty_rows(long first, long end, uint items, REAL alpha, REAL beta,
                             __global REAL* y) {
  for (long row = first; row < end; row += items) y[row] = updated(alpha, 0, beta, y, row);
}

/// One work-group for each tile; element 0 is at `first`. Without `rows`, which is 0 then, rows without elements are not
/// touched. `kept` is not used where there is one tile.
__kernel WORK_GROUP(GROUP) void coo_tiles(long rows, long nonzeros, long first, __global const OFFSET* row_of,
                                          __global const int* columns,
                                          __global const REAL* values, REAL alpha,
                                          __global const REAL* x, REAL beta, __global REAL* y,
                                          __global ulong* kept, uint launch) {
  __local REAL products[TILE];
  __local OFFSET owners[TILE + 2];  // the row of element j at j + 1, and of its neighbours
  __local ushort long_gaps[TILE + 1];
  __local uint gaps;
  __local REAL sums[GROUP];
  __local uint flags[GROUP];
  __local REAL head;
  const uint item = (uint)get_local_id(0);
  const long t = (long)get_group_id(0);
  const long begin = t * TILE;
  const uint count = (uint)min((long)TILE, nonzeros - begin);
  const bool is_last_tile = begin + count == nonzeros;
  int column[MERGE_ITEMS];
  REAL product[MERGE_ITEMS];
  // Every item reads as often, the last element again where there is none of its own: no load waits
  // for a branch or for another's product.
#pragma unroll
  for (uint i = 0; count > 0 && i < MERGE_ITEMS; ++i) {
    const uint j = min(i * GROUP + item, count - 1);
    column[i] = streamed_int(columns + (first + begin) + j);
    product[i] = streamed_real(values + (first + begin) + j);
    owners[j + 1] = row_of[begin + j];
  }
#pragma unroll
  for (uint i = 0; count > 0 && i < MERGE_ITEMS; ++i) {
    products[i * GROUP + item] = product[i] * x[column[i]];
  }
  if (item == 0) {
    owners[0] = begin > 0 ? row_of[begin - 1] : -1;
    owners[count + 1] = is_last_tile ? -1 : row_of[begin + count];
    gaps = 0;
    head = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  // Each item walks along its own elements, and keeps the sum at each row's end.
  const uint from = min(item * MERGE_ITEMS, count);
  const uint to = min(from + MERGE_ITEMS, count);
  REAL kept_sums[MERGE_ITEMS];
  uint is_end = 0;
  REAL sum = 0;
#pragma unroll
  for (uint i = 0; i < MERGE_ITEMS; ++i) {
    // Without branches; what is read beyond the last element is not used.
    const uint j = min(from + i, (uint)TILE - 1);
    const bool is_element = from + i < to;
    const bool ends = is_element && owners[j + 1] != owners[j + 2];
    sum += is_element ? products[j] : 0;
    kept_sums[i] = sum;
    sum = ends ? 0 : sum;
    is_end |= (uint)ends << i;
  }
  REAL last;
  REAL carried = carried_in(sum, is_end != 0, sums, flags, &last);
  const OFFSET row_before = owners[0];
  const OFFSET last_row = owners[count];
  const bool goes_on = count > 0 && last_row == owners[count + 1];
  if (item == 0 && goes_on) publish(kept + t * PUBLISHED_WORDS, launch, last);

#pragma unroll
  for (uint i = 0; i < MERGE_ITEMS; ++i) {
    if ((is_end >> i) & 1) {
      const OFFSET row = owners[from + i + 1];
      const REAL whole = kept_sums[i] + carried;
      carried = 0;
      if (row == row_before) {
        head = whole;
      } else {
        y[row] = updated(alpha, whole, beta, y, row);
      }
    }
  }
  if (rows > 0) {
    for (uint j = from; j < to; ++j) {
      const OFFSET empty = owners[j] + 1, end = owners[j + 1];
      if (end - empty > SHORT_GAP) {
        long_gaps[atomic_inc(&gaps)] = (ushort)j;
      } else {
        write_empty_rows(empty, end, 1, alpha, beta, y);
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (rows > 0) {
    const uint long_ones = gaps;
    for (uint g = 0; g < long_ones; ++g) {
      const uint j = long_gaps[g];
      write_empty_rows((long)owners[j] + 1 + item, owners[j + 1], GROUP, alpha, beta, y);
    }
    if (is_last_tile) write_empty_rows((long)last_row + 1 + item, rows, GROUP, alpha, beta, y);
  }
#ifdef NVIDIA_WARP
  // Whether a row that began before this tile ends in it.
  const bool is_left = begin > 0 && row_before == owners[1] && !(goes_on && last_row == row_before);
  if (!is_left) return;
  const long first_tile = first_tile_of(row_before, t, row_of);
  const REAL before = sum_of_published(kept, first_tile, t, launch, sums);
  if (item == 0) y[row_before] = updated(alpha, before + head, beta, y, row_before);
#else
  if (item == 0 && begin > 0) heads_in(kept, (long)get_num_groups(0))[t] = head;
#endif
}

/// Where work-groups may not wait for others: one for each tile finishes the row that ends in it
/// and began before.
__kernel WORK_GROUP(GROUP) void coo_finish(long tiles, long nonzeros,
                                           __global const OFFSET* row_of, REAL alpha, REAL beta,
                                           __global REAL* y, __global ulong* kept, uint launch) {
  __local REAL sums[GROUP];
  const long t = (long)get_group_id(0);
  const long begin = t * TILE;
  const long end = begin + TILE;
  const OFFSET row = begin > 0 ? row_of[begin - 1] : -1;
  const bool goes_on = end < nonzeros && row_of[end] == row;
  const bool is_left = begin > 0 && row_of[begin] == row && !goes_on;
  const long first = is_left ? first_tile_of(row, t, row_of) : t;
  REAL sum = share_of_published(kept, first, t, launch, GROUP);
  sum = sum_over_lanes(sum, GROUP, sums);
  if (get_local_id(0) > 0 || !is_left) return;
  y[row] = updated(alpha, sum + heads_in(kept, tiles)[t], beta, y, row);
}
