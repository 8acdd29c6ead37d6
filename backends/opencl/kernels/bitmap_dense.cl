// Bitmap from and to dense.
//
// A team of 32 items goes over a row, or a stretch of a row of the dense matrix, by blocks of a word
// of 32 columns for each item. On processors an item does it alone ("_scalar"): they pay for every
// barrier.

#define TEAM (GROUP < 32 ? GROUP : 32)
#define WORD_BITS 32
/// Words whose elements are asked for together.
#define WORDS_AHEAD 8
/// A block is gone over in so many steps as a word has bits, a place for each item. So many of them
/// ask for their elements together.
#define STEPS_AHEAD 8

/// Words of 32 bits of a row.
static long words_of_row(long cols) { return (cols + 63) / 64 * 2; }

/// The lowest set bit. REQUIRES: word != 0.
static uint lowest_bit(uint word) { return 31 - clz(word & -word); }

// Bitmap to dense.

/// A team for each row: each word in turn, with neighbouring items at neighbouring places.
__kernel WORK_GROUP(GROUP) void fill_dense_from_bitmap(long rows, long cols,
                                                       __global const OFFSET* offsets,
                                                       __global const uint* masks,
                                                       __global const REAL* values,
                                                       __global REAL* a) {
  __local uint shared[3 * GROUP];
  const uint item = (uint)get_local_id(0);
  const uint lane = lane_of(TEAM);
  __local uint* block_words = shared + GROUP + (item - lane);
  __local uint* block_starts = shared + 2 * GROUP + (item - lane);
  const long row = row_of(TEAM);
  const bool inside = row < rows;
  const long words = words_of_row(cols);
  if (inside) {
    values += offsets[row];
    a += row * cols;
  }
  for (long w = 0; w < words; w += TEAM) {
    const uint own = inside && w + lane < words ? masks[row * words + w + lane] : 0;
    const uint count = popcount(own);
    uint total;
    const uint start = scan_over_lanes(count, TEAM, shared, &total) - count;
    block_words[lane] = own;
    block_starts[lane] = start;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 0; step < WORD_BITS; step += STEPS_AHEAD) {
      REAL value[STEPS_AHEAD];
#pragma unroll
      for (uint i = 0; i < STEPS_AHEAD; ++i) {
        const uint place = (step + i) * TEAM + lane;
        const uint word = block_words[place / WORD_BITS];
        const uint bit = place % WORD_BITS;
        const uint k = block_starts[place / WORD_BITS] + popcount(word & ((1u << bit) - 1));
        value[i] = (word >> bit) & 1 ? values[k] : 0;
      }
#pragma unroll
      for (uint i = 0; i < STEPS_AHEAD; ++i) {
        const long column = w * WORD_BITS + (step + i) * TEAM + lane;
        if (inside && column < cols) a[column] = value[i];
      }
    }
    values += total;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

/// One item for each row.
__kernel WORK_GROUP(16) void fill_dense_from_bitmap_scalar(long rows, long cols,
                                                           __global const OFFSET* offsets,
                                                           __global const uint* masks,
                                                           __global const REAL* values,
                                                           __global REAL* a) {
  const long row = (long)get_global_id(0);
  if (row >= rows) return;
  const long words = words_of_row(cols);
  values += offsets[row];
  a += row * cols;
  for (long j = 0; j < cols; ++j) a[j] = 0;
  for (long w = 0; w < words; ++w) {
    for (uint word = masks[row * words + w]; word; word &= word - 1) {
      a[w * WORD_BITS + lowest_bit(word)] = *values++;
    }
  }
}

// Dense to bitmap. Rows are cut into `parts` stretches of `width` columns, a multiple of 64, so that
// few long rows keep a device busy: stretch s is stretch s % parts of row s / parts.

/// The words of one stretch of the dense matrix.
typedef struct {
  __global const REAL* elements;
  __global uint* words;
  uint columns;  // of the matrix; 0 beyond the last stretch
  uint count;    // of the words
} Stretch;

static Stretch stretch_at(long index, long stretches, long cols, uint parts, uint width,
                          __global const REAL* a, __global uint* masks) {
  Stretch stretch = {a, masks, 0, 0};
  if (index >= stretches) return stretch;
  const long row = parts == 1 ? index : index / parts;  // divisions of 64 bits are slow
  const long first = (index - row * parts) * width;
  stretch.columns = (uint)min((long)width, cols - first);
  stretch.count = (stretch.columns + 63) / 64 * 2;
  stretch.elements = a + row * cols + first;
  stretch.words = masks + row * words_of_row(cols) + first / WORD_BITS;
  return stretch;
}

/// A word of a stretch, read by one item. NaN is not zero; -0.0 is.
static uint read_word(const Stretch* stretch, uint w) {
  uint word = 0;
  for (uint j = w * WORD_BITS; j < min((w + 1) * WORD_BITS, stretch->columns); ++j) {
    word |= (uint)(stretch->elements[j] != 0) << (j % WORD_BITS);
  }
  return word;
}

/// The words of a block, one for each item, from word `first` on.
static uint read_words(const Stretch* stretch, uint first) {
  const uint lane = lane_of(TEAM);
#ifdef NVIDIA_WARP
  uint own = 0;
  for (uint base = 0; base < TEAM && first + base < stretch->count; base += WORDS_AHEAD) {
    bool is_nonzero[WORDS_AHEAD];
#pragma unroll
    for (uint i = 0; i < WORDS_AHEAD; ++i) {
      const uint at = (first + base + i) * WORD_BITS + lane;
      const REAL value = stretch->elements[min(at, stretch->columns - 1)];
      is_nonzero[i] = at < stretch->columns && value != 0;
    }
#pragma unroll
    for (uint i = 0; i < WORDS_AHEAD; ++i) {
      const uint word = ballot(is_nonzero[i]);
      if (lane == base + i) own = word;
    }
  }
  return own;
#else
  return first + lane < stretch->count ? read_word(stretch, first + lane) : 0;
#endif
}

/// A team for each stretch: writes its words and the number of their bits.
__kernel WORK_GROUP(GROUP) void bits_of_dense(long stretches, long cols, uint parts, uint width,
                                              __global const REAL* a, __global uint* masks,
                                              __global uint* counts) {
  __local uint shared[GROUP];
  const long index = row_of(TEAM);
  const Stretch stretch = stretch_at(index, stretches, cols, parts, width, a, masks);
  const uint lane = lane_of(TEAM);
  uint count = 0;
  for (uint first = 0; first < stretch.count; first += TEAM) {
    const uint word = read_words(&stretch, first);
    if (first + lane < stretch.count) stretch.words[first + lane] = word;
    count += popcount(word);
  }
  uint total;
  scan_over_lanes(count, TEAM, shared, &total);
  if (lane == 0 && index < stretches) counts[index] = total;
}

/// One item for each stretch.
__kernel WORK_GROUP(16) void bits_of_dense_scalar(long stretches, long cols, uint parts,
                                                  uint width, __global const REAL* a,
                                                  __global uint* masks, __global uint* counts) {
  const long index = (long)get_global_id(0);
  if (index >= stretches) return;
  const Stretch stretch = stretch_at(index, stretches, cols, parts, width, a, masks);
  uint count = 0;
  for (uint w = 0; w < stretch.count; ++w) {
    const uint word = read_word(&stretch, w);
    stretch.words[w] = word;
    count += popcount(word);
  }
  counts[index] = count;
}

/// A team for each stretch, by the words of bits_of_dense: each word in turn, with neighbouring
/// items at neighbouring places.
__kernel WORK_GROUP(GROUP) void values_of_dense(long stretches, long cols, uint parts, uint width,
                                                __global const REAL* a, __global uint* masks,
                                                __global const OFFSET* starts,
                                                __global REAL* values) {
  __local uint shared[3 * GROUP];
  const uint item = (uint)get_local_id(0);
  const uint lane = lane_of(TEAM);
  __local uint* block_words = shared + GROUP + (item - lane);
  __local uint* block_starts = shared + 2 * GROUP + (item - lane);
  const long index = row_of(TEAM);
  const Stretch stretch = stretch_at(index, stretches, cols, parts, width, a, masks);
  if (index < stretches) values += starts[index];
  for (uint first = 0; first < width / WORD_BITS; first += TEAM) {
    const uint own = first + lane < stretch.count ? stretch.words[first + lane] : 0;
    const uint count = popcount(own);
    uint total;
    const uint start = scan_over_lanes(count, TEAM, shared, &total) - count;
    block_words[lane] = own;
    block_starts[lane] = start;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 0; step < WORD_BITS; step += STEPS_AHEAD) {
      REAL value[STEPS_AHEAD];
#pragma unroll
      for (uint i = 0; i < STEPS_AHEAD; ++i) {
        const uint place = (step + i) * TEAM + lane;
        const bool is_stored = (block_words[place / WORD_BITS] >> (place % WORD_BITS)) & 1;
        value[i] = is_stored ? stretch.elements[first * WORD_BITS + place] : 0;
      }
#pragma unroll
      for (uint i = 0; i < STEPS_AHEAD; ++i) {
        const uint place = (step + i) * TEAM + lane;
        const uint word = block_words[place / WORD_BITS];
        const uint bit = place % WORD_BITS;
        const uint k = block_starts[place / WORD_BITS] + popcount(word & ((1u << bit) - 1));
        if ((word >> bit) & 1) values[k] = value[i];
      }
    }
    values += total;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

/// One item for each stretch.
__kernel WORK_GROUP(16) void values_of_dense_scalar(long stretches, long cols, uint parts,
                                                    uint width, __global const REAL* a,
                                                    __global uint* masks,
                                                    __global const OFFSET* starts,
                                                    __global REAL* values) {
  const long index = (long)get_global_id(0);
  if (index >= stretches) return;
  const Stretch stretch = stretch_at(index, stretches, cols, parts, width, a, masks);
  values += starts[index];
  for (uint w = 0; w < stretch.count; ++w) {
    for (uint word = stretch.words[w]; word; word &= word - 1) {
      *values++ = stretch.elements[w * WORD_BITS + lowest_bit(word)];
    }
  }
}
