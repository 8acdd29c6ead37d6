// y = alpha A x + beta y with A as a bitmap: a bit for each place, values packed row by row.
//
// Counting bits is slow (H200: a warp in 8 cycles of its scheduler), so that each item counts for
// as many places at once as x is read with 16 bytes: a team of 32 items goes over its rows by blocks
// of a word for each item. Each counts the bits of its own word; a scan tells where the values of
// each word begin. Then the team goes over the block by chunks, WIDE_LENGTH neighbouring columns
// for each item, which asks for the word that these lie in and counts the bits before them.

/// Items that go over a row together.
#define TEAM (GROUP < 32 ? GROUP : 32)
#define WORD_BITS 32
/// Chunks of a block.
#define CHUNKS (WORD_BITS / WIDE_LENGTH)

/// Local memory for the words of a block, which items of a warp ask one another for.
#ifdef NVIDIA_WARP
#define SHARED_WORDS 1
#else
#define SHARED_WORDS (2 * GROUP * BITMAP_ROWS)
#endif

/// Whether blocks within the matrix are added without care. On NVIDIA's devices only: PoCL 3.1
/// miscompiles the choice between the two loops.
#ifdef NVIDIA_WARP
#define CARELESS 1
#else
#define CARELESS 0
#endif

/// Each item's word of a block and the bits set in the words before it, and those in all words of the
/// block. All items of the group must come here. `shared` is for the blocks of one row, and may not
/// be written again until after a barrier.
static uint scan_block(uint word, uint* total, __local uint* shared) {
  const uint count = popcount(word);
  const uint before = scan_over_lanes(count, TEAM, shared, total) - count;
#ifndef NVIDIA_WARP
  shared[get_local_id(0)] = word;
  shared[GROUP + get_local_id(0)] = before;
#endif
  return before;
}

/// A number of another item of the team, of which this one has `own`.
static uint of_item(uint own, uint item, __local const uint* shared) {
#ifdef NVIDIA_WARP
  (void)shared;
  return from_item(own, item);
#else
  (void)own;
  return shared[(uint)get_local_id(0) / TEAM * TEAM + item];
#endif
}

/// Elements of x from a column on. If `careful`, those beyond `cols` are 0.
static void load_x(bool careful, long cols, __global const REAL* x, long column, REAL* elements) {
  if (careful) {
#pragma unroll
    for (uint j = 0; j < WIDE_LENGTH; ++j) elements[j] = column + j < cols ? x[column + j] : 0;
    return;
  }
  const WIDE loaded = *(__global const WIDE*)(x + column);
  elements[0] = loaded.s0;
  elements[1] = loaded.s1;
#if WIDE_LENGTH == 4
  elements[2] = loaded.s2;
  elements[3] = loaded.s3;
#endif
}

/// The sum of the places of an item's columns. The values of empty places are read as well, which
/// are those of the next; if `careful`, they are not, as there may be none. The values of an item
/// are neighbours, which it reads one by one: from the first cache (H200, 16384 x 16384 half full:
/// 276 us past it, 170 through it).
static REAL sum_of_places(bool careful, uint bits, __global const REAL* values,
                          const REAL* elements, REAL sum) {
  REAL value[WIDE_LENGTH];
  uint k = 0;
#pragma unroll
  for (uint j = 0; j < WIDE_LENGTH; ++j) {
    const bool is_stored = (bits >> j) & 1;
    value[j] = careful && !is_stored ? 0 : values[k];
    k += is_stored;
  }
#pragma unroll
  for (uint j = 0; j < WIDE_LENGTH; ++j) {
    // What is not stored is not multiplied: either factor may be infinite.
    sum = (bits >> j) & 1 ? sum + value[j] * elements[j] : sum;
  }
  return sum;
}

/// Adds a block, from column `first` on, of all rows of the team to `sums`. The block's values are
/// those from number `at` on.
static void add_block(bool careful, long cols, long first, const uint* words, const uint* before,
                      __global const REAL* values, const OFFSET* at, __global const REAL* x,
                      __local const uint* shared, REAL* sums) {
  const uint lane = lane_of(TEAM);
  const long columns = TEAM * WIDE_LENGTH;
  const long wanted = (cols - first + columns - 1) / columns;
  const uint chunks = careful ? (uint)clamp(wanted, 0L, (long)CHUNKS) : CHUNKS;
#ifdef NVIDIA_WARP
#pragma unroll 8
#endif
  for (uint chunk = 0; chunk < chunks; ++chunk) {
    const uint place = (chunk * TEAM + lane) * WIDE_LENGTH;
    const uint shift = place % WORD_BITS;
    REAL elements[WIDE_LENGTH];
    load_x(careful, cols, x, first + place, elements);
// The compiler of PoCL 3.1 fails where this one is unrolled.
#ifdef NVIDIA_WARP
#pragma unroll
#endif
    for (uint r = 0; r < BITMAP_ROWS; ++r) {
      __local const uint* of_row = shared + 2 * GROUP * r;
      const uint word = of_item(words[r], place / WORD_BITS, of_row);
      const uint start = of_item(before[r], place / WORD_BITS, of_row + GROUP) +
                         popcount(word & ((1u << shift) - 1));
      sums[r] =
          sum_of_places(careful, word >> shift, values + at[r] + start, elements, sums[r]);
    }
  }
}

/// Word w of a row, empty beyond its end. Each item asks for its word of the next block before it
/// goes over this one: the values of a block can only be asked for when its words are there.
static uint word_at(__global const uint* words_of_row, long w, long words) {
  return w < words ? words_of_row[w] : 0;
}

/// How many bits are set before word `end` of a row, for the team. All items of the group must come
/// here.
static OFFSET bits_before(__global const uint* words, long end, __local uint* scratch) {
  OFFSET count = 0;
  for (long w = lane_of(TEAM); w < end; w += TEAM) count += popcount(words[w]);
  uint total;
  scan_over_lanes((uint)count, TEAM, scratch, &total);
  return (OFFSET)total;
}

/// `teams` teams, a power of two, for each BITMAP_ROWS rows: each has `span` words of them, a
/// multiple of TEAM.
__kernel WORK_GROUP(GROUP) void bitmap_rows(long rows, long cols, uint teams, long span, long nnz,
                                            __global const OFFSET* offsets,
                                            __global const uint* masks,
                                            __global const REAL* values, REAL alpha,
                                            __global const REAL* x, REAL beta, __global REAL* y) {
  __local REAL scratch[GROUP];
  __local uint shared[SHARED_WORDS];
  const uint lanes = teams * TEAM;
  const uint lane = lane_of(TEAM);
  const long first_row = row_of(lanes) * BITMAP_ROWS;
  const long words = (cols + 63) / 64 * 2;
  const long begin = lane_of(lanes) / TEAM * span;
  OFFSET at[BITMAP_ROWS];
  long first_word[BITMAP_ROWS];
  uint next_word[BITMAP_ROWS];
  REAL sums[BITMAP_ROWS];
#pragma unroll
  for (uint r = 0; r < BITMAP_ROWS; ++r) {
    // Beyond the last row that one is summed again, and left.
    const long row = min(first_row + r, rows - 1);
    first_word[r] = row * words;
    at[r] = offsets[row];
    if (teams > 1) at[r] += bits_before(masks + first_word[r], min(begin, words), shared);
    next_word[r] = word_at(masks + first_word[r], begin + lane, words);
    sums[r] = 0;
  }
  for (long step = 0; step < span; step += TEAM) {
    const long w = begin + step;
    uint word[BITMAP_ROWS];
    uint before[BITMAP_ROWS];
    uint total[BITMAP_ROWS];
    bool careful = !CARELESS || (w + TEAM) * WORD_BITS > cols;
#pragma unroll
    for (uint r = 0; r < BITMAP_ROWS; ++r) {
      word[r] = next_word[r];
      next_word[r] = word_at(masks + first_word[r], w + TEAM + lane, words);
      before[r] = scan_block(word[r], &total[r], shared + 2 * GROUP * r);
      careful |= at[r] + (OFFSET)total[r] >= nnz;
    }
#ifndef NVIDIA_WARP
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    if (careful) {
      add_block(true, cols, w * WORD_BITS, word, before, values, at, x, shared, sums);
    } else {
      add_block(false, cols, w * WORD_BITS, word, before, values, at, x, shared, sums);
    }
#pragma unroll
    for (uint r = 0; r < BITMAP_ROWS; ++r) at[r] += (OFFSET)total[r];
#ifndef NVIDIA_WARP
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
  }
#pragma unroll
  for (uint r = 0; r < BITMAP_ROWS; ++r) {
    const REAL sum = sum_over_lanes(sums[r], lanes, scratch);
    const long row = first_row + r;
    if (lane_of(lanes) == 0 && row < rows) y[row] = updated(alpha, sum, beta, y, row);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

/// One item for each row: for processors, which pay for every barrier.
__kernel WORK_GROUP(16) void bitmap_scalar(long rows, long cols, __global const OFFSET* offsets,
                                           __global const uint* masks,
                                           __global const REAL* values, REAL alpha,
                                           __global const REAL* x, REAL beta, __global REAL* y) {
  const long row = (long)get_global_id(0);
  if (row >= rows) return;
  const long words = (cols + 63) / 64 * 2;
  __global const uint* row_words = masks + row * words;
  __global const REAL* value = values + offsets[row];
  REAL sum = 0;
  for (long w = 0; w < words; ++w) {
    for (uint word = row_words[w]; word; word &= word - 1) {
      sum += *value++ * x[w * WORD_BITS + (31 - clz(word & -word))];
    }
  }
  y[row] = updated(alpha, sum, beta, y, row);
}
