// Dense to CSR in five launches: count the nonzeros of each stretch of a row, sum the counts of
// each chunk of stretches, make the sums the chunks' starts, spread those to the stretches and to
// the row offsets, and fill in the elements. Rows are cut into `parts` stretches of `width` columns
// so that few long rows keep a device busy as well as many short ones; stretch s is stretch
// s % parts of row s / parts. Sums of counts have 64 bits: how wide offsets must be is known only
// after the third launch.
//
// Counting and filling exist twice: by items that share a stretch, for GPUs, and by one item for
// each ("_scalar"), for processors, which pay for every barrier.

#define STRETCHES_PER_ITEM 8

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

static REAL element_or_zero(const Stretch* stretch, uint j) {
  return j < stretch->count ? stretch->elements[j] : 0;
}

/// Where a lane keeps which of its elements are not zero: 4 bits for each of ROUNDS_PER_WORD
/// rounds, a 32nd of what the elements take. With them the second reading leaves out every 32
/// bytes of zeros. Only long stretches have masks: those of short ones are mostly unused bits.
#define ROUNDS_PER_WORD 8

static long word_of(long index, uint round, uint width, uint lanes) {
  const uint per_word = 4 * lanes * ROUNDS_PER_WORD;
  const uint words_of_lane = (width + per_word - 1) / per_word;
  return (index * words_of_lane + round / ROUNDS_PER_WORD) * lanes + lane_of(lanes);
}

/// `lanes` items for each stretch, four loads of each in flight. NaN is not zero; -0.0 is.
__kernel WORK_GROUP(GROUP) void count_nonzeros(long stretches, long cols, uint parts, uint width,
                                               __global const REAL* a, __global uint* counts,
                                               uint masked, __global uint* masks, uint lanes) {
  __local uint sums[GROUP];
  const uint item = (uint)get_local_id(0);
  const long index = row_of(lanes);
  const Stretch stretch = stretch_at(index, stretches, cols, parts, width, a);
  sums[item] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint count = 0, word = 0, round = 0;
  for (uint base = 0; base < stretch.count; base += 4 * lanes, ++round) {
    const uint j = base + lane_of(lanes);
    const REAL v0 = element_or_zero(&stretch, j);
    const REAL v1 = element_or_zero(&stretch, j + lanes);
    const REAL v2 = element_or_zero(&stretch, j + 2 * lanes);
    const REAL v3 = element_or_zero(&stretch, j + 3 * lanes);
    const uint bits = (uint)(v0 != 0) | (uint)(v1 != 0) << 1 | (uint)(v2 != 0) << 2 |
                      (uint)(v3 != 0) << 3;
    count += popcount(bits);
    word |= bits << (4 * (round % ROUNDS_PER_WORD));
    const bool is_last = base + 4 * lanes >= stretch.count;
    if (masked && (is_last || round % ROUNDS_PER_WORD == ROUNDS_PER_WORD - 1)) {
      masks[word_of(index, round, width, lanes)] = word;
      word = 0;
    }
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

/// One work-group for each chunk of GROUP * STRETCHES_PER_ITEM stretches: their nonzeros.
__kernel WORK_GROUP(GROUP) void sum_chunks(long stretches, __global const uint* counts,
                                           __global ulong* chunks) {
  __local ulong sums[GROUP];
  sums[get_local_id(0)] = sum_of_item(stretches, counts);
  const ulong total = starts_from_sums(sums);
  if (get_local_id(0) == 0) chunks[get_group_id(0)] = total;
}

/// A single work-group: the chunks' sums become their starts, and chunks[count] the sum of all.
__kernel WORK_GROUP(GROUP) void scan_chunks(long count, __global ulong* chunks) {
  __local ulong sums[GROUP];
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
  if (item == 0) chunks[count] = total;
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

/// The sum of `value` over this lane and those before it; `total`, over all lanes of the stretch.
/// At most 32 lanes. All items of the group must come here. `scratch` holds an element for each.
static uint scan_over_lanes(uint value, uint lanes, __local uint* scratch, uint* total) {
  const uint lane = lane_of(lanes);
  const uint item = (uint)get_local_id(0);
#ifdef NVIDIA_WARP
  (void)scratch;
  for (uint step = 1; step < lanes; step *= 2) {
    const uint before = from_lane_below(value, step);
    if (lane >= step) value += before;
  }
  *total = from_item(value, (item - lane + lanes - 1) % WARP);
  return value;
#else
  for (uint step = 1; step < lanes; step *= 2) {
    scratch[item] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane >= step) value += scratch[item - step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  scratch[item] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  *total = scratch[item - lane + lanes - 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  return value;
#endif
}

/// `lanes` items, at most 32, for each stretch. In each round a lane has four elements, `lanes`
/// apart, so that neighbouring lanes read and write neighbouring places. How many nonzeros come
/// before in each of the four is counted at once, in the four bytes of one number.
__kernel WORK_GROUP(GROUP) void fill_csr(long stretches, long cols, uint parts, uint width,
                                         __global const REAL* a, __global const OFFSET* starts,
                                         __global int* columns, __global REAL* values,
                                         uint masked, __global const uint* masks, uint lanes) {
  __local uint scratch[GROUP];
  const uint lane = lane_of(lanes);
  const long index = row_of(lanes);
  const Stretch stretch = stretch_at(index, stretches, cols, parts, width, a);
  OFFSET at = index < stretches ? starts[index] : 0;
  uint word = 0, round = 0;
  for (uint base = 0; base < width; base += 4 * lanes, ++round) {
    if (masked && round % ROUNDS_PER_WORD == 0) {
      word = base < stretch.count ? masks[word_of(index, round, width, lanes)] : 0;
    }
    const uint bits = masked ? word >> (4 * (round % ROUNDS_PER_WORD)) : 15;
    REAL v[4];
    uint flags = 0;
#pragma unroll
    for (uint i = 0; i < 4; ++i) {
      v[i] = (bits >> i) & 1 ? element_or_zero(&stretch, base + i * lanes + lane) : 0;
    }
    // From the masks, where they are known before the elements arrive.
#pragma unroll
    for (uint i = 0; i < 4; ++i) {
      flags |= (masked ? (bits >> i) & 1 : (uint)(v[i] != 0)) << (8 * i);
    }
    uint totals;
    const uint before = scan_over_lanes(flags, lanes, scratch, &totals) - flags;
#pragma unroll
    for (uint i = 0; i < 4; ++i) {
      const OFFSET place = at + (OFFSET)((before >> (8 * i)) & 255);
      if ((flags >> (8 * i)) & 1) {
        columns[place] = (int)(stretch.first + base + i * lanes + lane);
        values[place] = v[i];
      }
      at += (OFFSET)((totals >> (8 * i)) & 255);
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
