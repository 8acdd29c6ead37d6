// What stands before every kernel file. The host defines REAL (float or double, the latter with
// REAL_IS_DOUBLE), OFFSET (int or long: the row offsets of a CSR matrix) and GROUP (the items of a
// work-group, a power of two).
//
// Most kernels share a work-group among rows: `lanes` neighbouring items, a power of two, work on
// one row, so that short rows do not leave items idle and long ones are read by many.

#ifdef REAL_IS_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double2 WIDE;  // 16 bytes, the widest load of a GPU
typedef double4 REAL4;
typedef double8 REAL8;
#define WIDE_LENGTH 2
#else
typedef float4 WIDE;
typedef float4 REAL4;
typedef float8 REAL8;
#define WIDE_LENGTH 4
#endif

#define WORK_GROUP(items) __attribute__((reqd_work_group_size(items, 1, 1)))

/// Which of the items that share its row this one is.
static uint lane_of(uint lanes) { return (uint)get_local_id(0) & (lanes - 1); }

/// The row that this item works on; it may lie beyond the last one.
static long row_of(uint lanes) {
  return (long)get_group_id(0) * (GROUP / lanes) + (uint)get_local_id(0) / lanes;
}

/// The sum of `value` over the items that share a row, valid in lane 0; always added in the same
/// order. All items of the group must come here. `scratch` holds GROUP elements.
static REAL sum_over_lanes(REAL value, uint lanes, __local REAL* scratch) {
  const uint item = (uint)get_local_id(0);
  scratch[item] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint reach = lanes / 2; reach > 0; reach /= 2) {
    if (lane_of(lanes) < reach) scratch[item] += scratch[item + reach];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return scratch[item];
}

/// What becomes of y[row]. With beta == 0, y is not read: it may hold NaN, or nothing yet.
static REAL updated(REAL alpha, REAL sum, REAL beta, __global const REAL* y, long row) {
  return beta == 0 ? alpha * sum : alpha * sum + beta * y[row];
}
