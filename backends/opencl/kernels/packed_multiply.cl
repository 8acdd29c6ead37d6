// y = alpha A x + beta y with A in packed CSR: compiled behind packed_codings.cl. The loops are those of
// csr_multiply.cl.

#ifdef COLUMNS_BLOCKED
/// The most heads that the lanes of a row work on at once: 16 bits tell how far it is from one to
/// that which follows so many heads later.
#define MOST_HEADS 128

/// The part of a row's product that falls to one lane. The lanes share out the row's heads, and those
/// at the same head its elements: half as many to as many lanes as it has elements in the mean.
static REAL row_dot(long row, OFFSET begin, uint length, COLUMNS, READ_VALUES,
                    __global const REAL* x, uint lane, uint lanes) {
  if (length == 0) return 0;
  OFFSET head = first_heads[row];
  const OFFSET end_head = first_heads[row + 1];
  const uint bits = log2_of(length) - log2_of((uint)(end_head - head));
  const uint width = max(min(1u << bits, lanes), (lanes + MOST_HEADS - 1) / MOST_HEADS);
  const uint together = lanes / width;
  const uint place = lane & (width - 1);
  const uint end_of_row = (uint)(begin + length) & 0xffff;
  OFFSET at = begin;
  REAL sum0 = 0, sum1 = 0;
  for (head += lane / width; head < end_head; head += together) {
    const uint start = start_of_head(heads, words, head);
    const uint next = head + 1 < end_head ? start_of_head(heads, words, head + 1) : end_of_row;
    at += (start - (uint)at) & 0xffff;
    const uint last = ((next - start) & 0xffff) - 1;
    __global const uchar* const columns = low + at;
    __global const REAL* const block = x + column_of_head(heads, words, head);
    for (uint k = place; k <= last; k += 2 * width) {
      const uint k1 = k + width, at1 = min(k1, last);
      const uint column0 = columns[k], column1 = columns[at1];
      const REAL value0 = VALUE(at + k), value1 = VALUE(at + at1);
      const REAL product0 = value0 * block[column0], product1 = value1 * block[column1];
      sum0 += product0;
      sum1 += k1 <= last ? product1 : 0;
    }
  }
  return sum0 + sum1;
}
#else
// The part of a row's product that falls to one lane, as lane_dot in csr_multiply.cl has it, for
// columns of one width: those of a row all have the same.
#define LANE_DOT(NAME, COLUMN)                                                                    \
  static REAL NAME(uint length, __global const COLUMN* columns, READ_VALUES,                      \
                   __global const REAL* x, uint lane, uint lanes) {                               \
    REAL sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;                                                  \
    uint first = 0;                                                                               \
    for (; first + 4 * lanes <= length; first += 4 * lanes) {                                     \
      const uint k = first + lane;                                                                \
      const uint column0 = columns[k], column1 = columns[k + lanes];                              \
      const uint column2 = columns[k + 2 * lanes], column3 = columns[k + 3 * lanes];              \
      const REAL value0 = VALUE(k), value1 = VALUE(k + lanes);                                    \
      const REAL value2 = VALUE(k + 2 * lanes), value3 = VALUE(k + 3 * lanes);                    \
      sum0 += value0 * x[column0];                                                                \
      sum1 += value1 * x[column1];                                                                \
      sum2 += value2 * x[column2];                                                                \
      sum3 += value3 * x[column3];                                                                \
    }                                                                                             \
    if (first == length) return (sum0 + sum1) + (sum2 + sum3);                                    \
    const uint last = length - 1;                                                                 \
    const uint k0 = first + lane, k1 = k0 + lanes, k2 = k1 + lanes, k3 = k2 + lanes;              \
    const uint at0 = min(k0, last), at1 = min(k1, last);                                          \
    const uint at2 = min(k2, last), at3 = min(k3, last);                                          \
    const uint column0 = columns[at0], column1 = columns[at1];                                    \
    const uint column2 = columns[at2], column3 = columns[at3];                                    \
    const REAL value0 = VALUE(at0), value1 = VALUE(at1);                                          \
    const REAL value2 = VALUE(at2), value3 = VALUE(at3);                                          \
    const REAL product0 = value0 * x[column0], product1 = value1 * x[column1];                    \
    const REAL product2 = value2 * x[column2], product3 = value3 * x[column3];                    \
    sum0 += k0 < length ? product0 : 0;                                                           \
    sum1 += k1 < length ? product1 : 0;                                                           \
    sum2 += k2 < length ? product2 : 0;                                                           \
    sum3 += k3 < length ? product3 : 0;                                                           \
    return (sum0 + sum1) + (sum2 + sum3);                                                         \
  }

LANE_DOT(dot_of_wide, int)
#ifdef COLUMNS_TILED
LANE_DOT(dot_of_narrow, ushort)
#endif

/// The part of the product of row `row` that falls to one lane.
static REAL row_dot(long row, OFFSET begin, uint length, COLUMNS, READ_VALUES,
                    __global const REAL* x, uint lane, uint lanes) {
  if (length == 0) return 0;
#ifdef COLUMNS_TILED
  const long2 tile = tiles[row / TILE_ROWS];
  if (tile.y >= 0) {
    return dot_of_narrow(length, narrow + (begin - tile.x), VALUES_FROM(begin), x + tile.y, lane,
                         lanes);
  }
  return dot_of_wide(length, wide + (begin - tile.x), VALUES_FROM(begin), x, lane, lanes);
#else
  (void)row;
  return dot_of_wide(length, wide + begin, VALUES_FROM(begin), x, lane, lanes);
#endif
}
#endif

/// GPUs have fewer groups to start with large ones; processors balance them better where small.
#ifdef NVIDIA_WARP
#define SCALAR_GROUP LARGE_GROUP
#else
#define SCALAR_GROUP 64
#endif

/// One item for each row.
__kernel WORK_GROUP(SCALAR_GROUP) void packed_scalar(long rows, __global const OFFSET* offsets,
                                                     COLUMNS, VALUES, REAL alpha,
                                                     __global const REAL* x, REAL beta,
                                                     __global REAL* y) {
  PREPARE_VALUES((uint)get_local_id(0), SCALAR_GROUP)
  const long row = (long)get_global_id(0);
  if (row >= rows) return;
  const OFFSET begin = offsets[row];
  const uint length = (uint)(offsets[row + 1] - begin);
  const REAL sum = row_dot(row, begin, length, THE_COLUMNS, THE_VALUES, x, 0, 1);
  y[row] = updated(alpha, sum, beta, y, row);
}

/// Rows longer than this many elements for each of their lanes are left to more of them.
#define LONG_ROW 64
/// The items that share a row which is too long for its lanes.
#define TEAM (LARGE_GROUP < 32 ? LARGE_GROUP : 32)

/// The sum of a row, by `lanes` items of which this one is `lane`. All items of the group must come
/// here; those that are not `busy` have no row.
static REAL row_sum(bool busy, long row, __global const OFFSET* offsets, COLUMNS, READ_VALUES,
                    __global const REAL* x, uint lane, uint lanes, __local REAL* scratch) {
  REAL sum = 0;
  if (busy) {
    const OFFSET begin = offsets[row];
    const uint length = (uint)(offsets[row + 1] - begin);
    sum = row_dot(row, begin, length, THE_COLUMNS, THE_VALUES, x, lane, lanes);
  }
  return sum_over_lanes(sum, lanes, scratch);
}

/// `lanes` items for each row, striding along it together; then a team for each row that is too long
/// for them, and the whole group for each that is too long for a team.
__kernel WORK_GROUP(LARGE_GROUP) void packed_vector(long rows, uint lanes,
                                                    __global const OFFSET* offsets, COLUMNS, VALUES,
                                                    REAL alpha, __global const REAL* x, REAL beta,
                                                    __global REAL* y) {
  __local REAL scratch[LARGE_GROUP];
  __local uint long_rows[LARGE_GROUP];
  __local uint count;
  const uint item = (uint)get_local_id(0);
  PREPARE_VALUES(item, LARGE_GROUP)
  const uint lane = lane_of(lanes);
  const long row = row_of(lanes);
  const bool inside = row < rows;
  const OFFSET begin = inside ? offsets[row] : 0;
  const uint length = inside ? (uint)(offsets[row + 1] - begin) : 0;
  if (item == 0) count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const bool is_long = lanes < LARGE_GROUP && length > LONG_ROW * lanes;
  // In whatever order they enter the list, each is summed in the same way.
  if (is_long && lane == 0) long_rows[atomic_inc(&count)] = item >> log2_of(lanes);
  REAL sum = 0;
  if (!is_long) sum = row_dot(row, begin, length, THE_COLUMNS, THE_VALUES, x, lane, lanes);
  sum = sum_over_lanes(sum, lanes, scratch);
  if (lane == 0 && inside && !is_long) y[row] = updated(alpha, sum, beta, y, row);
  barrier(CLK_LOCAL_MEM_FENCE);

  const long first = (long)get_group_id(0) * (LARGE_GROUP >> log2_of(lanes));
  for (uint i = item / TEAM; i - item / TEAM < count; i += LARGE_GROUP / TEAM) {
    const long long_row = first + long_rows[min(i, count - 1)];
    const bool busy = i < count && offsets[long_row + 1] - offsets[long_row] <= LONG_ROW * TEAM;
    sum = row_sum(busy, long_row, offsets, THE_COLUMNS, THE_VALUES, x, item % TEAM, TEAM, scratch);
    if (busy && item % TEAM == 0) y[long_row] = updated(alpha, sum, beta, y, long_row);
  }
  for (uint i = 0; i < count; ++i) {
    const long long_row = first + long_rows[i];
    if (offsets[long_row + 1] - offsets[long_row] <= LONG_ROW * TEAM) continue;
    sum = row_sum(true, long_row, offsets, THE_COLUMNS, THE_VALUES, x, item, LARGE_GROUP, scratch);
    if (item == 0) y[long_row] = updated(alpha, sum, beta, y, long_row);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
