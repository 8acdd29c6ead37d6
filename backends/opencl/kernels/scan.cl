// Inclusive prefixes in three launches: the fold of each tile, the prefixes of those, and the
// prefixes within each tile. The operation is recorded from the program, see recorded_text.hpp, and
// is associative, perhaps not commutative: everything stays in its order.

/// Elements that an item folds by itself, side by side. Odd, so that items walk through local memory
/// without meeting in its banks.
#define RUN 7
#define TILE (RUN * LARGE_GROUP)

/// This item's part of the tile that begins at `begin`, brought through local memory, so that
/// neighbouring items read neighbours. Beyond the end it is `identity`.
static void load_tile(__global const REAL* in, long begin, long size, FOLDED identity,
                      __local FOLDED* tile) {
  for (uint k = (uint)get_local_id(0); k < TILE; k += LARGE_GROUP) {
    tile[k] = begin + k < size ? (FOLDED)in[begin + k] : identity;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

/// The fold of what the items before this one have, and in `total` of what all have.
static FOLDED fold_before(FOLDED own, FOLDED identity, __local FOLDED* folds,
                          FOLDED* total FOLD_PARAMETERS) {
  const uint item = (uint)get_local_id(0);
  folds[item] = own;
  for (uint reach = 1; reach < LARGE_GROUP; reach *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const FOLDED left = item >= reach ? folds[item - reach] : identity;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item >= reach) folds[item] = combine(left, folds[item] FOLD_ARGUMENTS);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  *total = folds[LARGE_GROUP - 1];
  return item == 0 ? identity : folds[item - 1];
}

static FOLDED fold_run(__local const FOLDED* run FOLD_PARAMETERS) {
  FOLDED fold = run[0];
  for (uint k = 1; k < RUN; ++k) fold = combine(fold, run[k] FOLD_ARGUMENTS);
  return fold;
}

__kernel WORK_GROUP(LARGE_GROUP) void scan_folds(long size, FOLDED identity,
                                                 __global const REAL* in,
                                                 __global FOLDED* folds FOLD_PARAMETERS) {
  __local FOLDED tile[TILE];
  __local FOLDED of_items[LARGE_GROUP];
  load_tile(in, (long)get_group_id(0) * TILE, size, identity, tile);
  FOLDED total;
  fold_before(fold_run(tile + RUN * (uint)get_local_id(0) FOLD_ARGUMENTS), identity, of_items,
              &total FOLD_ARGUMENTS);
  if (get_local_id(0) == 0) folds[get_group_id(0)] = total;
}

/// Replaces the folds of `tiles` tiles by what comes before each. One work-group.
__kernel WORK_GROUP(LARGE_GROUP) void scan_starts(long tiles, FOLDED identity,
                                                  __global FOLDED* folds FOLD_PARAMETERS) {
  __local FOLDED of_items[LARGE_GROUP];
  FOLDED before = identity;
  for (long begin = 0; begin < tiles; begin += LARGE_GROUP) {
    const long i = begin + (long)get_local_id(0);
    FOLDED total;
    const FOLDED start = fold_before(i < tiles ? folds[i] : identity, identity, of_items,
                                     &total FOLD_ARGUMENTS);
    if (i < tiles) folds[i] = combine(before, start FOLD_ARGUMENTS);
    before = combine(before, total FOLD_ARGUMENTS);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

__kernel WORK_GROUP(LARGE_GROUP) void scan_tiles(long size, FOLDED identity,
                                                 __global const REAL* in,
                                                 __global const FOLDED* starts,
                                                 __global REAL* out FOLD_PARAMETERS) {
  __local FOLDED tile[TILE];
  __local FOLDED of_items[LARGE_GROUP];
  const long begin = (long)get_group_id(0) * TILE;
  load_tile(in, begin, size, identity, tile);
  __local FOLDED* const run = tile + RUN * (uint)get_local_id(0);
  FOLDED total;
  const FOLDED before =
      fold_before(fold_run(run FOLD_ARGUMENTS), identity, of_items, &total FOLD_ARGUMENTS);
  FOLDED fold = combine(starts[get_group_id(0)], before FOLD_ARGUMENTS);
  for (uint k = 0; k < RUN; ++k) run[k] = fold = combine(fold, run[k] FOLD_ARGUMENTS);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = (uint)get_local_id(0); k < TILE && begin + k < size; k += LARGE_GROUP) {
    out[begin + k] = (REAL)tile[k];
  }
}
