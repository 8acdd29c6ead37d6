// What stands before every kernel file, followed by searches.cl and published.cl. The host defines
// REAL (float or double, the latter with REAL_IS_DOUBLE), OFFSET (int or long: the row offsets of a
// CSR matrix), GROUP and LARGE_GROUP (the items of a work-group, powers of two), HAS_DOUBLE where the
// device computes in double even if REAL is float, on NVIDIA's devices NVIDIA_WARP (the items of a
// warp), and the constants of `definitions` in tuning.hpp, which the launching code uses too.
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

/// For what is only fast with the constants that a kernel hands it: compilers call large functions, and
/// arrays that are indexed by what they are handed are in memory there, not in registers.
#define INLINED static inline __attribute__((always_inline))

/// Before loops over arrays that are in registers of a GPU if no index is left, before a loop that would
/// take more registers if it were unrolled, and before loops that ask for so much at once. On
/// processors PoCL takes ten seconds to compile large bodies.
#ifdef NVIDIA_WARP
#define UNROLLED _Pragma("unroll")
#define NOT_UNROLLED _Pragma("unroll 1")
#define UNROLLED_FOUR _Pragma("unroll 4")
#define UNROLLED_EIGHT _Pragma("unroll 8")
#else
#define UNROLLED
#define NOT_UNROLLED
#define UNROLLED_FOUR
#define UNROLLED_EIGHT
#endif

/// Which of the items that share its row this one is.
static uint lane_of(uint lanes) { return (uint)get_local_id(0) & (lanes - 1); }

/// The logarithm of a power of two: GPUs shift in one instruction and divide in twenty or more.
static uint log2_of(uint power) { return 31 - clz(power); }

/// The row that this item works on; it may lie beyond the last one.
static long row_of(uint lanes) {
  const uint bits = log2_of(lanes);
  const uint rows_of_group = (uint)get_local_size(0) >> bits;
  return (long)get_group_id(0) * rows_of_group + ((uint)get_local_id(0) >> bits);
}

#ifdef NVIDIA_WARP
// 32 neighbouring items read each other's registers, which spares the barriers of a sum through
// local memory (H200, a million CSR rows of 27, 32 items each: 230 us with them, 203 without).
// NVIDIA's OpenCL has no sub-groups, but takes PTX. All 32 items must come here together.
#define WARP ((uint)NVIDIA_WARP)

static uint from_lane_above(uint value, uint distance) {
  uint result;
  __asm__ volatile("shfl.sync.down.b32 %0, %1, %2, 0x1f, 0xffffffff;"
               : "=r"(result)
               : "r"(value), "r"(distance));
  return result;
}

static uint from_lane_below(uint value, uint distance) {
  uint result;
  __asm__ volatile("shfl.sync.up.b32 %0, %1, %2, 0x0, 0xffffffff;"
               : "=r"(result)
               : "r"(value), "r"(distance));
  return result;
}

static uint from_item(uint value, uint item) {
  uint result;
  __asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;"
               : "=r"(result)
               : "r"(value), "r"(item));
  return result;
}

/// An element that is read once: it should not take the first cache from x, which is read often.
static int streamed_int(__global const int* address) {
  int result;
  __asm__("ld.global.nc.L1::no_allocate.b32 %0, [%1];" : "=r"(result) : "l"(address));
  return result;
}

static REAL streamed_real(__global const REAL* address) {
#ifdef REAL_IS_DOUBLE
  ulong bits;
  __asm__("ld.global.nc.L1::no_allocate.b64 %0, [%1];" : "=l"(bits) : "l"(address));
  return as_double(bits);
#else
  uint bits;
  __asm__("ld.global.nc.L1::no_allocate.b32 %0, [%1];" : "=r"(bits) : "l"(address));
  return as_float(bits);
#endif
}

static WIDE streamed_wide(__global const REAL* address) {
#ifdef REAL_IS_DOUBLE
  ulong2 bits;
  __asm__("ld.global.nc.L1::no_allocate.v2.b64 {%0, %1}, [%2];"
          : "=l"(bits.s0), "=l"(bits.s1)
          : "l"(address));
  return as_double2(bits);
#else
  uint4 bits;
  __asm__("ld.global.nc.L1::no_allocate.v4.b32 {%0, %1, %2, %3}, [%4];"
          : "=r"(bits.s0), "=r"(bits.s1), "=r"(bits.s2), "=r"(bits.s3)
          : "l"(address));
  return as_float4(bits);
#endif
}

/// The same of 16 bytes of what a few items read on and on: the second cache fetches 256 bytes at once
/// (H200, CSR of 16384 rows of 3277 times 32 columns: 467 us, and 522 without).
static int4 streamed_ints(__global const int* address) {
  int4 result;
  __asm__("ld.global.nc.L1::no_allocate.L2::256B.v4.b32 {%0, %1, %2, %3}, [%4];"
          : "=r"(result.s0), "=r"(result.s1), "=r"(result.s2), "=r"(result.s3)
          : "l"(address));
  return result;
}

/// Bit k of the result: whether `holds` in lane k.
static uint ballot(bool holds) {
  uint result;
  __asm__ volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
               : "=r"(result)
               : "r"((uint)holds));
  return result;
}

static REAL real_from_lane_above(REAL value, uint distance) {
#ifdef REAL_IS_DOUBLE
  const uint2 halves = as_uint2(value);
  return as_double((uint2)(from_lane_above(halves.x, distance),  //
                           from_lane_above(halves.y, distance)));
#else
  return as_float(from_lane_above(as_uint(value), distance));
#endif
}

static REAL real_from_lane_below(REAL value, uint distance) {
#ifdef REAL_IS_DOUBLE
  const uint2 halves = as_uint2(value);
  return as_double((uint2)(from_lane_below(halves.x, distance),  //
                           from_lane_below(halves.y, distance)));
#else
  return as_float(from_lane_below(as_uint(value), distance));
#endif
}
#else
static int streamed_int(__global const int* address) { return *address; }
static REAL streamed_real(__global const REAL* address) { return *address; }
static int4 streamed_ints(__global const int* address) { return *(__global const int4*)address; }
static WIDE streamed_wide(__global const REAL* address) { return *(__global const WIDE*)address; }
#endif

/// Four neighbouring elements that are read once, from a multiple of four on.
static REAL4 streamed_reals(__global const REAL* address) {
#ifdef REAL_IS_DOUBLE
  return (REAL4)(as_double2(streamed_ints((__global const int*)address)),
                 as_double2(streamed_ints((__global const int*)(address + 2))));
#else
  return as_float4(streamed_ints((__global const int*)address));
#endif
}

/// What item 0 wrote to global memory comes before what it writes next, for other work-groups too.
/// OpenCL 1.2 promises that only within a group; processors and NVIDIA's PTX do more. The host does
/// not ask for a last group on other devices (`Device::groups_can_meet`).
static void fence_of_device(void) {
#ifdef NVIDIA_WARP
  __asm__ volatile("membar.gl;" ::: "memory");
#else
  mem_fence(CLK_GLOBAL_MEM_FENCE);
#endif
}

/// What item 0 wrote to global memory is seen by the rest of its own group after a barrier with this;
/// in PTX after any.
#ifdef NVIDIA_WARP
#define FENCE_OF_GROUP CLK_LOCAL_MEM_FENCE
#else
#define FENCE_OF_GROUP (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif

/// Whether this work-group is the last of `groups` that come here; then it may read, by way of a
/// volatile pointer, what item 0 of every other one wrote before. A group that is alone is the last;
/// of none, nobody is. `arrivals` is 0 before and afterwards. All items of the group must come here;
/// `scratch` holds an element.
static bool is_last_group(uint groups, __global volatile uint* arrivals, __local uint* scratch) {
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    *scratch = groups == 1;
    if (groups > 1) {
      fence_of_device();
      *scratch = atomic_inc(arrivals) + 1 == groups;
      if (*scratch) *arrivals = 0;
      fence_of_device();
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const bool is_last = *scratch;
  barrier(FENCE_OF_GROUP);
  return is_last;
}

/// The other groups go on with nothing to do where leaving them behind is miscompiled: PoCL 3.1
/// loses variables around barriers that not every group comes to.
#ifdef NVIDIA_WARP
#define LEAVE_UNLESS(condition) \
  if (!(condition)) return
#else
#define LEAVE_UNLESS(condition)
#endif

/// All items of a team have written to local memory what any of them reads next, and the other way
/// round. A team is a warp on NVIDIA's devices, and a whole group elsewhere.
static void meet_team(void) {
#ifdef NVIDIA_WARP
  __asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory");
#else
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
}

/// The sum of `value` over the items that share a row, valid in lane 0; always added in the same
/// order. All items of the group must come here. `scratch` holds an element for each of them, and
/// may be used again after a barrier.
static REAL sum_over_lanes(REAL value, uint lanes, __local REAL* scratch) {
  const uint item = (uint)get_local_id(0);
#ifdef NVIDIA_WARP
  for (uint reach = min(lanes, WARP) / 2; reach > 0; reach /= 2) {
    value += real_from_lane_above(value, reach);
  }
  if (lanes <= WARP) return value;
  if (item % WARP == 0) scratch[item / WARP] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane_of(lanes) == 0) {
    for (uint warp = 1; warp < lanes / WARP; ++warp) value += scratch[item / WARP + warp];
  }
  return value;
#else
  scratch[item] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint reach = lanes / 2; reach > 0; reach /= 2) {
    if (lane_of(lanes) < reach) scratch[item] += scratch[item + reach];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return scratch[item];
#endif
}

/// The part of a CSR row's product that falls to one lane. A row is no longer than the columns are
/// many, so that 32 unsigned bits count it, four strides beyond its end included. Four columns and
/// values are asked for before the first element of x, which has to wait for its column.
static REAL csr_lane_dot(OFFSET begin, uint length, __global const int* columns,
                         __global const REAL* values, __global const REAL* x, uint lane,
                         uint lanes) {
  columns += begin;
  values += begin;
  REAL sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
  // All lanes go through this loop equally often, so that none waits for another.
  uint first = 0;
  for (; first + 4 * lanes <= length; first += 4 * lanes) {
    const uint k = first + lane;
    const int column0 = columns[k], column1 = columns[k + lanes];
    const int column2 = columns[k + 2 * lanes], column3 = columns[k + 3 * lanes];
    const REAL value0 = values[k], value1 = values[k + lanes];
    const REAL value2 = values[k + 2 * lanes], value3 = values[k + 3 * lanes];
    sum0 += value0 * x[column0];
    sum1 += value1 * x[column1];
    sum2 += value2 * x[column2];
    sum3 += value3 * x[column3];
  }
  if (first == length) return (sum0 + sum1) + (sum2 + sum3);
  // At most four elements each are left. No loop and no branches, so that their loads need not
  // wait either: where a lane has none, it reads the last one again and adds nothing.
  const uint last = length - 1;
  const uint k0 = first + lane, k1 = k0 + lanes, k2 = k1 + lanes, k3 = k2 + lanes;
  const uint at0 = min(k0, last), at1 = min(k1, last), at2 = min(k2, last), at3 = min(k3, last);
  const int column0 = columns[at0], column1 = columns[at1];
  const int column2 = columns[at2], column3 = columns[at3];
  const REAL value0 = values[at0], value1 = values[at1];
  const REAL value2 = values[at2], value3 = values[at3];
  const REAL product0 = value0 * x[column0], product1 = value1 * x[column1];
  const REAL product2 = value2 * x[column2], product3 = value3 * x[column3];
  sum0 += k0 < length ? product0 : 0;
  sum1 += k1 < length ? product1 : 0;
  sum2 += k2 < length ? product2 : 0;
  sum3 += k3 < length ? product3 : 0;
  return (sum0 + sum1) + (sum2 + sum3);
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

/// Of sums that stand one to an item, each starting anew after an item that `ends` a row: what this
/// item has to add to the first row that ends in it. *last: the sum after the last item.
/// `sums` and `flags` hold an element for each item and may be used again after a barrier.
static REAL carried_in(REAL sum, uint ends, __local REAL* sums, __local uint* flags, REAL* last) {
  const uint item = (uint)get_local_id(0);
#ifdef NVIDIA_WARP
  const uint lane = item % WARP;
  for (uint reach = 1; reach < WARP; reach *= 2) {
    const REAL before = real_from_lane_below(sum, reach);
    const uint ends_before = from_lane_below(ends, reach);
    if (lane >= reach && !ends) sum += before;
    if (lane >= reach) ends |= ends_before;
  }
  if (lane == WARP - 1) {
    sums[item / WARP] = sum;
    flags[item / WARP] = ends;
  }
  REAL carried = real_from_lane_below(sum, 1);
  const uint ended = from_lane_below(ends, 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  REAL of_warps = 0, all = 0;
  for (uint warp = 0; warp < GROUP / WARP; ++warp) {
    if (warp == item / WARP) of_warps = all;
    all = flags[warp] ? sums[warp] : all + sums[warp];
  }
  *last = all;
  return lane == 0 ? of_warps : ended ? carried : carried + of_warps;
#else
  for (uint reach = 1; reach < GROUP; reach *= 2) {
    sums[item] = sum;
    flags[item] = ends;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item >= reach && !ends) sum += sums[item - reach];
    if (item >= reach) ends |= flags[item - reach];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  sums[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  *last = sums[GROUP - 1];
  return item == 0 ? 0 : sums[item - 1];
#endif
}

/// What becomes of y[row]. With beta == 0, y is not read: it may hold NaN, or nothing yet.
static REAL updated(REAL alpha, REAL sum, REAL beta, __global const REAL* y, long row) {
  return beta == 0 ? alpha * sum : alpha * sum + beta * y[row];
}
