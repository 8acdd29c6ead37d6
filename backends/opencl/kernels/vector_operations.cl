// Operations on vectors alone: elementwise ones, and sums.

// Each item takes ELEMENTS_PER_ITEM elements, a work-group apart, so that neighbouring items read
// neighbours.

/// What a sum is kept in. HAS_DOUBLE says that the device computes in double, whatever REAL is.
#ifdef HAS_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double SUM;
#else
typedef float SUM;
#endif

/// The first element of this item's.
static long first_element(void) {
  return (long)get_group_id(0) * (ELEMENTS_PER_ITEM * GROUP) + (long)get_local_id(0);
}

/// z = a x + b z; with b == 0, z is not read.
__kernel WORK_GROUP(GROUP) void axpby(long size, REAL a, __global const REAL* x, REAL b,
                                      __global REAL* z) {
  long i = first_element();
#ifdef NVIDIA_WARP
  // As in map.cl. Copies, too, come here.
  if (i + (ELEMENTS_PER_ITEM - 1) * GROUP < size) {
    REAL values[ELEMENTS_PER_ITEM];
    UNROLLED for (int k = 0; k < ELEMENTS_PER_ITEM; ++k) {
      const long at = i + k * GROUP;
      values[k] = b == 0 ? a * x[at] : a * x[at] + b * z[at];
    }
    UNROLLED for (int k = 0; k < ELEMENTS_PER_ITEM; ++k) z[i + k * GROUP] = values[k];
    return;
  }
#endif
  for (int k = 0; k < ELEMENTS_PER_ITEM && i < size; ++k, i += GROUP) {
    z[i] = b == 0 ? a * x[i] : a * x[i] + b * z[i];
  }
}

__kernel WORK_GROUP(GROUP) void scale_elements(long size, REAL a, __global REAL* z) {
  long i = first_element();
  for (int k = 0; k < ELEMENTS_PER_ITEM && i < size; ++k, i += GROUP) z[i] *= a;
}

__kernel WORK_GROUP(GROUP) void fill_elements(long size, REAL a, __global REAL* z) {
  long i = first_element();
  for (int k = 0; k < ELEMENTS_PER_ITEM && i < size; ++k, i += GROUP) z[i] = a;
}

__kernel WORK_GROUP(GROUP) void add_to_elements(long size, REAL a, __global REAL* z) {
  long i = first_element();
  for (int k = 0; k < ELEMENTS_PER_ITEM && i < size; ++k, i += GROUP) z[i] += a;
}

/// Not fmax, which makes 0 of NaN.
__kernel WORK_GROUP(GROUP) void relu_elements(long size, __global REAL* z) {
  long i = first_element();
  for (int k = 0; k < ELEMENTS_PER_ITEM && i < size; ++k, i += GROUP) z[i] = z[i] < 0 ? 0 : z[i];
}

__kernel WORK_GROUP(GROUP) void multiply_elements(long size, __global const REAL* x,
                                                  __global const REAL* y, __global REAL* z) {
  long i = first_element();
  for (int k = 0; k < ELEMENTS_PER_ITEM && i < size; ++k, i += GROUP) z[i] = x[i] * y[i];
}

/// The sum of `value` over the group, in item 0, always added in the same order.
static SUM sum_over_group(SUM value, __local SUM* scratch) {
  const uint item = (uint)get_local_id(0);
  scratch[item] = value;
  for (uint reach = LARGE_GROUP / 2; reach > 0; reach /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < reach) scratch[item] += scratch[item + reach];
  }
  return scratch[item];
}

/// Leaves that sum in sums[group]. Where groups are to `meet`, the last one leaves the sum of all in
/// sums[0].
static void leave_sum(SUM value, __global SUM* sums, uint meet, __global uint* arrivals,
                      __local SUM* scratch, __local uint* last) {
  const uint item = (uint)get_local_id(0);
  value = sum_over_group(value, scratch);
  if (item == 0) sums[get_group_id(0)] = value;
  if (!meet) return;
  const bool is_last = is_last_group((uint)get_num_groups(0), arrivals, last);
  LEAVE_UNLESS(is_last);
  const uint groups = is_last ? (uint)get_num_groups(0) : 0;
  __global const volatile SUM* const of_groups = sums;
  value = 0;
  for (uint group = item; group < groups; group += LARGE_GROUP) value += of_groups[group];
  value = sum_over_group(value, scratch);
  if (is_last && item == 0) sums[0] = value;
}

/// All groups stride along the vector together.
__kernel WORK_GROUP(LARGE_GROUP) void dot_sums(long size, __global const REAL* x,
                                               __global const REAL* y, __global SUM* sums,
                                               uint meet, __global uint* arrivals) {
  __local SUM scratch[LARGE_GROUP];
  __local uint last;
  const long stride = (long)get_global_size(0);
  SUM sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
  long i = (long)get_global_id(0);
  for (; i + 3 * stride < size; i += 4 * stride) {
    sum0 += (SUM)x[i] * (SUM)y[i];
    sum1 += (SUM)x[i + stride] * (SUM)y[i + stride];
    sum2 += (SUM)x[i + 2 * stride] * (SUM)y[i + 2 * stride];
    sum3 += (SUM)x[i + 3 * stride] * (SUM)y[i + 3 * stride];
  }
  for (; i < size; i += stride) sum0 += (SUM)x[i] * (SUM)y[i];
  leave_sum((sum0 + sum1) + (sum2 + sum3), sums, meet, arrivals, scratch, &last);
}

__kernel WORK_GROUP(LARGE_GROUP) void plain_sums(long size, __global const REAL* x,
                                                 __global SUM* sums, uint meet,
                                                 __global uint* arrivals) {
  __local SUM scratch[LARGE_GROUP];
  __local uint last;
  const long stride = (long)get_global_size(0);
  SUM sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
  long i = (long)get_global_id(0);
  for (; i + 3 * stride < size; i += 4 * stride) {
    sum0 += (SUM)x[i];
    sum1 += (SUM)x[i + stride];
    sum2 += (SUM)x[i + 2 * stride];
    sum3 += (SUM)x[i + 3 * stride];
  }
  for (; i < size; i += stride) sum0 += (SUM)x[i];
  leave_sum((sum0 + sum1) + (sum2 + sum3), sums, meet, arrivals, scratch, &last);
}

/// One column of a row-major array of `columns` of them, as a vector of `size` elements.
__kernel WORK_GROUP(GROUP) void take_column(long size, long columns, long column,
                                            __global const REAL* from, __global REAL* z) {
  long i = first_element();
  for (int k = 0; k < ELEMENTS_PER_ITEM && i < size; ++k, i += GROUP) {
    z[i] = from[i * columns + column];
  }
}

/// The way back.
__kernel WORK_GROUP(GROUP) void put_column(long size, long columns, long column,
                                           __global const REAL* z, __global REAL* to) {
  long i = first_element();
  for (int k = 0; k < ELEMENTS_PER_ITEM && i < size; ++k, i += GROUP) {
    to[i * columns + column] = z[i];
  }
}

/// Copies rows of `columns` elements to rows of `width`, with zeros behind them.
__kernel WORK_GROUP(GROUP) void widen_rows(long rows, uint columns, uint width,
                                           __global const REAL* from, __global REAL* to) {
  const long first = first_element();
  long row = first / width;
  uint column = (uint)(first % width);
  for (int k = 0; k < ELEMENTS_PER_ITEM && row < rows; ++k) {
    to[row * width + column] = column < columns ? from[row * columns + column] : 0;
    // A work-group further on.
    row += GROUP / width;
    column += GROUP % width;
    if (column < width) continue;
    ++row;
    column -= width;
  }
}
