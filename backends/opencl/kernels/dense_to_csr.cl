// Dense to CSR in five launches: count the nonzeros of each row, sum the counts of each chunk of
// rows, make the sums the chunks' starts, spread those to row offsets, and fill in the elements.
// Sums of counts have 64 bits: how wide offsets must be is known only after the third launch.
//
// Counting and filling exist twice: by the items of a work-group together, for GPUs, and by one
// item for each row ("_scalar"), for processors, which pay for every barrier.

#define ROWS_PER_ITEM 8

/// How many of four elements are not zero. NaN is not zero; -0.0 is.
static uint nonzeros(REAL4 v) {
  return (uint)(v.s0 != 0) + (uint)(v.s1 != 0) + (uint)(v.s2 != 0) + (uint)(v.s3 != 0);
}

/// `lanes` items for each row.
__kernel WORK_GROUP(GROUP) void count_nonzeros(long rows, long cols, uint lanes,
                                               __global const REAL* a, __global uint* counts) {
  __local uint of_row[GROUP];
  const uint item = (uint)get_local_id(0);
  const uint lane = lane_of(lanes);
  const long row = row_of(lanes);
  of_row[item] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint count = 0;
  if (row < rows) {
    a += row * cols;
    for (long j = lane; j < cols; j += lanes) count += a[j] != 0;
  }
  atomic_add(&of_row[item / lanes], count);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane == 0 && row < rows) counts[row] = of_row[item / lanes];
}

/// One item for each row.
__kernel WORK_GROUP(16) void count_nonzeros_scalar(long rows, long cols, __global const REAL* a,
                                                   __global uint* counts) {
  const long row = (long)get_global_id(0);
  if (row >= rows) return;
  a += row * cols;
  uint count = 0;
  for (long j = 0; j < cols; ++j) count += a[j] != 0;
  counts[row] = count;
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

/// The counts of the rows that fall to this item of the chunk's group.
static ulong sum_of_item(long rows, __global const uint* counts) {
  const long first = (long)get_global_id(0) * ROWS_PER_ITEM;
  ulong sum = 0;
  for (long row = first; row < min(first + ROWS_PER_ITEM, rows); ++row) sum += counts[row];
  return sum;
}

/// One work-group for each chunk of GROUP * ROWS_PER_ITEM rows: their nonzeros.
__kernel WORK_GROUP(GROUP) void sum_chunks(long rows, __global const uint* counts,
                                           __global ulong* chunks) {
  __local ulong sums[GROUP];
  sums[get_local_id(0)] = sum_of_item(rows, counts);
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

/// One work-group for each chunk: the rows + 1 offsets.
__kernel WORK_GROUP(GROUP) void write_offsets(long rows, __global const uint* counts,
                                              __global const ulong* chunks,
                                              __global OFFSET* offsets) {
  __local ulong sums[GROUP];
  sums[get_local_id(0)] = sum_of_item(rows, counts);
  starts_from_sums(sums);
  ulong start = chunks[get_group_id(0)] + sums[get_local_id(0)];
  const long first = (long)get_global_id(0) * ROWS_PER_ITEM;
  for (long row = first; row < min(first + ROWS_PER_ITEM, rows + 1); ++row) {
    offsets[row] = (OFFSET)start;
    if (row < rows) start += counts[row];
  }
}

/// The sum of `value` over this lane and those before it; `total`, over all lanes of the row.
/// All items of the group must come here. `scratch` holds 2 * GROUP elements.
static uint scan_over_lanes(uint value, uint lanes, __local uint* scratch, uint* total) {
  const uint item = (uint)get_local_id(0);
  const uint lane = lane_of(lanes);
  uint from = 0;  // which half of the scratch holds the sums so far
  scratch[item] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = 1; step < lanes; step *= 2) {
    const uint before = lane >= step ? scratch[from + item - step] : 0;
    scratch[(GROUP - from) + item] = scratch[from + item] + before;
    from = GROUP - from;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const uint sum = scratch[from + item];
  *total = scratch[from + item - lane + lanes - 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  return sum;
}

/// Four elements of a row from column `first` on, zero beyond its end.
static REAL4 four_of_row(__global const REAL* a, long first, long cols) {
  if (cols % 4 == 0) return *(__global const REAL4*)(a + first);
  if (first + 4 <= cols) return vload4(0, a + first);
  REAL4 v = 0;
  v.s0 = a[first];
  if (first + 1 < cols) v.s1 = a[first + 1];
  if (first + 2 < cols) v.s2 = a[first + 2];
  return v;
}

/// `lanes` items for each row, each with four neighbouring elements at a time.
__kernel WORK_GROUP(GROUP) void fill_csr(long rows, long cols, uint lanes, __global const REAL* a,
                                         __global const OFFSET* offsets, __global int* columns,
                                         __global REAL* values) {
  __local uint scratch[2 * GROUP];
  const uint lane = lane_of(lanes);
  const long row = row_of(lanes);
  const bool inside = row < rows;
  OFFSET start = 0;
  if (inside) {
    a += row * cols;
    start = offsets[row];
  }
  for (long base = 0; base < cols; base += 4 * (long)lanes) {
    const long first = base + 4 * (long)lane;
    REAL4 v = 0;
    if (inside && first < cols) v = four_of_row(a, first, cols);
    const uint count = nonzeros(v);
    uint total;
    OFFSET at = start + (OFFSET)(scan_over_lanes(count, lanes, scratch, &total) - count);
    const int column = (int)first;
    if (v.s0 != 0) columns[at] = column, values[at++] = v.s0;
    if (v.s1 != 0) columns[at] = column + 1, values[at++] = v.s1;
    if (v.s2 != 0) columns[at] = column + 2, values[at++] = v.s2;
    if (v.s3 != 0) columns[at] = column + 3, values[at++] = v.s3;
    start += (OFFSET)total;
  }
}

/// One item for each row.
__kernel WORK_GROUP(16) void fill_csr_scalar(long rows, long cols, __global const REAL* a,
                                             __global const OFFSET* offsets,
                                             __global int* columns, __global REAL* values) {
  const long row = (long)get_global_id(0);
  if (row >= rows) return;
  a += row * cols;
  OFFSET at = offsets[row];
  const OFFSET end = offsets[row + 1];
  // Every element is written where the next nonzero belongs, and stays if it is one: a branch
  // would be mispredicted at every other element of a half-full row (PoCL, 1024 x 1024: 12 ms
  // with it, 0.8 without).
  for (long j = 0; at < end && j < cols; ++j) {
    const REAL value = a[j];
    columns[at] = (int)j;
    values[at] = value;
    at += value != 0;
  }
}
