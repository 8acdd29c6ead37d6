// y = alpha A x + beta y with A in compressed sparse rows, the work cut evenly whatever the rows.
//
// The rows' ends and the nonzeros merge into one list: row i ends at place offsets[i + 1] + i of
// it, after its own nonzeros and all that comes before. Every work-group takes a tile of as many
// places, so that neither a row of a million nor a million empty ones keep anyone waiting (Merrill
// and Garland, Merge-based Parallel Sparse Matrix-Vector Multiplication, SC'16). Rows that lie in
// more than one tile are finished by a second launch, in a fixed order and without atomics.

/// Places of the list for each item. Odd, so that items walk through local memory without meeting
/// in its banks; and nine, because on the H200 fewer leave it waiting (one row of a million among a
/// million of 3, double: 86 us with 7, 58 with 9, 59 with 11). The host's `merge_items` is the same.
#define MERGE_ITEMS 9
#define TILE (LARGE_GROUP * MERGE_ITEMS)
/// Items that search for an end of a tile. With more, their scattered loads are more than the
/// tile's own; with fewer, there are more rounds to wait for.
#define SEARCHERS 32

/// What a tile leaves of rows that lie in others too. The host counts on 8 bytes and two elements.
typedef struct {
  long row;   // the row that goes on beyond the tile, or -1
  REAL tail;  // its sum within the tile
  REAL head;  // the sum of the row that began before the tile and ends in it
} Carry;

/// The rows among which one of a tile's ends is sought: |{i : offsets[i + 1] + i < place}| is at
/// least `low` and at most `high`.
typedef struct {
  long place;
  long guess;
  long low;
  long high;
} Search;

/// The row that searcher k looks at, ascending with k; it may lie outside of the search. At first
/// around the guess, in steps that grow: rows that are alike take two rounds in all, whatever
/// their number. Then all over what is left, of which each round leaves one part in SEARCHERS + 1.
static long looked_at(Search search, uint round, uint k) {
  if (round == 0) {
    return k < SEARCHERS / 2 ? search.guess - (1L << 2 * (SEARCHERS / 2 - 1 - k))
                             : search.guess + (1L << 2 * (k - SEARCHERS / 2)) - 1;
  }
  const long step = (search.high - search.low) / (SEARCHERS + 1) + 1;
  return search.low + (k + 1) * step - 1;
}

/// Searches for the rows that end before `place`, the places of both sides at once.
static void search_ends(long place, float rows_per_place, long rows,
                        __global const OFFSET* offsets, __local uint* below,
                        __local Search* searches) {
  const uint item = (uint)get_local_id(0);
  if (item < 2) {
    const long own = place + item * TILE;
    searches[item].place = own;
    searches[item].guess = min((long)((float)own * rows_per_place), rows);
    searches[item].low = 0;
    searches[item].high = rows;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  uint unfinished = 1;
  for (uint round = 0; unfinished; ++round) {
    for (uint k = item; k < 2 * SEARCHERS; k += LARGE_GROUP) {
      const Search search = searches[k / SEARCHERS];
      const long row = looked_at(search, round, k % SEARCHERS);
      below[k] = row < search.low ||
                 (row < search.high && offsets[row + 1] + row < search.place);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < 2) {
      const Search search = searches[item];
      uint count = 0;
      for (uint k = 0; k < SEARCHERS; ++k) count += below[item * SEARCHERS + k];
      if (count > 0) {
        searches[item].low = max(search.low, looked_at(search, round, count - 1) + 1);
      }
      if (count < SEARCHERS) {
        searches[item].high = min(search.high, looked_at(search, round, count));
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    unfinished = searches[0].low < searches[0].high || searches[1].low < searches[1].high;
  }
}

/// products[j] = values[j] * x[columns[j]] for j < count. Every item reads and stores as often, the
/// last element again where there is none of its own: so no load waits for a branch or for
/// another's product.
static void load_products(__global const int* columns, __global const REAL* values,
                          __global const REAL* x, uint count, __local REAL* products) {
  const uint item = (uint)get_local_id(0);
  if (count == 0) return;
  int column[MERGE_ITEMS];
  REAL product[MERGE_ITEMS];
#pragma unroll
  for (uint i = 0; i < MERGE_ITEMS; ++i) {
    const uint j = min(i * LARGE_GROUP + item, count - 1);
    column[i] = columns[j];
    product[i] = values[j];
  }
#pragma unroll
  for (uint i = 0; i < MERGE_ITEMS; ++i) product[i] *= x[column[i]];
#pragma unroll
  for (uint i = 0; i < MERGE_ITEMS; ++i) products[i * LARGE_GROUP + item] = product[i];
}

/// The rows of the tile that end before its place `place`.
static uint rows_before(__local const uint* ends, uint rows, uint place) {
  uint low = 0, high = rows;
  while (low < high) {
    const uint middle = (low + high) / 2;
    if (ends[middle] + middle < place) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Of sums that stand one to an item, each starting anew after an item that `ends` a row: what this
/// item has to add to the first row that ends in it. *last: the sum after the last item.
/// `sums` and `flags` hold an element for each item and may be used again after a barrier.
static REAL carried_in(REAL sum, uint ends, __local REAL* sums, __local uint* flags, REAL* last) {
  const uint item = (uint)get_local_id(0);
#ifdef NVIDIA_WARP
  const uint lane = item % WARP;
  for (uint reach = 1; reach < WARP; reach *= 2) {
    const REAL before = real_from_lane_below(sum, reach);
    const uint ends_before = from_lane_below(ends, reach);
    if (lane >= reach) {
      if (!ends) sum += before;
      ends |= ends_before;
    }
  }
  if (lane == WARP - 1) {
    sums[item / WARP] = sum;
    flags[item / WARP] = ends;
  }
  REAL carried = real_from_lane_below(sum, 1);
  const uint ended = from_lane_below(ends, 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  REAL of_warps = 0;
  REAL all = 0;
  for (uint warp = 0; warp < LARGE_GROUP / WARP; ++warp) {
    if (warp == item / WARP) of_warps = all;
    all = flags[warp] ? sums[warp] : all + sums[warp];
  }
  *last = all;
  if (lane == 0) return of_warps;
  return ended ? carried : carried + of_warps;
#else
  for (uint reach = 1; reach < LARGE_GROUP; reach *= 2) {
    sums[item] = sum;
    flags[item] = ends;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item >= reach) {
      if (!ends) sum += sums[item - reach];
      ends |= flags[item - reach];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  sums[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  *last = sums[LARGE_GROUP - 1];
  return item == 0 ? 0 : sums[item - 1];
#endif
}

/// One work-group for each tile.
__kernel WORK_GROUP(LARGE_GROUP) void csr_merge(long rows, long nonzeros, float rows_per_place,
                                                __global const OFFSET* offsets,
                                                __global const int* columns,
                                                __global const REAL* values, REAL alpha,
                                                __global const REAL* x, REAL beta,
                                                __global REAL* y, __global Carry* carries) {
  __local REAL products[TILE + MERGE_ITEMS];
  __local uint ends[TILE + 1];
  __local REAL sums[LARGE_GROUP];
  __local uint flags[LARGE_GROUP + 2 * SEARCHERS];
  __local Search searches[2];
  const uint item = (uint)get_local_id(0);
  const long tile = (long)get_group_id(0);
  const long place = tile * TILE;
  search_ends(place, rows_per_place, rows, offsets, flags, searches);

  // What the tile has: rows that end in it, and nonzeros.
  const long row = searches[0].low;
  const uint ending = (uint)(searches[1].low - row);
  const long begin = place - row;
  const uint count = (uint)(min((long)TILE, rows + nonzeros - place)) - ending;
  load_products(columns + begin, values + begin, x, count, products);
  for (uint j = item; j < ending; j += LARGE_GROUP) ends[j] = (uint)(offsets[row + j + 1] - begin);
  if (item == 0) ends[ending] = 2 * TILE;  // the last row does not end here
  barrier(CLK_LOCAL_MEM_FENCE);

  // Each item walks along its own places, and keeps the sum at each row's end.
  const uint from = min(item * MERGE_ITEMS, count + ending);
  const uint to = min(from + MERGE_ITEMS, count + ending);
  const uint first_ending = rows_before(ends, ending, from);
  REAL kept[MERGE_ITEMS];
  uint is_end = 0;
  REAL sum = 0;
  uint r = first_ending;
#pragma unroll
  for (uint i = 0; i < MERGE_ITEMS; ++i) {
    // Without branches; what is read beyond the tile's end is not used.
    const bool is_place = from + i < to;
    const bool is_product = from + i - r < ends[r];
    const REAL sum_with = sum + products[from + i - r];
    kept[i] = sum;
    sum = !is_place ? sum : is_product ? sum_with : 0;
    is_end |= (uint)(is_place && !is_product) << i;
    r += is_place && !is_product;
  }
  REAL last;
  REAL carried = carried_in(sum, is_end != 0, sums, flags, &last);
  barrier(CLK_LOCAL_MEM_FENCE);

  // The sums take the products' place, so that y is written side by side.
  r = first_ending;
#pragma unroll
  for (uint i = 0; i < MERGE_ITEMS; ++i) {
    if ((is_end >> i) & 1) {
      products[r++] = kept[i] + carried;
      carried = 0;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const bool began_before = ending > 0 && offsets[row] < begin;
  for (uint j = item; j < ending; j += LARGE_GROUP) {
    if (j > 0 || !began_before) y[row + j] = updated(alpha, products[j], beta, y, row + j);
  }
  if (item == 0) {
    const bool goes_on = count > (ending > 0 ? ends[ending - 1] : 0);
    carries[tile].row = goes_on ? row + ending : -1;
    carries[tile].tail = last;
    carries[tile].head = ending > 0 ? products[0] : 0;
  }
}

/// This lane's part of the sum of a row that goes on beyond `tile`: it fills all tiles that follow
/// but the one it ends in.
static REAL run_sum(long tiles, __global const Carry* carries, long tile, uint lane, uint lanes) {
  const long row = carries[tile].row;
  REAL sum = 0;
  long t = tile + lane;
  for (; t < tiles && carries[t].row == row; t += lanes) sum += carries[t].tail;
  if (t > tile && t < tiles && carries[t - 1].row == row) sum += carries[t].head;
  return sum;
}

/// Rows that go on for more tiles than this are left to the whole work-group.
#define LONG_RUN 32

/// Finishes the rows that lie in several tiles: `lanes` items for each tile in which one begins,
/// then all items of the group together for each that is very long.
__kernel WORK_GROUP(GROUP) void merge_carry(long tiles, uint lanes, __global const Carry* carries,
                                            REAL alpha, REAL beta, __global REAL* y) {
  __local REAL scratch[GROUP];
  __local uint long_runs[GROUP];
  __local uint count;
  const uint item = (uint)get_local_id(0);
  const uint lane = lane_of(lanes);
  const long tile = row_of(lanes);
  if (item == 0) count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  long row = tile < tiles ? carries[tile].row : -1;
  if (row >= 0 && tile > 0 && carries[tile - 1].row == row) row = -1;  // it began before
  const bool is_long =
      row >= 0 && tile + LONG_RUN < tiles && carries[tile + LONG_RUN].row == row;
  // In whatever order they enter the list, each is summed in the same way.
  if (is_long && lane == 0) long_runs[atomic_inc(&count)] = item >> log2_of(lanes);
  REAL sum = row >= 0 && !is_long ? run_sum(tiles, carries, tile, lane, lanes) : 0;
  sum = sum_over_lanes(sum, lanes, scratch);
  if (row >= 0 && !is_long && lane == 0) y[row] = updated(alpha, sum, beta, y, row);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = 0; i < count; ++i) {
    const long long_tile = (long)get_group_id(0) * (GROUP >> log2_of(lanes)) + long_runs[i];
    sum = run_sum(tiles, carries, long_tile, item, GROUP);
    sum = sum_over_lanes(sum, GROUP, scratch);
    row = carries[long_tile].row;
    if (item == 0) y[row] = updated(alpha, sum, beta, y, row);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
