// Sums in fixed point, one for each column, to which work-groups add products by atomics, in any order:
// integers are the same in any.
//
// The places of all bits that products can have are divided among bins. A product is added to the bin in
// which its last bit has its place, with its weight there, so that each bin counts multiples of its own
// unit, and no bit of any product is lost (Neal, Fast exact summation using small and large
// superaccumulators, arXiv:1505.05571, 2015, whose bins are wider than what is added, too). Most
// products of a matrix lie in few neighbouring bins. Where memory does not suffice for all bins, there
// are `planes` of them, each for every planes-th bin, and it is noted which were used. If two of
// these share a plane, the products are added again, each column from its largest one down.
//
// Memory: control words of two products, then the planes, then flags and the largest exponents of
// columns. All of it is 0 between products.

#ifdef REAL_IS_DOUBLE
typedef ulong BITS;
#define AS_BITS as_ulong
#define FRACTION_BITS 52
#define NOT_FINITE 2047U
/// A product is added in two pieces; the high one has its last bit so many places above the low one.
#define PIECE_BITS 27
#define HIGH_PIECE PIECE_BITS
/// What is added of a product lies so many places above its last bit at most (local_sums.cl).
#define PLACES_ABOVE 34
#else
typedef uint BITS;
#define AS_BITS as_uint
#define FRACTION_BITS 23
#define NOT_FINITE 255U
#define HIGH_PIECE 0
#define PLACES_ABOVE 5
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

typedef struct {
  long cols;
  uint planes;             ///< a power of two, or as many as there are bins
  uint mask;               ///< of a bin's number, for that of its plane
  uint width;              ///< places of a bin, 30 at most
  uint reciprocal;         ///< of the width, times 2^16, rounded up
  uint origin;             ///< the place of the last bit of a product with exponent 0
  uint turn;               ///< tells this product of the matrix from its neighbours
  __global uint* control;  ///< the words of this product
  __global ulong* bins;
  __global uint* flags;    ///< of products that are not finite
  __global uint* largest;  ///< exponents of columns, where products are added again
} Sums;

// Control words.
#define CONTROL_WORDS 4
#define USED_TO 0    ///< the last bin that was used, plus 1
#define USED_FROM 1  ///< how far the first one lies below LAST_BIN
#define HAS_FLAGS 2  ///< whether any product is not finite
#define ADDED 3      ///< work-groups that have added their products
#define LAST_BIN 4095U

/// The bin of a place: their quotient, exact as far as places reach.
static uint bin_with(Sums sums, uint place) { return place * sums.reciprocal >> 16; }

static Sums sums_in(__global ulong* words, long cols, uint planes, uint width, uint turn) {
  Sums its;
  its.cols = cols;
  its.planes = planes;
  its.width = width;
  its.reciprocal = (1U << 16) / width + 1;
  // A bin ends below 64, so that products around 1 lie in one.
  its.origin = (width - (NOT_FINITE / 2 + 6 + HIGH_PIECE) % width) % width;
  const uint last_bin = bin_with(its, NOT_FINITE - 1 + PLACES_ABOVE + width);
  its.mask = planes > last_bin ? ~0U : planes - 1;
  its.turn = turn;
  its.control = (__global uint*)words + (turn & 1) * CONTROL_WORDS;
  its.bins = words + CONTROL_WORDS;
  its.flags = (__global uint*)(its.bins + planes * cols);
  its.largest = its.flags + cols;
  return its;
}

static __global ulong* plane_of(Sums sums, uint bin) {
  return sums.bins + (bin & sums.mask) * sums.cols;
}

/// Bins that an item used, as in control words.
typedef struct {
  uint to;
  uint from;
} Used;

static void note_bin(Used* used, uint bin) {
  used->to = max(used->to, bin + 1);
  used->from = max(used->from, LAST_BIN - bin);
}

/// Adds an amount whose last bit has the given place.
static void add_at(Sums sums, long column, uint place, ulong amount, Used* used) {
  const uint bin = bin_with(sums, place);
  add_to(plane_of(sums, bin) + column, amount << (place - bin * sums.width));
  note_bin(used, bin);
}

static bool is_zero(REAL product) { return AS_BITS(product) << 1 == 0; }

static uint stored_exponent(REAL product) {
  return (uint)(AS_BITS(product) >> FRACTION_BITS) & NOT_FINITE;
}

/// 1 for numbers below the normal ones as well, whose last bit has the same place.
static uint exponent_of(REAL product) { return max(stored_exponent(product), 1U); }

/// All bits of a normal product, as a multiple of the last.
static ulong whole_of_normal(REAL product) {
  const BITS hidden = (BITS)1 << FRACTION_BITS;
  return (AS_BITS(product) & (hidden - 1)) | hidden;
}

/// Of any finite product.
static ulong whole_of(REAL product) {
  const ulong whole = whole_of_normal(product);
  return stored_exponent(product) != 0 ? whole : whole - ((ulong)1 << FRACTION_BITS);
}

static ulong signed_like(REAL product, ulong amount) { return product < 0 ? -amount : amount; }

#ifdef REAL_IS_DOUBLE
static ulong low_piece(ulong whole) { return whole & ((1UL << PIECE_BITS) - 1); }
#endif

/// Adds `whole`, the bits of a product, of which the last has the given place.
static void add_whole(Sums sums, long column, REAL product, ulong whole, uint place, Used* used) {
#ifdef REAL_IS_DOUBLE
  const ulong low = low_piece(whole), high = whole >> PIECE_BITS;
  if (low != 0) add_at(sums, column, place, signed_like(product, low), used);
  if (high != 0) add_at(sums, column, place + HIGH_PIECE, signed_like(product, high), used);
#else
  add_at(sums, column, place, signed_like(product, whole), used);
#endif
}

// Flags of columns whose products are not all finite.
#define HAS_NAN 1U
#define HAS_INFINITY 2U
#define HAS_NEGATIVE_INFINITY 4U

static void add_flag(Sums sums, long column, REAL product) {
  const uint flag = isnan(product) ? HAS_NAN : product > 0 ? HAS_INFINITY : HAS_NEGATIVE_INFINITY;
  atomic_or((__global volatile uint*)sums.flags + column, flag);
  sums.control[HAS_FLAGS] = 1;
}

/// Adds a product to the sum of its column.
static void add_product(Sums sums, long column, REAL product, Used* used) {
  if (is_zero(product)) return;
  const uint exponent = exponent_of(product);
  if (exponent == NOT_FINITE) {
    add_flag(sums, column, product);
  } else {
    add_whole(sums, column, product, whole_of(product), exponent + sums.origin, used);
  }
}

/// An exponent that none is near.
#define FAR (1U << 20)

/// The planes of one bin, or of one for each piece, in which an item's products have mostly their
/// places.
typedef struct {
  uint exponent;  ///< with which a product's last bit is the first of the bin
  __global ulong* plane;
#ifdef REAL_IS_DOUBLE
  uint high_exponent;
  __global ulong* high_plane;
#endif
} NearBins;

/// Those of products with an exponent, which are noted; none where an item has no normal product.
static NearBins near_bins(Sums sums, uint exponent, Used* used) {
  NearBins near;
  near.exponent = FAR;
  if (exponent <= 1) return near;
  const uint bin = bin_with(sums, exponent + sums.origin);
  near.plane = plane_of(sums, bin);
#ifdef REAL_IS_DOUBLE
  const uint high_bin = bin_with(sums, exponent + sums.origin + HIGH_PIECE);
  near.high_exponent = high_bin * sums.width - sums.origin - HIGH_PIECE;
  near.high_plane = plane_of(sums, high_bin);
  const uint last = high_bin;
#else
  const uint last = bin;
#endif
  // The first and the last bins have products that are not normal.
  if (bin == 0 || (last + 1) * sums.width > NOT_FINITE + sums.origin + HIGH_PIECE) return near;
  near.exponent = bin * sums.width - sums.origin;
  note_bin(used, bin);
  note_bin(used, last);
  return near;
}

/// Adds a product in few instructions if its bins are near.
static void add_near(Sums sums, NearBins near, long column, REAL product, Used* used) {
  const uint exponent = stored_exponent(product);
  const uint bit = exponent - near.exponent;
#ifdef REAL_IS_DOUBLE
  const uint high_bit = exponent - near.high_exponent;
  if (bit >= sums.width || high_bit >= sums.width) return add_product(sums, column, product, used);
  const ulong whole = whole_of_normal(product), low = low_piece(whole);
  if (low != 0) add_to(near.plane + column, signed_like(product, low) << bit);
  add_to(near.high_plane + column, signed_like(product, whole >> PIECE_BITS) << high_bit);
#else
  if (bit >= sums.width) return add_product(sums, column, product, used);
  add_to(near.plane + column, signed_like(product, whole_of_normal(product)) << bit);
#endif
}

/// The place of the last bit of a column's largest product where products are added again: its first
/// bit lies in the highest plane.
static uint highest_place(Sums sums) { return sums.planes * sums.width - 1 - HIGH_PIECE; }

/// Adds a product once more, down from the largest of its column; what lies below the planes is cut off.
static void add_below_largest(Sums sums, long column, REAL product, uint largest) {
  const uint exponent = exponent_of(product);
  if (is_zero(product) || exponent == NOT_FINITE) return;
  const int place = (int)highest_place(sums) - (int)(largest - exponent);
  ulong whole = whole_of(product);
  if (place < 0) whole = place > -64 ? whole >> -place : 0;
  Used used = {0, 0};
  if (whole != 0) add_whole(sums, column, product, whole, (uint)max(place, 0), &used);
}

#ifdef NVIDIA_WARP
/// The largest value of a warp, in its first lane.
static uint largest_of_warp(uint value) {
  for (uint reach = WARP / 2; reach > 0; reach /= 2) {
    value = max(value, from_lane_above(value, reach));
  }
  return value;
}

/// What atomics of others wrote at some time: it spares most of one's own. OpenCL 1.2 has no such reads;
/// NVIDIA's devices read 32 bits as a whole.
static uint seen_in(__global const uint* word) {
  uint seen;
  __asm__ volatile("ld.global.b32 %0, [%1];" : "=r"(seen) : "l"(word));
  return seen;
}
#else
static uint seen_in(__global const uint* word) {
  (void)word;
  return 0;
}
#endif

/// Notes that a group has added its products, and which bins its items used. All of them must come here;
/// `of_group` holds two elements.
static void note_added(Sums sums, Used used, __local uint* of_group) {
  const uint item = (uint)get_local_id(0);
  if (item < 2) of_group[item] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef NVIDIA_WARP
  used.to = largest_of_warp(used.to);
  used.from = largest_of_warp(used.from);
  if (item % WARP == 0)
#endif
  {
    atomic_max(of_group + USED_TO, used.to);
    atomic_max(of_group + USED_FROM, used.from);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item != 0) return;
  for (uint word = 0; word < 2; ++word) {
    if (of_group[word] <= seen_in(sums.control + word)) continue;
    atomic_max((__global volatile uint*)sums.control + word, of_group[word]);
  }
  fence_of_device();
  atomic_inc((__global volatile uint*)sums.control + ADDED);
}
