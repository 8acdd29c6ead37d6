// y = alpha A^T x + beta y with A in compressed sparse rows: each product is added to the sum of its
// column, whoever has it, in fixed point (fixed_sums.cl).
//
// Each team has as many elements, whatever the rows. A team is a warp on NVIDIA's devices, whose items
// find the rows of their elements together, and one item elsewhere.

/// Elements of each item.
#define ITEM_ELEMENTS 8
#ifdef NVIDIA_WARP
#define TEAM WARP
#else
#define TEAM 1
#endif
#define TEAM_ELEMENTS (TEAM * ITEM_ELEMENTS)
/// Elements of a work-group.
#define TILE (LARGE_GROUP * ITEM_ELEMENTS)
#define TEAMS_OF_TILE (LARGE_GROUP / TEAM)
#if TILE > 2048
#error "32 bits have no room for a limb of each product"
#endif

/// Clears the memory of sums, one item for each word.
__kernel WORK_GROUP(GROUP) void scatter_clear(long size, __global ulong* words) {
  const long at = (long)get_global_id(0);
  if (at < size) words[at] = 0;
}

/// A matrix, x, and what scatter_look found.
typedef struct {
  long nnz;
  __global const OFFSET* offsets;
  __global const int* columns;
  __global const REAL* values;
  __global const REAL* x;
  __global const long* team_rows;
} Scattered;

/// Products of an item, and their columns. A product that is not there is 0, in the first column.
typedef struct {
  int column[ITEM_ELEMENTS];
  REAL product[ITEM_ELEMENTS];
} Products;

#ifdef NVIDIA_WARP
/// The last lane up to `lane` whose bit is set, or WARP or more.
static uint last_set(uint bits, uint lane) {
  return 31 - clz(bits & (0xffffffffU >> (31 - lane)));
}

/// Multiplies the products of a warp with the elements of x of their rows. Each row that is not empty
/// marks its first element in `marks`; the others are in the row of the mark before.
INLINED void multiply_by_rows(Scattered a, long begin, uint size, long first_row, uint rows,
                              __local uint* marks, Products* its) {
  const uint lane = (uint)get_local_id(0) % WARP;
  meet_team();
  UNROLLED
  for (uint i = 0; i < ITEM_ELEMENTS; ++i) marks[i * WARP + lane] = 0;
  meet_team();
  for (uint r = 1 + lane; r <= rows; r += WARP) {
    const long k = a.offsets[first_row + r] - begin;
    if (k < size && a.offsets[first_row + r + 1] - begin > k) marks[k] = r;
  }
  meet_team();
  uint row = 0;
  UNROLLED
  for (uint i = 0; i < ITEM_ELEMENTS; ++i) {
    const uint mark = marks[i * WARP + lane];
    const uint last = last_set(ballot(mark != 0), lane);
    const uint marked = from_item(mark, last);
    if (last < WARP) row = marked;
    if (i * WARP + lane < size) its->product[i] *= a.x[first_row + row];
    row = from_item(row, WARP - 1);
  }
}

/// `marks` holds an element for each one of the tile.
INLINED void load_products(Scattered a, long tile, __local uint* marks, Products* its) {
  const uint item = (uint)get_local_id(0), lane = item % WARP;
  const long team = tile * TEAMS_OF_TILE + item / WARP;
  const long begin = team * TEAM_ELEMENTS;
  const uint size = a.nnz > begin ? (uint)min((long)TEAM_ELEMENTS, a.nnz - begin) : 0;
  const long first_row = a.team_rows[team], last_row = a.team_rows[team + 1];
  UNROLLED
  for (uint i = 0; i < ITEM_ELEMENTS; ++i) {
    const uint k = i * WARP + lane;
    its->column[i] = k < size ? streamed_int(a.columns + begin + k) : 0;
    its->product[i] = k < size ? streamed_real(a.values + begin + k) : 0;
  }
  // Where rows are mostly empty each element looks for its own.
  if (last_row - first_row <= 8 * TEAM_ELEMENTS) {
    multiply_by_rows(a, begin, size, first_row, (uint)(last_row - first_row),
                     marks + item / WARP * TEAM_ELEMENTS, its);
    return;
  }
  for (uint i = 0; i < ITEM_ELEMENTS; ++i) {
    const uint k = i * WARP + lane;
    if (k < size) its->product[i] *= a.x[row_with(a.offsets, first_row, last_row, begin + k)];
  }
}
#else
INLINED void load_products(Scattered a, long tile, __local uint* marks, Products* its) {
  const long team = tile * LARGE_GROUP + (long)get_local_id(0);
  long row = a.team_rows[team];
  (void)marks;
  for (uint i = 0; i < ITEM_ELEMENTS; ++i) {
    const long k = team * TEAM_ELEMENTS + i;
    its->column[i] = 0;
    its->product[i] = 0;
    if (k >= a.nnz) continue;
    while (a.offsets[row + 1] <= k) ++row;
    its->column[i] = a.columns[k];
    its->product[i] = a.values[k] * a.x[row];
  }
}
#endif

/// The largest exponent of an item's finite products, at least 1.
static uint largest_exponent(Products its) {
  uint largest = 1;
  UNROLLED
  for (uint i = 0; i < ITEM_ELEMENTS; ++i) {
    const uint exponent = stored_exponent(its.product[i]);
    if (exponent != NOT_FINITE) largest = max(largest, exponent);
  }
  return largest;
}

#ifdef NVIDIA_WARP
// Where columns repeat within a tile, their products are added in local memory first. A column has a
// slot there, the one of its number modulo TILE, and shares it: that of the first element owns it, which
// is mostly one that many elements have, and the same in each call. The products of the others go to
// global memory.

/// The bits of a column's number above those of its slot's.
#define OWNER_BITS (31 - log2_of(TILE))

/// Owners are 0, or how far an element lies before the tile's end, and the upper bits of its column.
/// They only grow, and items have their first elements first: where many have one column, most need no
/// atomic.
static void own_slot(__local uint* owners, int column, uint place) {
  __local volatile uint* const owner = owners + (uint)column % TILE;
  const uint mine = (TILE - place) << OWNER_BITS | (uint)column / TILE;
  if (*owner < mine) atomic_max(owner, mine);
}

/// The column that owns a slot, or -1.
static long owner_of(__local const uint* owners, uint slot) {
  const uint owner = owners[slot];
  return owner == 0 ? -1 : (long)((owner & ((1u << OWNER_BITS) - 1)) * TILE + slot);
}

/// Adds the products of a tile. All items of the group must come here. `owners` holds an element for
/// each one of the tile, `limbs` LIMBS of them.
static void add_combined(Sums sums, Products its, __local uint* owners, __local int* limbs,
                         __local uint* largest, Used* used) {
  const uint item = (uint)get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0) *largest = 0;
  UNROLLED
  for (uint i = 0; i < ITEM_ELEMENTS * LIMBS; ++i) limbs[i * LARGE_GROUP + item] = 0;
  UNROLLED
  for (uint i = 0; i < ITEM_ELEMENTS; ++i) owners[i * LARGE_GROUP + item] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  UNROLLED
  for (uint i = 0; i < ITEM_ELEMENTS; ++i) {
    const uint place = item / WARP * TEAM_ELEMENTS + i * WARP + item % WARP;
    if (!is_zero(its.product[i])) own_slot(owners, its.column[i], place);
  }
  const uint its_largest = largest_of_warp(largest_exponent(its));
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item % WARP == 0) atomic_max(largest, its_largest);
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint top = *largest + sums.origin;
  const uint unit = top > LOCAL_PLACES ? top - LOCAL_PLACES : 0;
  UNROLLED
  for (uint i = 0; i < ITEM_ELEMENTS; ++i) {
    const REAL product = its.product[i];
    const uint slot = (uint)its.column[i] % TILE;
    const uint above = places_above(sums, product, unit);
    if (above <= LOCAL_PLACES && owner_of(owners, slot) == its.column[i]) {
      add_locally(product, above, limbs + slot, TILE);
    } else {
      add_product(sums, its.column[i], product, used);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  UNROLLED
  for (uint i = 0; i < ITEM_ELEMENTS; ++i) {
    const uint slot = i * LARGE_GROUP + item;
    add_local_sum(sums, owner_of(owners, slot), unit, limbs + slot, TILE, used);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

/// Columns repeat where so many products have slots for each owner.
#define REPEATS 2

/// Whether columns repeat in a tile: `in_mean`, or one of them `repeats_of_one` times, as atomics of
/// one address wait for each other. All items of the group must come here. `owners` and `counts` hold
/// an element for each one of the tile.
static bool has_repeats(long nnz, long tile, bool in_mean, uint repeats_of_one,
                        __global const int* columns,
                        __local uint* owners, __local uint* counts, __local uint* found) {
  const uint item = (uint)get_local_id(0);
  const long begin = tile * TILE;
  if (item < 3) found[item] = 0;
  for (uint i = 0; i < ITEM_ELEMENTS; ++i) {
    const uint k = i * LARGE_GROUP + item;
    counts[k] = owners[k] = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = 0; i < ITEM_ELEMENTS; ++i) {
    const uint k = i * LARGE_GROUP + item;
    if (begin + k < nnz) own_slot(owners, columns[begin + k], k);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = 0; i < ITEM_ELEMENTS; ++i) {
    const uint k = i * LARGE_GROUP + item;
    if (begin + k >= nnz) continue;
    const uint slot = (uint)columns[begin + k] % TILE;
    if (owner_of(owners, slot) == columns[begin + k]) atomic_inc(counts + slot);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = 0; i < ITEM_ELEMENTS; ++i) {
    const uint count = counts[i * LARGE_GROUP + item];
    atomic_add(found, count);
    atomic_add(found + 1, count > 0 ? 1 : 0);
    atomic_max(found + 2, count);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return found[2] >= repeats_of_one || (in_mean && found[0] >= REPEATS * found[1]);
}
#endif

/// The row of each team's first element, and of the last of all; behind them, whether each tile's
/// products are to be combined. Where all tiles are under way at once, only if one column has a
/// quarter: combining takes a while (soc-Slashdot0902 in float: 24 us without, 30 with it).
__kernel WORK_GROUP(LARGE_GROUP) void scatter_look(long tiles, uint at_once, long rows, long nnz,
                                                   __global const OFFSET* offsets,
                                                   __global const int* columns,
                                                   __global long* team_rows) {
  const uint item = (uint)get_local_id(0);
  const long tile = (long)get_group_id(0);
  const long teams = tiles * TEAMS_OF_TILE;
  const long team = tile * TEAMS_OF_TILE + item;
  if (item < TEAMS_OF_TILE || team == teams) {
    team_rows[team] = row_with(offsets, 0, rows - 1, min(team * TEAM_ELEMENTS, nnz - 1));
  }
#ifdef NVIDIA_WARP
  __local uint owners[TILE];
  __local uint counts[TILE];
  __local uint found[3];
  const bool are_few = tiles <= at_once;
  const uint repeats_of_one = are_few ? TILE / 4 : TILE / 128;
  const bool repeats =
      has_repeats(nnz, tile, !are_few, repeats_of_one, columns, owners, counts, found);
  if (item == 0) team_rows[teams + 1 + tile] = repeats;
#else
  (void)at_once, (void)columns;
#endif
}

#define SCATTERED \
  { nnz, offsets, columns, values, x, team_rows }

/// Adds the products of all tiles.
__kernel WORK_GROUP(LARGE_GROUP) void scatter_add(
    long nnz, long tiles, uint adding_groups, long cols, uint planes, uint width, uint turn,
    __global const OFFSET* offsets, __global const int* columns, __global const REAL* values,
    __global const REAL* x, __global const long* team_rows, __global ulong* words, REAL alpha,
    REAL beta, __global REAL* y) {
  __local uint control[CONTROL_WORDS];
  __local uint marks[TILE];
  const Sums sums = sums_in(words, cols, planes, width, turn);
#ifdef NVIDIA_WARP
  __local int limbs[TILE * LIMBS];
#endif
  if (finishes_after(sums, adding_groups, control, alpha, beta, y)) return;
  const Scattered a = SCATTERED;
  Used used = {0, 0};
  for (long tile = get_group_id(0); tile < tiles; tile += adding_groups) {
    Products its;
    load_products(a, tile, marks, &its);
#ifdef NVIDIA_WARP
    if (team_rows[tiles * TEAMS_OF_TILE + 1 + tile]) {
      add_combined(sums, its, marks, limbs, control, &used);
      continue;
    }
#endif
    const NearBins near = near_bins(sums, largest_exponent(its), &used);
    UNROLLED
    for (uint i = 0; i < ITEM_ELEMENTS; ++i) {
      add_near(sums, near, its.column[i], its.product[i], &used);
    }
  }
  note_added(sums, used, control);
}

/// The sums of y, one item for each.
__kernel WORK_GROUP(GROUP) void scatter_finish(long cols, uint planes, uint width, uint turn,
                                               __global ulong* words, REAL alpha, REAL beta,
                                               __global REAL* y) {
  const Sums sums = sums_in(words, cols, planes, width, turn);
  finish_column(sums, used_before(sums), (long)get_global_id(0), alpha, beta, y);
}

// The rest does something only where planes are exceeded.

/// The largest exponent of each column, 0 where all products are zero or not finite. A group for each
/// tile.
__kernel WORK_GROUP(LARGE_GROUP) void scatter_largest(
    long nnz, long cols, uint planes, uint width, uint turn, __global const OFFSET* offsets,
    __global const int* columns, __global const REAL* values, __global const REAL* x,
    __global const long* team_rows, __global ulong* words) {
  __local uint marks[TILE];
  const Sums sums = sums_in(words, cols, planes, width, turn);
  if (!is_exceeded(sums, used_before(sums))) return;
  const Scattered a = SCATTERED;
  Products its;
  load_products(a, (long)get_group_id(0), marks, &its);
  UNROLLED
  for (uint i = 0; i < ITEM_ELEMENTS; ++i) {
    const uint exponent = exponent_of(its.product[i]);
    if (is_zero(its.product[i]) || exponent == NOT_FINITE) continue;
    __global uint* const largest = sums.largest + its.column[i];
    if (exponent > seen_in(largest)) atomic_max((__global volatile uint*)largest, exponent);
  }
}

/// Adds the products of a tile once more.
__kernel WORK_GROUP(LARGE_GROUP) void scatter_again(
    long nnz, long cols, uint planes, uint width, uint turn, __global const OFFSET* offsets,
    __global const int* columns, __global const REAL* values, __global const REAL* x,
    __global const long* team_rows, __global ulong* words) {
  __local uint marks[TILE];
  const Sums sums = sums_in(words, cols, planes, width, turn);
  if (!is_exceeded(sums, used_before(sums))) return;
  const Scattered a = SCATTERED;
  Products its;
  load_products(a, (long)get_group_id(0), marks, &its);
  UNROLLED
  for (uint i = 0; i < ITEM_ELEMENTS; ++i) {
    add_below_largest(sums, its.column[i], its.product[i], sums.largest[its.column[i]]);
  }
}

/// The sums of y from what was added again, one item for each.
__kernel WORK_GROUP(GROUP) void scatter_finish_again(long cols, uint planes, uint width, uint turn,
                                                     __global ulong* words, REAL alpha, REAL beta,
                                                     __global REAL* y) {
  const long j = (long)get_global_id(0);
  const Sums sums = sums_in(words, cols, planes, width, turn);
  const AllUsed used = used_before(sums);
  if (j >= cols || !is_exceeded(sums, used)) return;
  const int exponent = (int)sums.largest[j] - (int)highest_place(sums);
  sums.largest[j] = 0;
  const REAL sum = taken_sum(sums, j, 0, planes, exponent);
  y[j] = updated(alpha, flagged(sums, used, j, sum), beta, y, j);
}
