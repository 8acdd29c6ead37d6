// Inclusive prefixes in three launches: the fold of each tile, the prefixes of those, and the
// prefixes within each tile; or, where groups can wait for each other, in one. The operation is
// recorded from the program, see recorded_text.hpp, and is associative, perhaps not commutative:
// everything stays in its order.

/// Elements that an item folds by itself, side by side (SCAN_RUN). Odd, so that items walk through
/// local memory without meeting in its banks.
#define RUN SCAN_RUN
#define TILE (RUN * LARGE_GROUP)

/// This item's part of the tile that begins at `begin`, brought through local memory, so that
/// neighbouring items read neighbours. Beyond the end it is `identity`.
static void load_tile(__global const REAL* in, long begin, long size, FOLDED identity,
                      __local REAL* tile) {
  const uint item = (uint)get_local_id(0);
  if (begin + TILE <= size) {
    UNROLLED for (uint k = 0; k < RUN; ++k) {
      tile[k * LARGE_GROUP + item] = in[begin + k * LARGE_GROUP + item];
    }
  } else {
    for (uint k = item; k < TILE; k += LARGE_GROUP) {
      tile[k] = begin + k < size ? in[begin + k] : (REAL)identity;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

/// `own` and `other`, which comes first, or last if `backwards`.
static FOLDED combine_ordered(FOLDED own, FOLDED other, bool backwards FOLD_PARAMETERS) {
  return backwards ? combine(own, other FOLD_ARGUMENTS) : combine(other, own FOLD_ARGUMENTS);
}

/// A fold as words of 32 bits.
#define FOLD_WORDS (sizeof(FOLDED) / 4)
union FoldWords {
  FOLDED fold;
  uint words[FOLD_WORDS];
};

/// Leaves in `folds` the fold of what each item and those before it have; those before it come first,
/// or last if `backwards`.
#ifdef NVIDIA_WARP
static void fold_items(FOLDED own, bool backwards, __local FOLDED* folds FOLD_PARAMETERS) {
  const uint item = (uint)get_local_id(0);
  for (uint reach = 1; reach < WARP; reach *= 2) {
    union FoldWords other;
    other.fold = own;
    UNROLLED for (uint w = 0; w < FOLD_WORDS; ++w) {
      other.words[w] = from_lane_below(other.words[w], reach);
    }
    if (item % WARP >= reach) own = combine_ordered(own, other.fold, backwards FOLD_ARGUMENTS);
  }
  folds[item] = own;
  barrier(CLK_LOCAL_MEM_FENCE);
  FOLDED before = folds[WARP - 1];
  for (uint end = 2 * WARP; end <= item; end += WARP) {
    before = combine_ordered(folds[end - 1], before, backwards FOLD_ARGUMENTS);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item >= WARP) folds[item] = combine_ordered(own, before, backwards FOLD_ARGUMENTS);
  barrier(CLK_LOCAL_MEM_FENCE);
}
#else
static void fold_items(FOLDED own, bool backwards, __local FOLDED* folds FOLD_PARAMETERS) {
  const uint item = (uint)get_local_id(0);
  folds[item] = own;
  for (uint reach = 1; reach < LARGE_GROUP; reach *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    // The place is chosen by a branch: oclgrind lacks the saturating subtraction that clang makes of
    // a conditional expression.
    FOLDED other = own;
    if (item >= reach) other = folds[item - reach];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < reach) continue;
    own = combine_ordered(own, other, backwards FOLD_ARGUMENTS);
    folds[item] = own;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}
#endif

/// The fold of what the items before this one have, and in `total` of what all have.
static FOLDED fold_before(FOLDED own, FOLDED identity, __local FOLDED* folds,
                          FOLDED* total FOLD_PARAMETERS) {
  fold_items(own, false, folds FOLD_ARGUMENTS);
  const uint item = (uint)get_local_id(0);
  *total = folds[LARGE_GROUP - 1];
  return item == 0 ? identity : folds[item - 1];
}

static FOLDED fold_run(__local const REAL* run FOLD_PARAMETERS) {
  FOLDED fold = run[0];
  for (uint k = 1; k < RUN; ++k) fold = combine(fold, run[k] FOLD_ARGUMENTS);
  return fold;
}

__kernel WORK_GROUP(LARGE_GROUP) void scan_folds(long size, FOLDED identity,
                                                 __global const REAL* in,
                                                 __global FOLDED* folds FOLD_PARAMETERS) {
  __local REAL tile[TILE];
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

/// The prefixes of a tile, of which those of this item begin after `fold`.
static void write_tile(FOLDED fold, long begin, long size, __local REAL* tile,
                       __global REAL* out FOLD_PARAMETERS) {
  const uint item = (uint)get_local_id(0);
  for (uint k = RUN * item; k < RUN * item + RUN; ++k) {
    fold = combine(fold, tile[k] FOLD_ARGUMENTS);
    tile[k] = (REAL)fold;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (begin + TILE <= size) {
    UNROLLED for (uint k = 0; k < RUN; ++k) {
      out[begin + k * LARGE_GROUP + item] = tile[k * LARGE_GROUP + item];
    }
  } else {
    for (uint k = item; begin + k < size; k += LARGE_GROUP) out[begin + k] = tile[k];
  }
}

__kernel WORK_GROUP(LARGE_GROUP) void scan_tiles(long size, FOLDED identity,
                                                 __global const REAL* in,
                                                 __global const FOLDED* starts,
                                                 __global REAL* out FOLD_PARAMETERS) {
  __local REAL tile[TILE];
  __local FOLDED of_items[LARGE_GROUP];
  const long begin = (long)get_group_id(0) * TILE;
  load_tile(in, begin, size, identity, tile);
  __local REAL* const run = tile + RUN * (uint)get_local_id(0);
  FOLDED total;
  const FOLDED before =
      fold_before(fold_run(run FOLD_ARGUMENTS), identity, of_items, &total FOLD_ARGUMENTS);
  write_tile(combine(starts[get_group_id(0)], before FOLD_ARGUMENTS), begin, size, tile,
             out FOLD_ARGUMENTS);
}

#ifdef NVIDIA_WARP
// One launch, which reads each element once. Each tile publishes its fold, and waits for those before
// it, as in "Single-pass parallel prefix scan with decoupled look-back" (Merrill and Garland 2016).
// There a tile takes whatever prefixes it meets, so that rounding depends on timing. Here what a tile
// reads depends on its number alone: the last of each 32 tiles publishes their fold, the last of each
// 1024 that of 32 such folds, and so on; from these the last of each 32 makes the prefix up to its
// end, which the next 32 read beside the folds of their own. (If all read all levels, the few words
// that everybody waits for take ten times as long as the scan.)

// A part is FOLD_WORDS words: 32 bits of a fold beside a bit that says that they are there (see
// published.cl).

static void publish_fold(__global volatile ulong* part, FOLDED fold) {
  union FoldWords published;
  published.fold = fold;
  UNROLLED for (uint w = 0; w < FOLD_WORDS; ++w) part[w] = 1UL << 32 | published.words[w];
}

static FOLDED awaited_fold(__global const volatile ulong* part) {
  union FoldWords published;
  UNROLLED for (uint w = 0; w < FOLD_WORDS; ++w) {
    ulong word;
    do {
      word = part[w];
    } while (word >> 32 == 0);
    published.words[w] = (uint)word;
  }
  return published.fold;
}

/// Where the parts of a level begin, which stand behind the prefixes.
static long level_begin(long tiles, uint level) {
  long begin = (tiles >> 5) + 1;
  for (uint below = 0; below < level; ++below) begin += (tiles >> 5 * below) + 1;
  return begin;
}

__kernel WORK_GROUP(GROUP) void scan_begin(long words, __global ulong* parts) {
  const long i = (long)get_global_id(0);
  if (i < words) parts[i] = 0;
}

__kernel WORK_GROUP(LARGE_GROUP) void scan_once(long size, FOLDED identity, long tiles,
                                                __global const REAL* in,
                                                __global volatile ulong* parts,
                                                __global REAL* out FOLD_PARAMETERS) {
  __local REAL tile[TILE];
  __local FOLDED folds[LARGE_GROUP];
  const uint item = (uint)get_local_id(0);
  const long number = (long)get_group_id(0);
  load_tile(in, number * TILE, size, identity, tile);
  FOLDED total;
  const FOLDED before = fold_before(fold_run(tile + RUN * item FOLD_ARGUMENTS), identity, folds,
                                    &total FOLD_ARGUMENTS);
  if (item == 0) publish_fold(parts + (level_begin(tiles, 0) + number) * FOLD_WORDS, total);

  // Each 32 items wait for the parts of one level, the nearest first: the digit of `number` in base
  // 32 says how many.
  const uint level = item / 32;
  const uint back = item % 32 + 1;
  const long here = number >> 5 * level;
  const bool is_last = number % 32 == 31;
  __global volatile ulong* const prefixes = parts + (number >> 5) * FOLD_WORDS;
  __global volatile ulong* of_level = parts + level_begin(tiles, level) * FOLD_WORDS;
  FOLDED part = identity;
  if (is_last || level == 0) {
    if (back <= here % 32) part = awaited_fold(of_level + (here - back) * FOLD_WORDS);
  } else if (item == 32 && number >= 32) {
    part = awaited_fold(prefixes - FOLD_WORDS);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  fold_items(part, true, folds FOLD_ARGUMENTS);
  if (back == 32 && (number + 1) % (1L << 5 * (level + 1)) == 0) {
    of_level = parts + level_begin(tiles, level + 1) * FOLD_WORDS;
    publish_fold(of_level + (here >> 5) * FOLD_WORDS, combine(folds[item], total FOLD_ARGUMENTS));
  }
  if (is_last && item == 0) {
    publish_fold(prefixes, combine(folds[LARGE_GROUP - 1], total FOLD_ARGUMENTS));
  }
  write_tile(combine(folds[LARGE_GROUP - 1], before FOLD_ARGUMENTS), number * TILE, size, tile,
             out FOLD_ARGUMENTS);
}
#endif
