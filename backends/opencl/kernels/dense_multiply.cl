// y = alpha A x + beta y with A dense, row by row.

static REAL sum_of_parts(WIDE sum) {
#if WIDE_LENGTH == 4
  return (sum.s0 + sum.s1) + (sum.s2 + sum.s3);
#else
  return sum.s0 + sum.s1;
#endif
}

/// The part of a row's product that falls to one lane, in 16-byte loads. Four loads of each array
/// are in flight, which hides the memory's latency; one sum is enough, since additions are not
/// what is waited for, and leaves the registers that keep the device full of items.
static REAL lane_dot_wide(__global const WIDE* a, __global const WIDE* x, long count, uint lane,
                          uint lanes) {
  WIDE sum = 0;
  long j = lane;
  for (; j + 3 * (long)lanes < count; j += 4 * (long)lanes) {
    const WIDE a0 = a[j], a1 = a[j + lanes], a2 = a[j + 2 * lanes], a3 = a[j + 3 * lanes];
    sum += a0 * x[j];
    sum += a1 * x[j + lanes];
    sum += a2 * x[j + 2 * lanes];
    sum += a3 * x[j + 3 * lanes];
  }
  for (; j < count; j += lanes) sum += a[j] * x[j];
  return sum_of_parts(sum);
}

/// Elements `by` to `by` + WIDE_LENGTH - 1 of two neighbouring vectors, 0 < by < WIDE_LENGTH.
/// Chosen without branches: lanes of one warp may have rows that start differently.
static WIDE shifted(WIDE low, WIDE high, uint by) {
#if WIDE_LENGTH == 4
  const WIDE one = (WIDE)(low.s1, low.s2, low.s3, high.s0);
  const WIDE two = (WIDE)(low.s2, low.s3, high.s0, high.s1);
  const WIDE three = (WIDE)(low.s3, high.s0, high.s1, high.s2);
  WIDE chosen;
  chosen.s0 = by == 1 ? one.s0 : by == 2 ? two.s0 : three.s0;
  chosen.s1 = by == 1 ? one.s1 : by == 2 ? two.s1 : three.s1;
  chosen.s2 = by == 1 ? one.s2 : by == 2 ? two.s2 : three.s2;
  chosen.s3 = by == 1 ? one.s3 : by == 2 ? two.s3 : three.s3;
  return chosen;
#else
  (void)by;
  return (WIDE)(low.s1, high.s0);
#endif
}

/// The same with a[j] against the elements of x that start `by` after x[j]. Reads x[count].
static REAL lane_dot_shifted(__global const WIDE* a, __global const WIDE* x, uint by, long count,
                             uint lane, uint lanes) {
  WIDE sum = 0;
  long j = lane;
  for (; j + 3 * (long)lanes < count; j += 4 * (long)lanes) {
    const WIDE a0 = a[j], a1 = a[j + lanes], a2 = a[j + 2 * lanes], a3 = a[j + 3 * lanes];
    sum += a0 * shifted(x[j], x[j + 1], by);
    sum += a1 * shifted(x[j + lanes], x[j + lanes + 1], by);
    sum += a2 * shifted(x[j + 2 * lanes], x[j + 2 * lanes + 1], by);
    sum += a3 * shifted(x[j + 3 * lanes], x[j + 3 * lanes + 1], by);
  }
  for (; j < count; j += lanes) sum += a[j] * shifted(x[j], x[j + 1], by);
  return sum_of_parts(sum);
}

/// The same for a stretch that starts `skew` elements after 16 bytes, so that some elements before
/// and after the vectors are read singly. x starts on 16 bytes.
static REAL lane_dot_unaligned(__global const REAL* a, __global const REAL* x, uint skew,
                               long count, uint lane, uint lanes) {
  const uint head = (WIDE_LENGTH - skew) % WIDE_LENGTH;
  // Vectors of a; shifted ones take one more of x than there are of a.
  const long vectors = head == 0 ? count / WIDE_LENGTH : max(count / WIDE_LENGTH - 1, 0L);
  __global const WIDE* a_wide = (__global const WIDE*)(a + head);
  __global const WIDE* x_wide = (__global const WIDE*)x;
  REAL sum = 0;
  if (head == 0) {
    sum = lane_dot_wide(a_wide, x_wide, vectors, lane, lanes);
  } else {
    sum = lane_dot_shifted(a_wide, x_wide, head, vectors, lane, lanes);
  }
  const long body = vectors * WIDE_LENGTH;
  for (long j = lane; j < count - body; j += lanes) {
    const long k = j < head ? j : j + body;
    sum += a[k] * x[k];
  }
  return sum;
}

/// The part of a stretch's product that falls to one lane, the stretch being `count` elements from
/// a[first] on. `aligned` is known when compiling: kernels for aligned rows do without the
/// registers of the others.
static REAL lane_dot(__global const REAL* a, __global const REAL* x, long first, long count,
                     uint lane, uint lanes, bool aligned) {
  if (aligned) {
    return lane_dot_wide((__global const WIDE*)(a + first), (__global const WIDE*)x,
                         count / WIDE_LENGTH, lane, lanes);
  }
  return lane_dot_unaligned(a + first, x, (uint)first % WIDE_LENGTH, count, lane, lanes);
}

/// One item for each row: for processors, whose vector units and prefetchers like one long stream.
__kernel WORK_GROUP(16) void dense_scalar(long rows, long cols, __global const REAL* a, REAL alpha,
                                          __global const REAL* x, REAL beta, __global REAL* y) {
  const long row = (long)get_global_id(0);
  if (row >= rows) return;
  a += row * cols;
  REAL8 sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
  long j = 0;
  for (; j + 32 <= cols; j += 32) {
    sum0 += vload8(0, a + j) * vload8(0, x + j);
    sum1 += vload8(0, a + j + 8) * vload8(0, x + j + 8);
    sum2 += vload8(0, a + j + 16) * vload8(0, x + j + 16);
    sum3 += vload8(0, a + j + 24) * vload8(0, x + j + 24);
  }
  const REAL8 sum8 = (sum0 + sum1) + (sum2 + sum3);
  const REAL4 sum4 = sum8.lo + sum8.hi;
  REAL sum = (sum4.s0 + sum4.s1) + (sum4.s2 + sum4.s3);
  for (; j < cols; ++j) sum += a[j] * x[j];
  y[row] = updated(alpha, sum, beta, y, row);
}

static void multiply_rows(long rows, long cols, uint lanes, __global const REAL* a, REAL alpha,
                          __global const REAL* x, REAL beta, __global REAL* y,
                          __local REAL* scratch, bool aligned) {
  const uint lane = lane_of(lanes);
  const long row = row_of(lanes);
  REAL sum = 0;
  if (row < rows) sum = lane_dot(a, x, row * cols, cols, lane, lanes, aligned);
  sum = sum_over_lanes(sum, lanes, scratch);
  if (lane == 0 && row < rows) y[row] = updated(alpha, sum, beta, y, row);
}

/// `lanes` items for each row, up to a whole work-group: for GPUs, whose neighbouring items should
/// read neighbouring elements. Rows are whole vectors of 16 bytes.
__kernel WORK_GROUP(GROUP) void dense_group(long rows, long cols, uint lanes,
                                            __global const REAL* a, REAL alpha,
                                            __global const REAL* x, REAL beta, __global REAL* y) {
  __local REAL scratch[GROUP];
  multiply_rows(rows, cols, lanes, a, alpha, x, beta, y, scratch, true);
}

/// The same for rows of any length.
__kernel WORK_GROUP(GROUP) void dense_group_unaligned(long rows, long cols, uint lanes,
                                                      __global const REAL* a, REAL alpha,
                                                      __global const REAL* x, REAL beta,
                                                      __global REAL* y) {
  __local REAL scratch[GROUP];
  multiply_rows(rows, cols, lanes, a, alpha, x, beta, y, scratch, false);
}

/// Each item of dense_narrow makes NARROW_LOADS loads of 16 bytes.
#define TILE (LARGE_GROUP * NARROW_LOADS * WIDE_LENGTH)
/// One element in every 128 bytes of local memory is left out, so that neither rows of a power of
/// two nor the elements of vectors meet in its banks.
#define PADDED(j) ((j) + (j) / (8 * WIDE_LENGTH))

/// For many short rows, up to NARROW_COLUMNS long: each work-group reads `share` rows as the one
/// stream that they are in memory, and then sums them, one item for each, out of local memory.
/// `share` rows are whole vectors and fit into a tile.
__kernel WORK_GROUP(LARGE_GROUP) void dense_narrow(long rows, uint cols, uint share,
                                                   __global const REAL* a, REAL alpha,
                                                   __global const REAL* x, REAL beta,
                                                   __global REAL* y) {
  __local REAL tile[PADDED(TILE)];
  __local REAL x_here[NARROW_COLUMNS];
  const uint item = (uint)get_local_id(0);
  const long first = (long)get_group_id(0) * share;
  const uint count = (uint)min((long)share, rows - first);
  const uint elements = count * cols;
  a += first * cols;
  __global const WIDE* a_wide = (__global const WIDE*)a;
  WIDE loaded[NARROW_LOADS];
  if (elements >= WIDE_LENGTH) {
    // Without branches, so that no load waits: beyond the end the last one is read again.
#pragma unroll
    for (uint i = 0; i < NARROW_LOADS; ++i) {
      loaded[i] = a_wide[min(i * LARGE_GROUP + item, elements / WIDE_LENGTH - 1)];
    }
  }
  for (uint j = item; j < cols; j += LARGE_GROUP) x_here[j] = x[j];
  // The last rows of all need not be whole vectors.
  const uint rest = elements - elements % WIDE_LENGTH;
  for (uint j = rest + item; j < elements; j += LARGE_GROUP) tile[PADDED(j)] = a[j];
#pragma unroll
  for (uint i = 0; i < NARROW_LOADS; ++i) {
    const uint j = (i * LARGE_GROUP + item) * WIDE_LENGTH;
    if (j >= rest) continue;
    __local REAL* place = tile + PADDED(j);
    place[0] = loaded[i].s0;
    place[1] = loaded[i].s1;
#if WIDE_LENGTH == 4
    place[2] = loaded[i].s2;
    place[3] = loaded[i].s3;
#endif
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint r = item; r < count; r += LARGE_GROUP) {
    REAL sum = 0;
#pragma unroll 4
    for (uint j = 0; j < cols; ++j) sum += tile[PADDED(r * cols + j)] * x_here[j];
    y[first + r] = updated(alpha, sum, beta, y, first + r);
  }
}

/// Adds up what the groups of one row left, by all items of this one.
static void combine_row(long row, uint parts, bool is_wanted, __global const volatile REAL* partial,
                        REAL alpha, REAL beta, __global REAL* y, __local REAL* scratch) {
  REAL sum = 0;
  for (uint part = lane_of(GROUP); is_wanted && part < parts; part += GROUP) {
    sum += partial[row * parts + part];
  }
  sum = sum_over_lanes(sum, GROUP, scratch);
  if (is_wanted && get_local_id(0) == 0) y[row] = updated(alpha, sum, beta, y, row);
}

static void multiply_stretch(long rows, long cols, uint parts, long width, __global const REAL* a,
                             REAL alpha, __global const REAL* x, REAL beta, __global REAL* y,
                             __global REAL* partial, uint meet, __global uint* arrivals,
                             __local REAL* scratch, bool aligned) {
  __local uint* const is_last_scratch = (__local uint*)scratch;
  const long group = (long)get_group_id(0);
  const long part = group / rows;
  const long row = group - part * rows;
  const long begin = part * width;
  const long count = min(width, cols - begin);
  REAL sum = lane_dot(a, x + begin, row * cols + begin, count, lane_of(GROUP), GROUP, aligned);
  sum = sum_over_lanes(sum, GROUP, scratch);
  if (get_local_id(0) == 0) partial[row * parts + part] = sum;
  const bool is_last = is_last_group(meet ? parts : 0, arrivals + row, is_last_scratch);
  LEAVE_UNLESS(is_last);
  combine_row(row, parts, is_last, partial, alpha, beta, y, scratch);
}

/// For rows too few to fill a GPU: one work-group sums one of `parts` stretches, `width` columns
/// long, of one row into partial[row * parts + part]; where the groups of a row are to `meet`, the
/// last of them adds these up. Groups that start together read the same stretch of x, which may be
/// larger than the cache. Rows are whole vectors of 16 bytes.
__kernel WORK_GROUP(GROUP) void dense_partial(long rows, long cols, uint parts, long width,
                                              __global const REAL* a, REAL alpha,
                                              __global const REAL* x, REAL beta, __global REAL* y,
                                              __global REAL* partial, uint meet,
                                              __global uint* arrivals) {
  __local REAL scratch[GROUP];
  multiply_stretch(rows, cols, parts, width, a, alpha, x, beta, y, partial, meet, arrivals, scratch,
                   true);
}

/// The same for rows of any length; `width` is a multiple of 16 bytes.
__kernel WORK_GROUP(GROUP) void dense_partial_unaligned(long rows, long cols, uint parts,
                                                        long width, __global const REAL* a,
                                                        REAL alpha, __global const REAL* x,
                                                        REAL beta, __global REAL* y,
                                                        __global REAL* partial, uint meet,
                                                        __global uint* arrivals) {
  __local REAL scratch[GROUP];
  multiply_stretch(rows, cols, parts, width, a, alpha, x, beta, y, partial, meet, arrivals, scratch,
                   false);
}

/// Adds up what dense_partial left where its groups did not meet, one work-group for each row.
__kernel WORK_GROUP(GROUP) void dense_combine(uint parts, __global const REAL* partial, REAL alpha,
                                              REAL beta, __global REAL* y) {
  __local REAL scratch[GROUP];
  combine_row((long)get_group_id(0), parts, true, partial, alpha, beta, y, scratch);
}
