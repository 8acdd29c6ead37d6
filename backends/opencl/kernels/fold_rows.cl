// y_i = the fold of f(a_ij, x_j) over the elements of row i that are not zero, with both recorded from
// the program: see recorded_text.hpp for what stands before.
//
// The order is fixed. `lanes` items share a row: each folds every lanes-th of its elements from the
// first on, starting with the identity; then each of the first half of them takes in what its
// counterpart in the second half has, and so on by halves. A row that is too long for its lanes has
// more of them. How many follows from the row's length, the matrix's mean row, and the device.

/// Rows longer than this many elements for each of their lanes are left to more of them, as in
/// csr_multiply.cl.
#define LONG_ROW 64
/// The items that share a row which is too long for its lanes.
#define TEAM (LARGE_GROUP < 32 ? LARGE_GROUP : 32)

/// GPUs have fewer groups to start with large ones; processors balance them better where small.
#ifdef NVIDIA_WARP
#define SCALAR_GROUP LARGE_GROUP
#else
#define SCALAR_GROUP 64
#endif

/// `folded` and one more element. What is made of a zero is computed and not taken, so that no load
/// has to wait for a branch.
static FOLDED with_element(FOLDED folded, long row, long column, REAL a, REAL x VALUE_PARAMETERS
                           FOLD_PARAMETERS) {
  const FOLDED more = combine(folded, apply_at(row, column, a, x VALUE_ARGUMENTS) FOLD_ARGUMENTS);
  return a != 0 ? more : folded;
}

/// What one lane folds of a row of `length` elements from `begin` on.
static FOLDED fold_csr_lane(long row, OFFSET begin, uint length, __global const int* columns,
                            __global const REAL* values, __global const REAL* x, FOLDED identity,
                            uint lane, uint lanes VALUE_PARAMETERS FOLD_PARAMETERS) {
  columns += begin;
  values += begin;
  FOLDED folded = identity;
  UNROLLED_FOUR for (uint k = lane; k < length; k += lanes) {
    const int column = columns[k];
    folded = with_element(folded, row, column, values[k], x[column] VALUE_ARGUMENTS
                          FOLD_ARGUMENTS);
  }
  return folded;
}

/// The fold of `value` over the items that share a row, valid in lane 0. All items of the group must
/// come here. `scratch` holds an element for each of them, and may be used here again.
static FOLDED fold_over_lanes(FOLDED value, uint lanes, __local FOLDED* scratch FOLD_PARAMETERS) {
  const uint item = (uint)get_local_id(0);
  scratch[item] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint reach = lanes / 2; reach > 0; reach /= 2) {
    if (lane_of(lanes) < reach) {
      scratch[item] = combine(scratch[item], scratch[item + reach] FOLD_ARGUMENTS);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return scratch[item];
}

/// One item for each row.
__kernel WORK_GROUP(SCALAR_GROUP) void fold_csr_scalar(long rows, FOLDED identity,
                                                       __global const OFFSET* offsets,
                                                       __global const int* columns,
                                                       __global const REAL* values,
                                                       __global const REAL* x,
                                                       __global REAL* y VALUE_PARAMETERS
                                                       FOLD_PARAMETERS) {
  const long row = (long)get_global_id(0);
  if (row >= rows) return;
  const OFFSET begin = offsets[row];
  const uint length = (uint)(offsets[row + 1] - begin);
  y[row] = (REAL)fold_csr_lane(row, begin, length, columns, values, x, identity, 0,
                               1 VALUE_ARGUMENTS FOLD_ARGUMENTS);
}

/// The fold of a row, by `lanes` items of which this one is `lane`. All items of the group must come
/// here; those that are not `busy` have no row.
static FOLDED fold_csr_row(bool busy, long row, __global const OFFSET* offsets,
                           __global const int* columns, __global const REAL* values,
                           __global const REAL* x, FOLDED identity, uint lane, uint lanes,
                           __local FOLDED* scratch VALUE_PARAMETERS FOLD_PARAMETERS) {
  FOLDED folded = identity;
  if (busy) {
    const OFFSET begin = offsets[row];
    const uint length = (uint)(offsets[row + 1] - begin);
    folded = fold_csr_lane(row, begin, length, columns, values, x, identity, lane,
                           lanes VALUE_ARGUMENTS FOLD_ARGUMENTS);
  }
  return fold_over_lanes(folded, lanes, scratch FOLD_ARGUMENTS);
}

/// `lanes` items for each row; then a team for each row that is too long for them, and the whole group
/// for each that is too long for a team.
__kernel WORK_GROUP(LARGE_GROUP) void fold_csr_vector(long rows, uint lanes, FOLDED identity,
                                                      __global const OFFSET* offsets,
                                                      __global const int* columns,
                                                      __global const REAL* values,
                                                      __global const REAL* x,
                                                      __global REAL* y VALUE_PARAMETERS
                                                      FOLD_PARAMETERS) {
  __local FOLDED scratch[LARGE_GROUP];
  __local uint long_rows[LARGE_GROUP];
  __local uint count;
  const uint item = (uint)get_local_id(0);
  const uint lane = lane_of(lanes);
  const long row = row_of(lanes);
  const bool inside = row < rows;
  const uint length = inside ? (uint)(offsets[row + 1] - offsets[row]) : 0;
  if (item == 0) count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const bool is_long = lanes < LARGE_GROUP && length > LONG_ROW * lanes;
  // In whatever order they enter the list, each is folded in the same way.
  if (is_long && lane == 0) long_rows[atomic_inc(&count)] = item >> log2_of(lanes);
  FOLDED folded = fold_csr_row(inside && !is_long, row, offsets, columns, values, x, identity, lane,
                               lanes, scratch VALUE_ARGUMENTS FOLD_ARGUMENTS);
  if (lane == 0 && inside && !is_long) y[row] = (REAL)folded;
  barrier(CLK_LOCAL_MEM_FENCE);

  const long first = (long)get_group_id(0) * (LARGE_GROUP >> log2_of(lanes));
  for (uint i = item / TEAM; i - item / TEAM < count; i += LARGE_GROUP / TEAM) {
    const long long_row = first + long_rows[min(i, count - 1)];
    const bool busy = i < count && offsets[long_row + 1] - offsets[long_row] <= LONG_ROW * TEAM;
    folded = fold_csr_row(busy, long_row, offsets, columns, values, x, identity, item % TEAM, TEAM,
                          scratch VALUE_ARGUMENTS FOLD_ARGUMENTS);
    if (busy && item % TEAM == 0) y[long_row] = (REAL)folded;
  }
  for (uint i = 0; i < count; ++i) {
    const long long_row = first + long_rows[i];
    if (offsets[long_row + 1] - offsets[long_row] <= LONG_ROW * TEAM) continue;
    folded = fold_csr_row(true, long_row, offsets, columns, values, x, identity, item, LARGE_GROUP,
                          scratch VALUE_ARGUMENTS FOLD_ARGUMENTS);
    if (item == 0) y[long_row] = (REAL)folded;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

/// `lanes` items for each row of a dense matrix.
__kernel WORK_GROUP(LARGE_GROUP) void fold_dense_rows(long rows, long cols, uint lanes,
                                                      FOLDED identity,
                                                      __global const REAL* values,
                                                      __global const REAL* x,
                                                      __global REAL* y VALUE_PARAMETERS
                                                      FOLD_PARAMETERS) {
  __local FOLDED scratch[LARGE_GROUP];
  const uint lane = lane_of(lanes);
  const long row = row_of(lanes);
  FOLDED folded = identity;
  if (row < rows) {
    values += row * cols;
    UNROLLED_FOUR for (long j = lane; j < cols; j += lanes) {
      folded = with_element(folded, row, j, values[j], x[j] VALUE_ARGUMENTS FOLD_ARGUMENTS);
    }
  }
  folded = fold_over_lanes(folded, lanes, scratch FOLD_ARGUMENTS);
  if (lane == 0 && row < rows) y[row] = (REAL)folded;
}
