// y = alpha A^T x + beta y with A in compressed sparse rows: each product is added to the sum of its
// column, whoever has it.
//
// Work-groups add in any order, by atomics. For the same bits each time, sums are integers: whole
// multiples of a unit that belongs to the column, far below the last bit of its largest product. What
// lies below it is cut off. (Collange, Defour, Graillat, Iakymchuk, Numerical reproducibility for the
// parallel reduction on multi- and many-core architectures, Parallel Computing 49, 2015, keep sums in
// fixed point that is wide enough for any unit; here a pass over all products finds the unit first.)

#ifdef REAL_IS_DOUBLE
typedef ulong BITS;
#define AS_BITS as_ulong
#define FRACTION_BITS 52
#define NOT_FINITE 2047U
/// A sum has two words: products of 63 bits are cut in halves, so that 2^31 of them fit.
#define SUM_WORDS 2
#else
typedef uint BITS;
#define AS_BITS as_uint
#define FRACTION_BITS 23
#define NOT_FINITE 255U
#define SUM_WORDS 1
#endif

#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
static void add_to(__global volatile ulong* sum, ulong value) { atom_add(sum, value); }
#else
/// Whoever makes the low half of a sum overflow adds the carry to the high one.
static void add_to(__global volatile ulong* sum, ulong value) {
  __global volatile uint* const low = (__global volatile uint*)sum;
  const uint before = atomic_add(low, (uint)value);
  const uint carry = before + (uint)value < before;
  atomic_add(low + 1, (uint)(value >> 32) + carry);
}
#endif

// The scratch has the columns' sums, then their largest exponents, then the rows of tiles.

static __global uint* largest_in(__global ulong* scratch, long cols) {
  return (__global uint*)(scratch + cols * SUM_WORDS);
}

static __global long* tile_rows_in(__global ulong* scratch, long cols) {
  return (__global long*)(scratch + cols * SUM_WORDS + (cols + 1) / 2);
}

/// Clears sums and exponents and finds the rows of tiles, an item for each.
__kernel WORK_GROUP(GROUP) void scatter_begin(long rows, long cols, long nnz, long tiles,
                                              __global const OFFSET* offsets,
                                              __global ulong* scratch) {
  const long item = (long)get_global_id(0);
  if (item < cols) {
    for (uint w = 0; w < SUM_WORDS; ++w) scratch[item * SUM_WORDS + w] = 0;
    largest_in(scratch, cols)[item] = 0;
  }
  if (item <= tiles) tile_rows_in(scratch, cols)[item] = row_of_tile(item, rows, nnz, offsets);
}

/// Products of an item, and their columns. A product that is not there is 0, in the first column.
typedef struct {
  int column[TILE_ITEMS];
  REAL product[TILE_ITEMS];
} Products;

INLINED void load_products(long nnz, long cols, __global const OFFSET* offsets,
                           __global const int* columns, __global const REAL* values,
                           __global const REAL* x, __global ulong* scratch, __local int* row_of,
                           __local uint* scanned, Products* its) {
  const uint item = (uint)get_local_id(0);
  const long begin = (long)get_group_id(0) * TILE;
  const uint size = (uint)min((long)TILE, nnz - begin);
  __global const long* const tile_rows = tile_rows_in(scratch, cols) + get_group_id(0);
  const TileRows rows = {tile_rows[0], tile_rows[1]};
  UNROLLED
  for (uint i = 0; i < TILE_ITEMS; ++i) {
    const uint k = i * LARGE_GROUP + item;
    its->column[i] = k < size ? streamed_int(columns + begin + k) : 0;
    its->product[i] = k < size ? streamed_real(values + begin + k) : 0;
  }
  mark_rows(rows, offsets, begin, size, row_of, scanned);
  UNROLLED
  for (uint i = 0; i < TILE_ITEMS; ++i) {
    const uint k = i * LARGE_GROUP + item;
    if (k < size) its->product[i] *= x[row_of_element(rows, offsets, begin, k, row_of)];
  }
}

static bool is_zero(REAL product) { return AS_BITS(product) << 1 == 0; }

/// As stored, but 1 for numbers below the normal ones, whose unit is the same.
static uint exponent_of(REAL product) {
  return max((uint)(AS_BITS(product) >> FRACTION_BITS) & NOT_FINITE, 1U);
}

/// An exponent that was the largest of a column at some time, or 0: it spares most of the atomics. OpenCL
/// 1.2 has no reads beside the atomics of others; NVIDIA's devices read 32 bits as a whole. (H200, power
/// law of a million rows: 614 us, and 712 where such a read may not come from the first cache.)
static uint seen_in(__global const uint* largest) {
#ifdef NVIDIA_WARP
  uint seen;
  __asm__ volatile("ld.global.b32 %0, [%1];" : "=r"(seen) : "l"(largest));
  return seen;
#else
  (void)largest;
  return 0;
#endif
}

/// The largest exponent of each column, 0 where all products are zero.
__kernel WORK_GROUP(LARGE_GROUP) void scatter_largest(long nnz, long cols,
                                                      __global const OFFSET* offsets,
                                                      __global const int* columns,
                                                      __global const REAL* values,
                                                      __global const REAL* x,
                                                      __global ulong* scratch) {
  __local int row_of[TILE];
  __local uint scanned[LARGE_GROUP];
  Products its;
  load_products(nnz, cols, offsets, columns, values, x, scratch, row_of, scanned, &its);
  __global uint* const largest = largest_in(scratch, cols);
  uint seen[TILE_ITEMS];
  UNROLLED
  for (uint i = 0; i < TILE_ITEMS; ++i) seen[i] = seen_in(largest + its.column[i]);
  UNROLLED
  for (uint i = 0; i < TILE_ITEMS; ++i) {
    const uint exponent = exponent_of(its.product[i]);
    if (!is_zero(its.product[i]) && exponent > seen[i]) {
      atomic_max(largest + its.column[i], exponent);
    }
  }
}

// Flags in the sum of a column whose products are not all finite.
#define HAS_NAN 1U
#define HAS_INFINITY 2U
#define HAS_NEGATIVE_INFINITY 4U

static uint flag_of(REAL product) {
  if (isnan(product)) return HAS_NAN;
  if (isinf(product)) return product > 0 ? HAS_INFINITY : HAS_NEGATIVE_INFINITY;
  return 0;
}

/// Adds a product to the sum of its column. Its last bit is `room` bits above the unit if it has the
/// `largest` exponent.
static void add_product(REAL product, uint largest, uint room, __global ulong* sum) {
  const uint shift = largest - exponent_of(product);
  if (largest == NOT_FINITE) {
    if (shift == 0) atomic_or((__global volatile uint*)sum, flag_of(product));
    return;
  }
  const BITS bits = AS_BITS(product);
  const BITS hidden = (BITS)1 << FRACTION_BITS;
  const BITS fraction = bits & (hidden - 1);
  const ulong whole = bits >> FRACTION_BITS & NOT_FINITE ? fraction | hidden : fraction;
  const ulong amount = shift < 64 ? whole << room >> shift : 0;
  if (amount == 0) return;
  const ulong with_sign = product < 0 ? -amount : amount;
#ifdef REAL_IS_DOUBLE
  const ulong low = with_sign & 0xffffffffUL, high = (ulong)((long)with_sign >> 32);
  if (low != 0) add_to(sum, low);
  if (high != 0) add_to(sum + 1, high);
#else
  add_to(sum, with_sign);
#endif
}

/// Adds the products of a tile to the sums of their columns.
__kernel WORK_GROUP(LARGE_GROUP) void scatter_add(long nnz, long cols, uint room,
                                                  __global const OFFSET* offsets,
                                                  __global const int* columns,
                                                  __global const REAL* values,
                                                  __global const REAL* x,
                                                  __global ulong* scratch) {
  __local int row_of[TILE];
  __local uint scanned[LARGE_GROUP];
  Products its;
  load_products(nnz, cols, offsets, columns, values, x, scratch, row_of, scanned, &its);
  __global const uint* const largest = largest_in(scratch, cols);
  uint its_largest[TILE_ITEMS];
  UNROLLED
  for (uint i = 0; i < TILE_ITEMS; ++i) its_largest[i] = largest[its.column[i]];
  UNROLLED
  for (uint i = 0; i < TILE_ITEMS; ++i) {
    if (is_zero(its.product[i])) continue;
    add_product(its.product[i], its_largest[i], room,
                scratch + (long)its.column[i] * SUM_WORDS);
  }
}

/// The number that a sum stands for.
static REAL number_of(__global const ulong* sum, uint largest, uint room) {
  if (largest == NOT_FINITE) {
    const uint flags = (uint)*sum;
    const bool has_both = (flags & HAS_INFINITY) && (flags & HAS_NEGATIVE_INFINITY);
    if ((flags & HAS_NAN) || has_both) return NAN;
    return flags & HAS_INFINITY ? INFINITY : -INFINITY;
  }
  const int unit = (int)largest - (int)(NOT_FINITE / 2) - FRACTION_BITS - (int)room;
#ifdef REAL_IS_DOUBLE
  const long high = (long)sum[1] + (long)(sum[0] >> 32);
  return ldexp(ldexp((REAL)high, 32) + (REAL)(sum[0] & 0xffffffffUL), unit);
#else
  return ldexp((REAL)(long)*sum, unit);
#endif
}

/// One item for each element of y.
__kernel WORK_GROUP(GROUP) void scatter_finish(long cols, uint room, __global ulong* scratch,
                                               REAL alpha, REAL beta, __global REAL* y) {
  const long j = (long)get_global_id(0);
  if (j >= cols) return;
  const REAL sum = number_of(scratch + j * SUM_WORDS, largest_in(scratch, cols)[j], room);
  y[j] = updated(alpha, sum, beta, y, j);
}
