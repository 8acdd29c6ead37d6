// Y = alpha A X + beta Y with A in compressed sparse rows of uneven lengths, X and Y row-major with
// several columns. The rows are in the order of their bins (bins.cl): those of similar length stand
// beside each other, and no group waits for a long row. A row takes as many teams (column_sums.cl) that
// a team has up to four elements, but at most a warp. Pieces publish and finish as in csr_binned.cl.

/// Items for each entry of a bin.
static uint lanes_in_columns(uint bin, uint across) {
  if (bin == 0) return GROUP;
  return across * min(lanes_of_bin(bin), max(min((uint)GROUP, 32u) / across, 1u));
}

/// Where a work-group works: on which entry its items with that place do, and which are the bin's.
typedef struct {
  uint bin;
  uint lanes;
  ulong index;
  ulong end;  ///< behind the bin's last entry
} Place;

/// The place of an item of group `group` of those of one panel.
static Place place_of(uint group, uint across, __global const ulong* kept) {
  Place place = {BINS, 1, 0, 0};
  uint first_group = 0;
#pragma unroll
  for (uint bin = 0; bin < BINS; ++bin) {
    const ulong begin = kept[bin] & 0xffffffff, end = kept[bin + 1] & 0xffffffff;
    const uint bits = log2_of(GROUP) - log2_of(lanes_in_columns(bin, across));
    const uint next_group = first_group + (uint)((end - begin + (1u << bits) - 1) >> bits);
    if (group >= first_group && group < next_group) {
      place.bin = bin;
      place.lanes = lanes_in_columns(bin, across);
      place.index = begin + ((ulong)(group - first_group) << bits) +
                    ((uint)get_local_id(0) >> log2_of(place.lanes));
      place.end = end;
    }
    first_group = next_group;
  }
  return place;
}

static void publish_columns(__global ulong* parts, ulong index, uint launch, REAL4 sum, Columns its) {
  parts += (index * its.columns + its.column) * PUBLISHED_WORDS;
  const uint count = columns_of_y(its);
  publish(parts, launch, sum.s0);
  if (count > 1) publish(parts + PUBLISHED_WORDS, launch, sum.s1);
  if (count > 2) publish(parts + place_of_column(2, its) * PUBLISHED_WORDS, launch, sum.s2);
  if (count > 3) publish(parts + place_of_column(3, its) * PUBLISHED_WORDS, launch, sum.s3);
}

/// This team's share of the parts from `first` to before `end`, in a fixed order.
static REAL4 share_of_columns(__global const volatile ulong* parts, ulong first, ulong end,
                              uint launch, uint team, uint teams, Columns its) {
  REAL4 sum = 0;
  for (ulong p = first + team; p < end; p += teams) {
    __global const volatile ulong* const part =
        parts + (p * its.columns + its.column) * PUBLISHED_WORDS;
    ulong words[EACH][PUBLISHED_WORDS];
    const uint last = columns_of_y(its) - 1;
    ulong places[EACH];
    for (uint c = 0; c < EACH; ++c) {
      places[c] = place_of_column(min(c, last), its) * PUBLISHED_WORDS;
      read_part(part + places[c], words[c]);
    }
    sum.s0 += awaited(part, words[0], launch);
    sum.s1 += awaited(part + places[1], words[1], launch);
    sum.s2 += awaited(part + places[2], words[2], launch);
    sum.s3 += awaited(part + places[3], words[3], launch);
  }
  return sum;
}

/// One work-group for each as many entries as its items are enough for, and each panel.
INLINED void multiply_bins(uint k, uint width, uint across, uint panels,
                           __global const int* columns, __global const REAL* values, REAL alpha,
                           __global const REAL* x, REAL beta, __global REAL* y,
                           __global ulong* kept, __global ulong* parts, uint launch,
                           __local REAL4* sums, __local REAL4* more_sums, uint way) {
  const uint group = (uint)get_group_id(0) / panels;
  bool has_columns;
  const Columns its = columns_of_item(k, width, across, (uint)get_group_id(0) - group * panels,
                                      way, &has_columns);
  const Place place = place_of(group, across, kept);
  const bool inside = place.index < place.end;
  const ulong entries = kept[BINS] & 0xffffffff;
  const ulong2 entry = entries_in(kept)[inside ? place.index : place.end - 1];
  const long row = (long)(entry.y >> 16);
  const uint length = inside ? (uint)(entry.y & 0xffff) : 0;
  const uint bits = log2_of(across);
  const uint lane = lane_of(place.lanes);
  const bool writes = inside && has_columns && lane < across;
  REAL4 sum = sum_of_strides((OFFSET)entry.x, length, columns, values, x + its.column, lane >> bits,
                             place.lanes >> bits, its);
  sum = sum_beside(sum, across, place.lanes, sums, its.way, false);
  if (place.bin > 0) {
    if (writes) write_columns(y, row, alpha, sum, beta, its);
    return;
  }
  const ulong piece = pieces_in(kept, entries)[place.index];
  const ulong before = piece / 2;
  const bool is_last = piece % 2 != 0;
#ifdef NVIDIA_WARP
  if (is_last) {
    REAL4 others = share_of_columns(parts, place.index - before, place.index, launch, lane >> bits,
                                    GROUP >> bits, its);
    others = sum_beside(others, across, GROUP, more_sums, its.way, false);
    if (writes) write_columns(y, row, alpha, others + sum, beta, its);
    return;
  }
#else
  (void)more_sums;
  if (is_last && before == 0) {
    if (writes) write_columns(y, row, alpha, sum, beta, its);
    return;
  }
#endif
  if (writes) publish_columns(parts, place.index, launch, sum, its);
}

/// A kernel for rows of X that are read in that way, as in csr_columns.cl.
#define BINNED_KERNEL(name, way)                                                                   \
  __kernel WORK_GROUP(GROUP) void name(                                                            \
      uint k, uint width, uint across, uint panels, __global const int* columns,                   \
      __global const REAL* values, REAL alpha, __global const REAL* x, REAL beta,                  \
      __global REAL* y, __global ulong* kept, __global ulong* parts, uint launch) {                \
    __local REAL4 sums[SCRATCH(GROUP)], more_sums[SCRATCH(GROUP)];                                 \
    multiply_bins(k, width, across, panels, columns, values, alpha, x, beta, y, kept, parts,       \
                  launch, sums, more_sums, way);                                                   \
  }

// As in csr_columns.cl.
BINNED_KERNEL(csr_columns_binned_four, BY_FOUR)
BINNED_KERNEL(csr_columns_binned_pair, BY_PAIR)
BINNED_KERNEL(csr_columns_binned_two, BY_PAIRS)
BINNED_KERNEL(csr_columns_binned_one, BY_ONE)

/// Where work-groups may not wait for others: one for each piece and panel, of which the last piece of
/// a row finishes it.
__kernel WORK_GROUP(GROUP) void columns_binned_finish(uint k, uint across, uint panels, REAL alpha,
                                                      REAL beta, __global REAL* y,
                                                      __global ulong* kept, __global ulong* parts,
                                                      uint launch) {
  __local REAL4 sums[SCRATCH(GROUP)];
  const ulong index = (ulong)get_group_id(0) / panels;
  bool has_columns;
  const Columns its = columns_of_item(k, k, across, (uint)((ulong)get_group_id(0) - index * panels),
                                      BY_ONE, &has_columns);
  const ulong entries = kept[BINS] & 0xffffffff;
  const long row = (long)(entries_in(kept)[index].y >> 16);
  const ulong piece = pieces_in(kept, entries)[index];
  const ulong before = piece / 2;
  const bool is_left = piece % 2 != 0 && before > 0;
  const uint item = (uint)get_local_id(0);
  // The last piece's own part comes last.
  REAL4 sum = share_of_columns(parts, is_left ? index - before : index, index, launch,
                               item >> log2_of(across), GROUP >> log2_of(across), its);
  sum = sum_beside(sum, across, GROUP, sums, its.way, false);
  if (item >= across || !has_columns || !is_left) return;
  sum += share_of_columns(parts, index, index + 1, launch, 0, 1, its);
  write_columns(y, row, alpha, sum, beta, its);
}

/// Words that no launch has written: one item for each.
__kernel WORK_GROUP(GROUP) void clear_parts(long count, __global ulong* parts) {
  const long i = (long)get_global_id(0);
  if (i < count) parts[i] = 0;
}
