// Dense to CSR: count the nonzeros of each stretch of a row, sum the counts of each chunk of
// stretches, make the sums the chunks' starts, spread those to the stretches and to the row
// offsets, and fill in the elements. Rows are cut into `parts` stretches of `width` columns so that
// few long rows keep a device busy as well as many short ones; stretch s is stretch s % parts of row
// s / parts. Sums of counts have 64 bits: how wide offsets must be is known only when all are
// counted.
//
// Counting and filling exist three times: by a warp for each stretch, which reads a long stretch
// about once ("_warp", NVIDIA's devices); by items that share a stretch, for short ones and other
// GPUs; and by one item for each ("_scalar"), for processors, which pay for every barrier.

/// One stretch of a row of the dense matrix.
typedef struct {
  __global const REAL* elements;
  long first;  // column
  uint count;  // columns; 0 beyond the last stretch
} Stretch;

static Stretch stretch_at(long index, long stretches, long cols, uint parts, uint width,
                          __global const REAL* a) {
  Stretch stretch = {a, 0, 0};
  if (index >= stretches) return stretch;
  const long row = parts == 1 ? index : index / parts;  // divisions of 64 bits are slow
  stretch.first = (index - row * parts) * width;
  stretch.count = (uint)min((long)width, cols - stretch.first);
  stretch.elements = a + row * cols + stretch.first;
  return stretch;
}

#ifdef NVIDIA_WARP
/// The offset of another item of the warp.
static OFFSET offset_from_item(OFFSET value, uint item) {
  const ulong bits = (ulong)value;
  const uint low = from_item((uint)bits, item);
  return sizeof(OFFSET) == 4 ? (OFFSET)low
                             : (OFFSET)(low | (ulong)from_item((uint)(bits >> 32), item) << 32);
}
#endif

/// Which of a lane's four elements from j on are not zero. NaN is not zero; -0.0 is. Beyond the
/// stretch the last element is read again, so that no load waits for a branch.
static uint nonzero_bits(const Stretch* stretch, uint j, uint lanes) {
  uint bits = 0;
#pragma unroll
  for (uint i = 0; i < 4; ++i) {
    const uint at = j + i * lanes;
    const REAL value = stretch->elements[min(at, stretch->count - 1)];
    bits |= (uint)(at < stretch->count && value != 0) << i;
  }
  return bits;
}

/// `lanes` items for each stretch, in rounds of four elements each, `lanes` apart.
__kernel WORK_GROUP(GROUP) void count_nonzeros(long stretches, long cols, uint parts, uint width,
                                               __global const REAL* a, __global uint* counts,
                                               uint lanes) {
  __local uint sums[GROUP];
  const uint item = (uint)get_local_id(0);
  const long index = row_of(lanes);
  const Stretch stretch = stretch_at(index, stretches, cols, parts, width, a);
  sums[item] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint count = 0;
  for (uint base = 0; base < stretch.count; base += 4 * lanes) {
    count += popcount(nonzero_bits(&stretch, base + lane_of(lanes), lanes));
  }
  atomic_add(&sums[item >> log2_of(lanes)], count);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane_of(lanes) == 0 && index < stretches) counts[index] = sums[item >> log2_of(lanes)];
}

/// One item for each stretch.
__kernel WORK_GROUP(16) void count_nonzeros_scalar(long stretches, long cols, uint parts,
                                                   uint width, __global const REAL* a,
                                                   __global uint* counts) {
  const long index = (long)get_global_id(0);
  if (index >= stretches) return;
  const Stretch stretch = stretch_at(index, stretches, cols, parts, width, a);
  uint count = 0;
  for (uint j = 0; j < stretch.count; ++j) count += stretch.elements[j] != 0;
  counts[index] = count;
}

/// Turns the sums of all items of the group into the sum of those before each; item 0 returns the
/// sum of all. By one item: the few hundred additions cost less than a tree's barriers save.
static ulong starts_from_sums(__local ulong* sums) {
  ulong total = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    for (uint i = 0; i < GROUP; ++i) {
      const ulong sum = sums[i];
      sums[i] = total;
      total += sum;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return total;
}

/// The counts of the stretches that fall to this item of the chunk's group.
static ulong sum_of_item(long stretches, __global const uint* counts) {
  const long first = (long)get_global_id(0) * STRETCHES_PER_ITEM;
  ulong sum = 0;
  for (long s = first; s < min(first + STRETCHES_PER_ITEM, stretches); ++s) sum += counts[s];
  return sum;
}

/// By one work-group: the chunks' sums become their starts, and chunks[count] the sum of all.
static void starts_of_chunks(long count, __global volatile ulong* chunks, __local ulong* sums) {
  const uint item = (uint)get_local_id(0);
  const long each = (count + GROUP - 1) / GROUP;
  const long begin = min(item * each, count);
  const long end = min(begin + each, count);
  ulong sum = 0;
  for (long i = begin; i < end; ++i) sum += chunks[i];
  sums[item] = sum;
  const ulong total = starts_from_sums(sums);
  ulong start = sums[item];
  for (long i = begin; i < end; ++i) {
    const ulong of_chunk = chunks[i];
    chunks[i] = start;
    start += of_chunk;
  }
  if (item == 0 && count > 0) chunks[count] = total;
}

/// One work-group for each chunk of GROUP * STRETCHES_PER_ITEM stretches: their nonzeros. Where the
/// groups are to `meet`, the last one makes them the chunks' starts.
__kernel WORK_GROUP(GROUP) void sum_chunks(long stretches, __global const uint* counts,
                                           __global ulong* chunks, uint meet,
                                           __global uint* arrivals) {
  __local ulong sums[GROUP];
  __local uint scratch;
  sums[get_local_id(0)] = sum_of_item(stretches, counts);
  const ulong total = starts_from_sums(sums);
  if (get_local_id(0) == 0) chunks[get_group_id(0)] = total;
  const bool is_last = is_last_group(meet ? (uint)get_num_groups(0) : 0, arrivals, &scratch);
  LEAVE_UNLESS(is_last);
  starts_of_chunks(is_last ? (long)get_num_groups(0) : 0, chunks, sums);
}

/// The same by a launch of its own.
__kernel WORK_GROUP(GROUP) void scan_chunks(long count, __global ulong* chunks) {
  __local ulong sums[GROUP];
  starts_of_chunks(count, chunks, sums);
}

/// One work-group for each chunk: where each stretch starts and the last ends, and each row.
__kernel WORK_GROUP(GROUP) void write_offsets(long stretches, uint parts,
                                              __global const uint* counts,
                                              __global const ulong* chunks,
                                              __global OFFSET* starts, __global OFFSET* offsets) {
  __local ulong sums[GROUP];
  sums[get_local_id(0)] = sum_of_item(stretches, counts);
  starts_from_sums(sums);
  ulong start = chunks[get_group_id(0)] + sums[get_local_id(0)];
  const long first = (long)get_global_id(0) * STRETCHES_PER_ITEM;
  for (long s = first; s < min(first + STRETCHES_PER_ITEM, stretches + 1); ++s) {
    starts[s] = (OFFSET)start;
    if (s % parts == 0) offsets[s / parts] = (OFFSET)start;
    if (s < stretches) start += counts[s];
  }
}

/// One bit of four in each byte of the result.
static uint bits_to_bytes(uint bits) {
  return (bits & 1) | (bits & 2) << 7 | (bits & 4) << 14 | (bits & 8) << 21;
}

/// `lanes` items, at most 32, for each stretch, two rounds at a time. In a round neighbouring lanes
/// read and write neighbouring places, four times. How many nonzeros come before in each of the
/// four is counted at once, in the four bytes of one number.
__kernel WORK_GROUP(GROUP) void fill_csr(long stretches, long cols, uint parts, uint width,
                                         __global const REAL* a, __global const OFFSET* starts,
                                         __global int* columns, __global REAL* values,
                                         uint lanes) {
  __local uint scratch[GROUP];
  const long index = row_of(lanes);
  const Stretch stretch = stretch_at(index, stretches, cols, parts, width, a);
  OFFSET at = index < stretches ? starts[index] : 0;
  for (uint base = 0; base < width; base += 8 * lanes) {
    const uint j = base + lane_of(lanes);
    REAL v[8];
    uint bits = 0;
#pragma unroll
    for (uint i = 0; i < 8; ++i) {
      v[i] = j + i * lanes < stretch.count ? stretch.elements[j + i * lanes] : 0;
    }
#pragma unroll
    for (uint i = 0; i < 8; ++i) bits |= (uint)(v[i] != 0) << i;
#pragma unroll
    for (uint turn = 0; turn < 2; ++turn) {
      const uint flags = bits_to_bytes(bits >> (4 * turn));
      uint totals;
      const uint before = scan_over_lanes(flags, lanes, scratch, &totals) - flags;
#pragma unroll
      for (uint i = 0; i < 4; ++i) {
        const OFFSET place = at + (OFFSET)((before >> (8 * i)) & 255);
        if ((flags >> (8 * i)) & 1) {
          columns[place] = (int)(stretch.first + j + (4 * turn + i) * lanes);
          values[place] = v[4 * turn + i];
        }
        at += (OFFSET)((totals >> (8 * i)) & 255);
      }
    }
  }
}

/// One item for each stretch.
__kernel WORK_GROUP(16) void fill_csr_scalar(long stretches, long cols, uint parts, uint width,
                                             __global const REAL* a, __global const OFFSET* starts,
                                             __global int* columns, __global REAL* values) {
  const long index = (long)get_global_id(0);
  if (index >= stretches) return;
  const Stretch stretch = stretch_at(index, stretches, cols, parts, width, a);
  OFFSET at = starts[index];
  const OFFSET end = starts[index + 1];
  // Every element is written where the next nonzero belongs, and stays if it is one: a branch
  // would be mispredicted at every other element of a half-full row (PoCL, 1024 x 1024: 12 ms
  // with it, 0.8 without).
  for (uint j = 0; at < end && j < stretch.count; ++j) {
    const REAL value = stretch.elements[j];
    columns[at] = (int)(stretch.first + j);
    values[at] = value;
    at += value != 0;
  }
}

#ifdef NVIDIA_WARP
// A warp asks all its lanes at once which of 32 neighbouring elements are not zero. The answers are
// kept, a bit for each element: from them the second reading knows where every nonzero belongs
// before it has read one, and leaves out every 32 bytes of zeros. Word w of a stretch is its columns
// 32 w to 32 w + 31; a warp takes BLOCK words at a time, one to each lane.
#define BLOCK WARP
/// Words whose elements are asked for together.
#define WORDS_AHEAD 8
/// Blocks with fewer nonzeros are filled by each lane on its own.
#define FEW 96

/// Word `lane` of a block of the stretch that starts at column `base`.
static uint block_of_masks(const Stretch* stretch, uint base) {
  const uint lane = lane_of(WARP);
  uint mask = 0;
  for (uint first = 0; first < BLOCK && base + first * WARP < stretch->count;
       first += WORDS_AHEAD) {
    bool is_nonzero[WORDS_AHEAD];
#pragma unroll
    for (uint i = 0; i < WORDS_AHEAD; ++i) {
      const uint at = base + (first + i) * WARP + lane;
      const REAL value = stretch->elements[min(at, stretch->count - 1)];
      is_nonzero[i] = at < stretch->count && value != 0;
    }
#pragma unroll
    for (uint i = 0; i < WORDS_AHEAD; ++i) {
      const uint word = ballot(is_nonzero[i]);
      if (lane == first + i) mask = word;
    }
  }
  return mask;
}

/// A warp for each stretch; `masks` takes whole blocks of each.
__kernel WORK_GROUP(GROUP) void count_nonzeros_warp(long stretches, long cols, uint parts,
                                                    uint width, __global const REAL* a,
                                                    __global uint* counts,
                                                    __global uint* masks) {
  const long index = row_of(WARP);
  const Stretch stretch = stretch_at(index, stretches, cols, parts, width, a);
  const uint words = (width + BLOCK * WARP - 1) / (BLOCK * WARP) * BLOCK;
  uint count = 0;
  for (uint base = 0; base < stretch.count; base += BLOCK * WARP) {
    const uint mask = block_of_masks(&stretch, base);
    count += popcount(mask);
    masks[index * words + base / WARP + lane_of(WARP)] = mask;
  }
  for (uint reach = WARP / 2; reach > 0; reach /= 2) count += from_lane_above(count, reach);
  if (lane_of(WARP) == 0 && index < stretches) counts[index] = count;
}

/// Each lane fills in what its own word of a block tells of, which starts at `place`.
static void fill_few(__global const REAL* elements, int column, uint mask, OFFSET place,
                     __global int* columns, __global REAL* values) {
  for (; mask; mask &= mask - 1) {
    const uint bit = 31 - clz(mask & -mask);
    columns[place] = column + (int)bit;
    values[place++] = elements[bit];
  }
}

/// All lanes fill in what each word of a block tells of, one word after the other.
static void fill_many(__global const REAL* elements, int column, uint mask, OFFSET place,
                      __global int* columns, __global REAL* values) {
  const uint lane = lane_of(WARP);
  const uint lanes_below = (1u << lane) - 1;
  for (uint first = 0; first < BLOCK; first += WORDS_AHEAD) {
    uint word[WORDS_AHEAD];
    REAL value[WORDS_AHEAD];
#pragma unroll
    for (uint i = 0; i < WORDS_AHEAD; ++i) {
      word[i] = from_item(mask, first + i);
      const bool is_nonzero = (word[i] >> lane) & 1;
      value[i] = is_nonzero ? elements[(first + i) * WARP + lane] : 0;
    }
#pragma unroll
    for (uint i = 0; i < WORDS_AHEAD; ++i) {
      const OFFSET at = offset_from_item(place, first + i) + popcount(word[i] & lanes_below);
      if ((word[i] >> lane) & 1) {
        columns[at] = column + (int)((first + i) * WARP + lane);
        values[at] = value[i];
      }
    }
  }
}

/// A warp for each stretch, by the masks of count_nonzeros_warp.
__kernel WORK_GROUP(GROUP) void fill_csr_warp(long stretches, long cols, uint parts, uint width,
                                              __global const REAL* a,
                                              __global const OFFSET* starts,
                                              __global int* columns, __global REAL* values,
                                              __global const uint* masks) {
  const uint lane = lane_of(WARP);
  const long index = row_of(WARP);
  const Stretch stretch = stretch_at(index, stretches, cols, parts, width, a);
  const uint words = (width + BLOCK * WARP - 1) / (BLOCK * WARP) * BLOCK;
  OFFSET at = index < stretches ? starts[index] : 0;
  for (uint base = 0; base < stretch.count; base += BLOCK * WARP) {
    const uint mask = masks[index * words + base / WARP + lane];
    uint before = popcount(mask);
    const uint own = before;
    for (uint step = 1; step < WARP; step *= 2) {
      const uint below = from_lane_below(before, step);
      if (lane >= step) before += below;
    }
    const uint total = from_item(before, WARP - 1);
    const OFFSET place = at + (OFFSET)(before - own);
    __global const REAL* elements = stretch.elements + base;
    const int column = (int)(stretch.first + base);
    if (total <= FEW) {
      fill_few(elements + lane * WARP, column + (int)(lane * WARP), mask, place, columns, values);
    } else {
      fill_many(elements, column, mask, place, columns, values);
    }
    at += (OFFSET)total;
  }
}
#endif
