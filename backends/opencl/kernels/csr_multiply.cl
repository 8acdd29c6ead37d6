// y = alpha A x + beta y with A in compressed sparse rows.

/// GPUs have fewer groups to start with large ones; processors balance them better where small.
#ifdef NVIDIA_WARP
#define SCALAR_GROUP LARGE_GROUP
#else
#define SCALAR_GROUP 64
#endif

/// One item for each row.
__kernel WORK_GROUP(SCALAR_GROUP) void csr_scalar(long rows, __global const OFFSET* offsets,
                                        __global const int* columns, __global const REAL* values,
                                        REAL alpha, __global const REAL* x, REAL beta,
                                        __global REAL* y) {
  const long row = (long)get_global_id(0);
  if (row >= rows) return;
  const OFFSET begin = offsets[row];
  const uint length = (uint)(offsets[row + 1] - begin);
  const REAL sum = csr_lane_dot(begin, length, columns, values, x, 0, 1);
  y[row] = updated(alpha, sum, beta, y, row);
}

/// Rows longer than this many elements for each of their lanes are left to more of them.
#define LONG_ROW 64
/// The items that share a row which is too long for its lanes. Several such rows lie in one group
/// where long ones are neighbours; all items together would wait for each of them in turn.
#define TEAM (LARGE_GROUP < 32 ? LARGE_GROUP : 32)

/// The sum of a row, by `lanes` items of which this one is `lane`. All items of the group must come
/// here; those that are not `busy` have no row.
static REAL row_sum(bool busy, long row, __global const OFFSET* offsets,
                    __global const int* columns, __global const REAL* values,
                    __global const REAL* x, uint lane, uint lanes, __local REAL* scratch) {
  REAL sum = 0;
  if (busy) {
    const OFFSET begin = offsets[row];
    const uint length = (uint)(offsets[row + 1] - begin);
    sum = csr_lane_dot(begin, length, columns, values, x, lane, lanes);
  }
  return sum_over_lanes(sum, lanes, scratch);
}

/// `lanes` items for each row, striding along it together; then a team for each row that is too long
/// for them, and the whole group for each that is too long for a team.
__kernel WORK_GROUP(LARGE_GROUP) void csr_vector(long rows, uint lanes,
                                                 __global const OFFSET* offsets,
                                                 __global const int* columns,
                                                 __global const REAL* values, REAL alpha,
                                                 __global const REAL* x, REAL beta,
                                                 __global REAL* y) {
  __local REAL scratch[LARGE_GROUP];
  __local uint long_rows[LARGE_GROUP];
  __local uint count;
  const uint item = (uint)get_local_id(0);
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
  if (!is_long) sum = csr_lane_dot(begin, length, columns, values, x, lane, lanes);
  sum = sum_over_lanes(sum, lanes, scratch);
  if (lane == 0 && inside && !is_long) y[row] = updated(alpha, sum, beta, y, row);
  barrier(CLK_LOCAL_MEM_FENCE);

  const long first = (long)get_group_id(0) * (LARGE_GROUP >> log2_of(lanes));
  for (uint i = item / TEAM; i - item / TEAM < count; i += LARGE_GROUP / TEAM) {
    const long long_row = first + long_rows[min(i, count - 1)];
    const bool busy =
        i < count && offsets[long_row + 1] - offsets[long_row] <= LONG_ROW * TEAM;
    sum = row_sum(busy, long_row, offsets, columns, values, x, item % TEAM, TEAM, scratch);
    if (busy && item % TEAM == 0) y[long_row] = updated(alpha, sum, beta, y, long_row);
  }
  for (uint i = 0; i < count; ++i) {
    const long long_row = first + long_rows[i];
    if (offsets[long_row + 1] - offsets[long_row] <= LONG_ROW * TEAM) continue;
    sum = row_sum(true, long_row, offsets, columns, values, x, item, LARGE_GROUP, scratch);
    if (item == 0) y[long_row] = updated(alpha, sum, beta, y, long_row);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
