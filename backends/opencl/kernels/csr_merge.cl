// y = alpha A x + beta y with A in compressed sparse rows, the work cut evenly whatever the rows.
//
// The rows' ends and the nonzeros merge into one list: row i ends at place offsets[i + 1] + i of
// it, after its own nonzeros and all that comes before. Every work-group takes a tile of as many
// places, so that neither a row of a million nor a million empty ones keep anyone waiting (Merrill
// and Garland, Merge-based Parallel Sparse Matrix-Vector Multiplication, SC'16). Rows that lie in
// more than one tile are finished at last by one work-group, in a fixed order and without atomics.

/// Each item takes MERGE_ITEMS places of the list.
#define TILE (LARGE_GROUP * MERGE_ITEMS)
/// What a tile leaves of rows that lie in others too. The host counts on 8 bytes and two elements.
typedef struct {
  long row;   // that began before the tile and ends in it; or one of those below
  REAL head;  // the sum of that row within the tile
  REAL tail;  // the sum of the row that goes on beyond the tile, or 0
} Carry;
#define NONE_BEGAN_BEFORE -1L  // rows end in the tile, but began in it
#define NONE_ENDS -2L

/// Whether row i ends before a place of the list.
static bool ends_before(long i, long place, __global const OFFSET* offsets) {
  return offsets[i + 1] + i < place;
}

#ifdef NVIDIA_WARP
/// The row that lane k looks at, ascending with k; it may lie outside of what is searched. At first
/// around the guess, in steps that grow: rows that are alike take two rounds in all, whatever
/// their number. Then all over what is left, of which each round leaves one part in 33.
static long looked_at(long guess, long low, long high, bool is_first, uint k) {
  if (is_first) {
    return k < WARP / 2 ? guess - (1L << 2 * (WARP / 2 - 1 - k))
                        : guess + (1L << 2 * (k - WARP / 2)) - 1;
  }
  return low + (k + 1) * ((high - low) / (WARP + 1) + 1) - 1;
}

/// How many rows end before a place, sought by a warp together.
static long rows_ending_before(long place, float rows_per_place, long rows,
                               __global const OFFSET* offsets) {
  const uint lane = (uint)get_local_id(0) % WARP;
  const long guess = min((long)((float)place * rows_per_place), rows);
  long low = 0, high = rows;
  for (bool is_first = true; low < high; is_first = false) {
    const long row = looked_at(guess, low, high, is_first, lane);
    const bool below = row < low || (row < high && ends_before(row, place, offsets));
    const uint count = popcount(ballot(below));
    const long below_row = looked_at(guess, low, high, is_first, count - 1);
    const long above_row = looked_at(guess, low, high, is_first, count);
    if (count > 0) low = max(low, below_row + 1);
    if (count < WARP) high = min(high, above_row);
  }
  return low;
}
#else
/// How many rows end before a place, sought by one item.
static long rows_ending_before(long place, float rows_per_place, long rows,
                               __global const OFFSET* offsets) {
  (void)rows_per_place;
  long low = 0, high = rows;
  while (low < high) {
    const long middle = low + (high - low) / 2;
    if (ends_before(middle, place, offsets)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
#define WARP 1u
#endif

/// The rows that end before each side of the tile that begins at `place`.
static void search_sides(long place, float rows_per_place, long rows,
                         __global const OFFSET* offsets, __local long* sides) {
  const uint searcher = (uint)get_local_id(0) / WARP;
  if (searcher < 2) {
    const long own = place + searcher * TILE;
    const long found = rows_ending_before(own, rows_per_place, rows, offsets);
    if (get_local_id(0) % WARP == 0) sides[searcher] = found;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

/// product[i] = values[j] * x[columns[j]], where j = i * LARGE_GROUP + item < count. Every item reads
/// as often, the last element again where there is none of its own: so no load waits for a branch or
/// for another's product.
static void load_products(__global const int* columns, __global const REAL* values,
                          __global const REAL* x, uint count, REAL* product) {
  const uint item = (uint)get_local_id(0);
  if (count == 0) return;
  int column[MERGE_ITEMS];
#pragma unroll
  for (uint i = 0; i < MERGE_ITEMS; ++i) {
    const uint j = min(i * LARGE_GROUP + item, count - 1);
    column[i] = streamed_int(columns + j);
    product[i] = streamed_real(values + j);
  }
#pragma unroll
  for (uint i = 0; i < MERGE_ITEMS; ++i) product[i] *= x[column[i]];
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

/// Finishes the rows that lie in several of `count` neighbouring tiles, and says in *whole what
/// these tiles leave of rows that lie in others too, as if they were one. All items of the group
/// must come here. `sums` and `flags` hold an element for each.
static void finish_rows(__global const volatile Carry* carries, uint count, REAL alpha, REAL beta,
                        __global REAL* y, __local REAL* sums, __local uint* flags,
                        __local Carry* whole) {
  const uint item = (uint)get_local_id(0);
  const uint each = (count + LARGE_GROUP - 1) / LARGE_GROUP;
  const uint from = min(item * each, count);
  const uint to = min(from + each, count);
  REAL sum = 0;
  uint ends = 0;
  for (uint t = from; t < to; ++t) {
    const bool ends_here = carries[t].row != NONE_ENDS;
    sum = ends_here ? carries[t].tail : sum + carries[t].tail;
    ends |= ends_here;
  }
  REAL last;
  REAL carried = carried_in(sum, ends, sums, flags, &last);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0) {
    flags[0] = LARGE_GROUP;
    whole->row = NONE_ENDS;
    whole->tail = last;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (ends) atomic_min(&flags[0], item);
  barrier(CLK_LOCAL_MEM_FENCE);
  // The first row to end may have begun before all of these tiles: it is not finished here.
  bool is_first = flags[0] == item;
  for (uint t = from; t < to; ++t) {
    const long row = carries[t].row;
    const REAL with_head = carried + carries[t].head;
    carried = row == NONE_ENDS ? carried + carries[t].tail : carries[t].tail;
    if (row == NONE_ENDS) continue;
    if (is_first) {
      whole->row = row;
      whole->head = with_head;
    } else if (row >= 0) {
      y[row] = updated(alpha, with_head, beta, y, row);
    }
    is_first = false;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

/// The same where there are no other tiles.
static void finish_all_rows(__global const volatile Carry* carries, uint count, REAL alpha,
                            REAL beta, __global REAL* y, __local REAL* sums, __local uint* flags,
                            __local Carry* whole) {
  finish_rows(carries, count, alpha, beta, y, sums, flags, whole);
  if (get_local_id(0) == 0) {
    const long row = whole->row;
    if (row >= 0) y[row] = updated(alpha, whole->head, beta, y, row);
  }
}

/// A tile: `ending` rows from `row` on end in it, and it has `count` nonzeros from `begin` on.
typedef struct {
  long row;
  long begin;
  uint ending;
  uint count;
} Tile;

#ifdef NVIDIA_WARP
/// Sums a tile in which no row ends: nobody needs to know where its products are.
static void sum_tile(Tile tile, const REAL* product, __global Carry* carry, __local REAL* sums) {
  const uint item = (uint)get_local_id(0);
  REAL sum = 0;
#pragma unroll
  for (uint i = 0; i < MERGE_ITEMS; ++i) {
    sum += i * LARGE_GROUP + item < tile.count ? product[i] : 0;
  }
  sum = sum_over_lanes(sum, LARGE_GROUP, sums);
  if (item > 0) return;
  carry->row = NONE_ENDS;
  carry->tail = sum;
}
#endif

/// Sums the rows of any tile.
static void walk_tile(Tile tile, const REAL* product, __global const OFFSET* offsets, REAL alpha,
                      REAL beta, __global REAL* y, __global Carry* carry, __local REAL* products,
                      __local uint* ends, __local REAL* sums, __local uint* flags) {
  const uint item = (uint)get_local_id(0);
#pragma unroll
  for (uint i = 0; i < MERGE_ITEMS; ++i) products[i * LARGE_GROUP + item] = product[i];
  offsets += tile.row;
  y += tile.row;
  for (uint j = item; j < tile.ending; j += LARGE_GROUP) {
    ends[j] = (uint)(offsets[j + 1] - tile.begin);
  }
  if (item == 0) ends[tile.ending] = 2 * TILE;  // the last row does not end here
  barrier(CLK_LOCAL_MEM_FENCE);

  // Each item walks along its own places, and keeps the sum at each row's end.
  const uint places = tile.count + tile.ending;
  const uint from = min(item * MERGE_ITEMS, places);
  const uint to = min(from + MERGE_ITEMS, places);
  const uint first_ending = rows_before(ends, tile.ending, from);
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
  const bool began_before = tile.ending > 0 && offsets[0] < tile.begin;
  for (uint j = item; j < tile.ending; j += LARGE_GROUP) {
    if (j > 0 || !began_before) y[j] = updated(alpha, products[j], beta, y, j);
  }
  if (item > 0) return;
  const bool goes_on = tile.count > (tile.ending > 0 ? ends[tile.ending - 1] : 0);
  carry->row = began_before ? tile.row : tile.ending > 0 ? NONE_BEGAN_BEFORE : NONE_ENDS;
  carry->head = products[0];
  carry->tail = goes_on ? last : 0;
}

/// One work-group for each tile. Where it is to `finish`, the last of them finishes the rows.
__kernel WORK_GROUP(LARGE_GROUP) void csr_merge(long rows, long nonzeros, float rows_per_place,
                                                __global const OFFSET* offsets,
                                                __global const int* columns,
                                                __global const REAL* values, REAL alpha,
                                                __global const REAL* x, REAL beta,
                                                __global REAL* y, __global Carry* carries,
                                                uint finish, __global uint* arrivals) {
  __local REAL products[TILE + MERGE_ITEMS];
  __local uint ends[TILE + 1];
  __local REAL sums[LARGE_GROUP];
  __local uint flags[LARGE_GROUP];
  __local long sides[2];
  __local Carry whole;
  const long place = (long)get_group_id(0) * TILE;
  search_sides(place, rows_per_place, rows, offsets, sides);
  Tile tile = {sides[0], place - sides[0], (uint)(sides[1] - sides[0]), 0};
  tile.count = (uint)min((long)TILE, rows + nonzeros - place) - tile.ending;
  REAL product[MERGE_ITEMS] = {0};
  load_products(columns + tile.begin, values + tile.begin, x, tile.count, product);
  __global Carry* const carry = carries + get_group_id(0);
#ifdef NVIDIA_WARP
  if (tile.ending == 0) {
    sum_tile(tile, product, carry, sums);
  } else
#endif
    walk_tile(tile, product, offsets, alpha, beta, y, carry, products, ends, sums, flags);
  const bool is_last = is_last_group(finish ? (uint)get_num_groups(0) : 0, arrivals, flags);
  LEAVE_UNLESS(is_last);
  const uint tiles = is_last ? (uint)get_num_groups(0) : 0;
  finish_all_rows(carries, tiles, alpha, beta, y, sums, flags, &whole);
}

/// Finishes the rows that lie in several tiles: one work-group for each `share` of them, and the last
/// one for what these leave.
__kernel WORK_GROUP(LARGE_GROUP) void merge_finish(long tiles, uint share,
                                                   __global Carry* carries, REAL alpha, REAL beta,
                                                   __global REAL* y, __global uint* arrivals) {
  __local REAL sums[LARGE_GROUP];
  __local uint flags[LARGE_GROUP];
  __local Carry whole;
  const long first = (long)get_group_id(0) * share;
  const uint count = (uint)min((long)share, tiles - first);
  finish_rows(carries + first, count, alpha, beta, y, sums, flags, &whole);
  __global Carry* const shares = carries + tiles;
  if (get_local_id(0) == 0) shares[get_group_id(0)] = whole;
  const bool is_last = is_last_group((uint)get_num_groups(0), arrivals, flags);
  LEAVE_UNLESS(is_last);
  const uint groups = is_last ? (uint)get_num_groups(0) : 0;
  finish_all_rows(shares, groups, alpha, beta, y, sums, flags, &whole);
}
