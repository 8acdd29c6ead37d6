// y = alpha A x + beta y with A as a bitmap whose values pass through local memory.
//
// A team of 32 items goes over STAGED_ROWS rows at once by blocks of a word for each item. It keeps the
// elements of x of a block in registers, for all its rows. A row's values of a block are copied to
// local memory, as they lie, while the team works on the row before. There each item reads those of
// its own neighbouring columns, as many as 16 bytes of x hold.

/// Items that go over a row together.
#define TEAM (GROUP < 32 ? GROUP : 32)
#define WORD_BITS 32
/// Columns of a block, and how often the team steps on to the next ones in it.
#define BLOCK (TEAM * WORD_BITS)
#define STEPS (WORD_BITS / WIDE_LENGTH)
#define REAL_BYTES ((uint)sizeof(REAL))

/// On NVIDIA's devices teams of a group need not wait for each other; elsewhere each is a group.
/// Local memory holds the blocks of 128 items in float, of 64 in double.
#ifndef NVIDIA_WARP
#define STAGED_GROUP TEAM
#elif defined(REAL_IS_DOUBLE)
#define STAGED_GROUP (GROUP < 64 ? GROUP : 64)
#else
#define STAGED_GROUP (GROUP < 128 ? GROUP : 128)
#endif
#define TEAMS (STAGED_GROUP / TEAM)

/// Elements of local memory for a block that begins anywhere in 16 bytes. On NVIDIA's devices more than
/// that: then 16 warps share a multiprocessor instead of 20, and the compiler takes more registers, so
/// that more loads are under way (H200, 16384 x 16384 in float, half full: 149 us; an earlier form took
/// 153, and 179 without).
#ifdef NVIDIA_WARP
#define ROOM (BLOCK + 3 * BLOCK / 8)
#else
#define ROOM (BLOCK + WIDE_LENGTH)
#endif

/// The bits set in `word` and in the words of the lanes before, and in those of all lanes.
static uint scan_of_bits(uint word, uint* total, __local uint* scratch) {
#ifdef NVIDIA_WARP
  (void)scratch;
  uint count = popcount(word);
  __asm__ volatile(
      "{ .reg .pred p; .reg .u32 t;"
      " shfl.sync.up.b32 t|p, %0, 1, 0, 0xffffffff; @p add.u32 %0, %0, t;"
      " shfl.sync.up.b32 t|p, %0, 2, 0, 0xffffffff; @p add.u32 %0, %0, t;"
      " shfl.sync.up.b32 t|p, %0, 4, 0, 0xffffffff; @p add.u32 %0, %0, t;"
      " shfl.sync.up.b32 t|p, %0, 8, 0, 0xffffffff; @p add.u32 %0, %0, t;"
      " shfl.sync.up.b32 t|p, %0, 16, 0, 0xffffffff; @p add.u32 %0, %0, t; }"
      : "+r"(count));
  *total = from_item(count, WARP - 1);
  return count;
#else
  return scan_over_lanes(popcount(word), TEAM, scratch, total);
#endif
}

/// Copies elements `begin` to `end` behind `from` to the same places of local memory. Both begin on 16
/// bytes. What lies before and behind them in their 16 bytes may be copied as well: every buffer ends
/// on 16 bytes.
static void copy_ahead(__global const REAL* from, uint begin, uint end, __local REAL* to) {
#ifdef COPIES_AHEAD
  (void)begin;
  NOT_UNROLLED
  for (uint k = WIDE_LENGTH * lane_of(TEAM); k < end; k += WIDE_LENGTH * TEAM) {
    __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                     :
                     : "l"(to + k), "l"(from + k)
                     : "memory");
  }
  __asm__ volatile("cp.async.commit_group;" ::: "memory");
#else
  for (uint k = begin + lane_of(TEAM); k < end; k += TEAM) to[k] = from[k];
#endif
}

/// All copies but the last are there, for all items of the team, who must come here.
static void wait_for_copies(void) {
#ifdef COPIES_AHEAD
  __asm__ volatile("cp.async.wait_group 1;" ::: "memory");
#endif
  meet_team();
}

/// How many bytes of local memory `element` lies behind `base`. On NVIDIA's devices its address will do,
/// which spares adding `base` again.
static uint bytes_from(__local const REAL* base, __local const REAL* element) {
#ifdef NVIDIA_WARP
  (void)base;
  return (uint)(ulong)element;
#else
  return (uint)(element - base) * REAL_BYTES;
#endif
}

static REAL value_at(__local const REAL* base, uint bytes) {
#ifdef NVIDIA_WARP
  (void)base;
  return *(__local const REAL*)(ulong)bytes;
#else
  return *(__local const REAL*)((__local const char*)base + bytes);
#endif
}

/// Starts to copy the values of a block of a row, which begin at number `at`, to `room`. Of each word
/// notes in `places` what it is, and where its values are (`value_at`). Returns how many values they
/// are. All items of the team must come here.
static uint stage_block(uint word, OFFSET at, __global const REAL* values,
                        __local const REAL* base, __local REAL* room, __local uint2* places,
                        __local uint* scratch) {
  uint total;
  const uint before = scan_of_bits(word, &total, scratch) - popcount(word);
  const uint head = (uint)at & (WIDE_LENGTH - 1);
  places[lane_of(TEAM)] = (uint2)(word, bytes_from(base, room + head + before));
  copy_ahead(values + (at - (OFFSET)head), head, head + total, room);
  return total;
}

/// `sum` and the products of the values and elements whose bits are set. What is not stored is not
/// multiplied: either factor may be infinite.
static REAL added(uint bits, const REAL* value, const REAL* element, REAL sum) {
#ifndef NVIDIA_WARP
  for (uint j = 0; j < WIDE_LENGTH; ++j) {
    sum = bits >> j & 1 ? sum + value[j] * element[j] : sum;
  }
#elif defined(REAL_IS_DOUBLE)
  __asm__(
      "{ .reg .pred p0, p1; .reg .u32 t;"
      " and.b32 t, %1, 1; setp.ne.u32 p0, t, 0; and.b32 t, %1, 2; setp.ne.u32 p1, t, 0;"
      " @p0 fma.rn.f64 %0, %2, %4, %0; @p1 fma.rn.f64 %0, %3, %5, %0; }"
      : "+d"(sum)
      : "r"(bits), "d"(value[0]), "d"(value[1]), "d"(element[0]), "d"(element[1]));
#else
  __asm__(
      "{ .reg .pred p0, p1, p2, p3; .reg .u32 t;"
      " and.b32 t, %1, 1; setp.ne.u32 p0, t, 0; and.b32 t, %1, 2; setp.ne.u32 p1, t, 0;"
      " and.b32 t, %1, 4; setp.ne.u32 p2, t, 0; and.b32 t, %1, 8; setp.ne.u32 p3, t, 0;"
      " @p0 fma.rn.f32 %0, %2, %6, %0; @p1 fma.rn.f32 %0, %3, %7, %0;"
      " @p2 fma.rn.f32 %0, %4, %8, %0; @p3 fma.rn.f32 %0, %5, %9, %0; }"
      : "+f"(sum)
      : "r"(bits), "f"(value[0]), "f"(value[1]), "f"(value[2]), "f"(value[3]), "f"(element[0]),
        "f"(element[1]), "f"(element[2]), "f"(element[3]));
#endif
  return sum;
}

/// Adds an item's part of a block that was staged. Where a place is empty, the value of the next one
/// is read, or whatever stands there.
static REAL add_block(const REAL* elements, __local const REAL* base, __local const uint2* places,
                      REAL sum) {
  const uint column = lane_of(TEAM) * WIDE_LENGTH;
  const uint shift = column % WORD_BITS;
  const uint below = (1u << shift) - 1;
  REAL sums[2] = {sum, 0};
  UNROLLED
  for (uint step = 0; step < STEPS; ++step) {
    const uint2 place = places[(step * TEAM * WIDE_LENGTH + column) / WORD_BITS];
    const uint bits = place.x >> shift;
    uint at = place.y + popcount(place.x & below) * REAL_BYTES;
    REAL value[WIDE_LENGTH];
    UNROLLED
    for (uint j = 0; j < WIDE_LENGTH; ++j) {
      value[j] = value_at(base, at);
      at += (bits >> j & 1) * REAL_BYTES;
    }
    sums[step % 2] = added(bits, value, elements + WIDE_LENGTH * step, sums[step % 2]);
  }
  return sums[0] + sums[1];
}

/// An item's elements of x in the block from column `first` on; beyond the last one, 0.
static void load_block_of_x(long cols, __global const REAL* x, long first, REAL* elements) {
  const long column = first + lane_of(TEAM) * WIDE_LENGTH;
  if (first + BLOCK <= cols) {
    UNROLLED
    for (uint step = 0; step < STEPS; ++step) {
      const WIDE some = *(__global const WIDE*)(x + column + step * TEAM * WIDE_LENGTH);
      elements[WIDE_LENGTH * step] = some.s0;
      elements[WIDE_LENGTH * step + 1] = some.s1;
#if WIDE_LENGTH == 4
      elements[WIDE_LENGTH * step + 2] = some.s2;
      elements[WIDE_LENGTH * step + 3] = some.s3;
#endif
    }
    return;
  }
  UNROLLED
  for (uint k = 0; k < WIDE_LENGTH * STEPS; ++k) {
    const long place = column + k / WIDE_LENGTH * TEAM * WIDE_LENGTH + k % WIDE_LENGTH;
    elements[k] = place < cols ? x[place] : 0;
  }
}

/// Word w of a row, empty from `end` on.
static uint staged_word(__global const uint* row, long w, long end) {
  return w < end ? (uint)streamed_int((__global const int*)row + w) : 0;
}

/// Moves `at` of each row on by the bits that are set before word `end`. The words of all rows are
/// asked for together. All items of the team must come here.
static void skip_bits(__global const uint* const* row_masks, long end, OFFSET* at,
                      __local uint* scratch) {
  uint counts[STAGED_ROWS] = {0};
  for (long w = lane_of(TEAM); w < end; w += TEAM) {
    UNROLLED
    for (uint r = 0; r < STAGED_ROWS; ++r) counts[r] += popcount(row_masks[r][w]);
  }
  UNROLLED
  for (uint r = 0; r < STAGED_ROWS; ++r) {
    uint total;
    scan_over_lanes(counts[r], TEAM, scratch, &total);
    at[r] += (OFFSET)total;
  }
}

/// `teams` teams, a power of two, for each STAGED_ROWS rows: each has `span` words of them, a multiple
/// of TEAM.
__kernel WORK_GROUP(STAGED_GROUP) void bitmap_staged(
    long rows, long cols, uint teams, long span, long nnz, __global const OFFSET* offsets,
    __global const uint* masks, __global const REAL* values, REAL alpha, __global const REAL* x,
    REAL beta, __global REAL* y) {
  (void)nnz;  // an argument of bitmap_rows as well
  __local REAL scratch[STAGED_GROUP];
  __local uint counts[STAGED_GROUP];
  const uint lanes = teams * TEAM;
  const uint lane = lane_of(TEAM);
  const long first_row = row_of(lanes) * STAGED_ROWS;
  const long words = (cols + 63) / 64 * 2;
  const long begin = min((long)(lane_of(lanes) / TEAM) * span, words);
  const long end = min(begin + span, words);
  OFFSET at[STAGED_ROWS];
  __global const uint* row_masks[STAGED_ROWS];
  REAL sums[STAGED_ROWS];
  UNROLLED
  for (uint r = 0; r < STAGED_ROWS; ++r) {
    // Beyond the last row that one is summed again, and left.
    const long row = min(first_row + r, rows - 1);
    row_masks[r] = masks + row * words;
    at[r] = offsets[row];
    sums[r] = 0;
  }
  if (teams > 1) skip_bits(row_masks, begin, at, counts);
#ifdef NVIDIA_WARP
  __local REAL rooms[TEAMS][2][ROOM] __attribute__((aligned(16)));
  __local uint2 places[TEAMS][2][TEAM];
  const uint team = (uint)get_local_id(0) / TEAM;
  __local const REAL* const base = rooms[0][0];
  uint next[STAGED_ROWS];
  UNROLLED
  for (uint r = 0; r < STAGED_ROWS; ++r) {
    next[r] = staged_word(row_masks[r], begin + lane, end);
  }
  uint now = 0;
  uint total = stage_block(next[0], at[0], values, base, rooms[team][0], places[team][0],
                           counts);
  next[0] = staged_word(row_masks[0], begin + TEAM + lane, end);
  for (long w = begin; w < end; w += TEAM) {
    REAL elements[WIDE_LENGTH * STEPS];
    load_block_of_x(cols, x, w * WORD_BITS, elements);
    UNROLLED
    for (uint r = 0; r < STAGED_ROWS; ++r) {
      // The next row's block, or that of the first row which comes next; behind the last, nothing.
      const uint n = (r + 1) % STAGED_ROWS;
      const uint word = next[n];
      next[n] = staged_word(row_masks[n], w + ((r + 1) / STAGED_ROWS + 1) * TEAM + lane, end);
      at[r] += (OFFSET)total;
      total = stage_block(word, at[n], values, base, rooms[team][now ^ 1],
                          places[team][now ^ 1], counts);
      wait_for_copies();
      sums[r] = add_block(elements, base, places[team][now], sums[r]);
      meet_team();
      now ^= 1;
    }
  }
#else
  // Only tests run this: PoCL 3.1 loses variables around the barriers of the above. Each item counts
  // the bits before its own words by itself.
  for (uint r = 0; r < STAGED_ROWS; ++r) {
    __global const REAL* value = values + at[r];
    for (long w = begin; w < end; ++w) {
      const uint word = row_masks[r][w];
      if (w % TEAM == lane) {
        __global const REAL* of_word = value;
        for (uint left = word; left; left &= left - 1) {
          sums[r] += *of_word++ * x[w * WORD_BITS + (31 - clz(left & -left))];
        }
      }
      value += popcount(word);
    }
  }
#endif
  UNROLLED
  for (uint r = 0; r < STAGED_ROWS; ++r) {
    const REAL sum = sum_over_lanes(sums[r], lanes, scratch);
    const long row = first_row + r;
    if (lane_of(lanes) == 0 && row < rows) y[row] = updated(alpha, sum, beta, y, row);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
