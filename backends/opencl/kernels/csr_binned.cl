// y = alpha A x + beta y with A in compressed sparse rows of uneven lengths, few enough that a launch
// is short.
//
// The rows are kept in the order of their bins (bins.cl). A row takes as many items that an item has up
// to four elements, a piece of a long row a whole work-group. All but the last piece of a row publish their sums, and
// the last adds them: after its own work where a work-group may wait for those of lower index, else
// in a second launch.

/// Rows that an item brings into order, one after another.
#define ROWS_PER_ITEM 128

static uint bin_of(long length) {
  if (length > LONGEST_WHOLE) return 0;
  return length == 0 ? BINS - 1 : BINS - 1 - (32 - clz((uint)(length - 1) / 4));
}

/// counts[bin * chunks + chunk]: the entries in a bin of a chunk of ROWS_PER_ITEM rows, one item for
/// each.
__kernel WORK_GROUP(GROUP) void count_bins(long rows, long chunks,
                                           __global const OFFSET* offsets,
                                           __global uint* counts) {
  const long chunk = (long)get_global_id(0);
  if (chunk >= chunks) return;
  for (uint bin = 0; bin < BINS; ++bin) counts[bin * chunks + chunk] = 0;
  const long first = chunk * ROWS_PER_ITEM;
  for (long row = first; row < min(first + ROWS_PER_ITEM, rows); ++row) {
    const long length = offsets[row + 1] - offsets[row];
    const uint bin = bin_of(length);
    counts[bin * chunks + chunk] += bin == 0 ? (uint)((length + PIECE - 1) / PIECE) : 1;
  }
}

/// By one work-group: the counts become the first entries, and what is kept begins with `header`.
__kernel WORK_GROUP(GROUP) void order_bins(long chunks, __global uint* counts,
                                           __global ulong* header) {
  __local ulong sums[GROUP];
  const uint item = (uint)get_local_id(0);
  const long count = BINS * chunks;
  const long each = (count + GROUP - 1) / GROUP;
  const long begin = min(item * each, count);
  const long end = min(begin + each, count);
  ulong sum = 0;
  for (long i = begin; i < end; ++i) sum += counts[i];
  sums[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  ulong start = 0;
  for (uint before = 0; before < item; ++before) start += sums[before];
  for (long i = begin; i < end; ++i) {
    const uint entries = counts[i];
    counts[i] = (uint)start;
    start += entries;
  }
  if (item == GROUP - 1) header[BINS] = start;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (item > 0) return;
  ulong group = 0;
  const ulong all = header[BINS];
  for (uint bin = 0; bin < BINS; ++bin) {
    const ulong first = counts[bin * chunks];
    const ulong next = bin + 1 < BINS ? counts[(bin + 1) * chunks] : all;
    header[bin] = group << 32 | first;
    group += ((next - first) * lanes_of_bin(bin) + GROUP - 1) / GROUP;
  }
  header[BINS] = group << 32 | all;
}

/// Fills in what is kept beside a matrix, one item for each chunk.
__kernel WORK_GROUP(GROUP) void fill_bins(long rows, long chunks, __global const OFFSET* offsets,
                                          __global uint* starts, __global const ulong* header,
                                          __global ulong* kept) {
  const long chunk = (long)get_global_id(0);
  if (chunk >= chunks) return;
  if (chunk == 0) {
    for (uint h = 0; h < HEADER; ++h) kept[h] = header[h];
  }
  __global ulong2* const entries = entries_in(kept);
  const ulong all = header[BINS] & 0xffffffff;
  __global ulong* const pieces = pieces_in(kept, all);
  __global ulong* const parts = parts_in(kept, all, header[1] & 0xffffffff);
  const long first = chunk * ROWS_PER_ITEM;
  for (long row = first; row < min(first + ROWS_PER_ITEM, rows); ++row) {
    const long end = offsets[row + 1];
    long begin = offsets[row];
    const uint bin = bin_of(end - begin);
    __global uint* const at = starts + (bin * chunks + chunk);
    if (bin > 0) {
      entries[(*at)++] = (ulong2)((ulong)begin, (ulong)row << 16 | (ulong)(end - begin));
      continue;
    }
    for (ulong before = 0; begin < end; begin += PIECE, ++before) {
      pieces[*at] = 2 * before + (end - begin <= PIECE);
      for (uint w = 0; w < PUBLISHED_WORDS; ++w) parts[*at * PUBLISHED_WORDS + w] = 0;
      const ulong length = (ulong)min((long)PIECE, end - begin);
      entries[(*at)++] = (ulong2)((ulong)begin, (ulong)row << 16 | length);
    }
  }
}

/// One work-group for each as many entries as its items are enough for.
__kernel WORK_GROUP(GROUP) void csr_binned(__global const int* columns,
                                           __global const REAL* values, REAL alpha,
                                           __global const REAL* x, REAL beta, __global REAL* y,
                                           __global ulong* kept, uint launch) {
  __local REAL sums[GROUP];
  const uint item = (uint)get_local_id(0);
  const uint group = (uint)get_group_id(0);
  ulong here = kept[0], next = kept[1];
  const ulong pieces = kept[1] & 0xffffffff, entries = kept[BINS] & 0xffffffff;
  uint bin = 0;
#pragma unroll
  for (uint b = 1; b < BINS; ++b) {
    const ulong first = kept[b], after = kept[b + 1];
    const bool reached = group >= (uint)(first >> 32);
    bin = reached ? b : bin;
    here = reached ? first : here;
    next = reached ? after : next;
  }
  const uint lanes = lanes_of_bin(bin);
  const uint bits = log2_of(lanes);
  const ulong in_bin = (ulong)(group - (uint)(here >> 32)) * (GROUP >> bits) + (item >> bits);
  const ulong index = (here & 0xffffffff) + in_bin;
  const ulong end = next & 0xffffffff;
  const bool inside = index < end;
  const ulong2 entry = entries_in(kept)[inside ? index : end - 1];
  const long row = (long)(entry.y >> 16);
  const uint length = inside ? (uint)(entry.y & 0xffff) : 0;
  REAL sum = csr_lane_dot((OFFSET)entry.x, length, columns, values, x, lane_of(lanes), lanes);
  sum = sum_over_lanes(sum, lanes, sums);
  if (bin > 0) {
    if (inside && lane_of(lanes) == 0) y[row] = updated(alpha, sum, beta, y, row);
    return;
  }
  __global ulong* const parts = parts_in(kept, entries, pieces);
  const ulong piece = pieces_in(kept, entries)[index];
  const ulong before = piece / 2;
  const bool is_last = piece % 2 != 0;
#ifdef NVIDIA_WARP
  __local REAL more_sums[GROUP];
  if (is_last) {
    REAL others = 0;
    if (before > 0) {
      others = sum_of_published(parts, (long)(index - before), (long)index, launch, more_sums);
    }
    if (item == 0) y[row] = updated(alpha, others + sum, beta, y, row);
    return;
  }
#else
  if (is_last && before == 0) {
    if (item == 0) y[row] = updated(alpha, sum, beta, y, row);
    return;
  }
#endif
  if (item == 0) publish(parts + index * PUBLISHED_WORDS, launch, sum);
}

/// Where work-groups may not wait for others: one for each piece, of which the last of a row finishes
/// it.
__kernel WORK_GROUP(GROUP) void binned_finish(REAL alpha, REAL beta, __global REAL* y,
                                              __global ulong* kept, uint launch) {
  __local REAL sums[GROUP];
  const long index = (long)get_group_id(0);
  const ulong entries = kept[BINS] & 0xffffffff;
  const long row = (long)(entries_in(kept)[index].y >> 16);
  const ulong piece = pieces_in(kept, entries)[index];
  const long before = (long)(piece / 2);
  const bool is_left = piece % 2 != 0 && before > 0;
  __global const ulong* const parts = parts_in(kept, entries, kept[1] & 0xffffffff);
  REAL sum = share_of_published(parts, is_left ? index - before : index, index, launch, GROUP);
  sum = sum_over_lanes(sum, GROUP, sums);
  if (get_local_id(0) > 0 || !is_left) return;
  ulong words[PUBLISHED_WORDS];
  read_part(parts + index * PUBLISHED_WORDS, words);
  const REAL own = awaited(parts + index * PUBLISHED_WORDS, words, launch);
  y[row] = updated(alpha, sum + own, beta, y, row);
}
