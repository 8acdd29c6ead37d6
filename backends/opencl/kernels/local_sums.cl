// Sums of products in local memory, each of LIMBS limbs that hold LIMB_BITS bits of a product: 32 bits
// have room for as many products as the group adds. A sum counts multiples of a unit that suits most
// products; the others are added in global memory.

#define LIMB_MASK ((1U << LIMB_BITS) - 1)
#ifdef REAL_IS_DOUBLE
#define LIMBS 3
#else
#define LIMBS 2
#endif
/// Products reach so many places above the unit.
#define LOCAL_PLACES (LIMBS * LIMB_BITS - FRACTION_BITS - 1)

/// How far a product's place lies above the unit; more than LOCAL_PLACES if it cannot be added locally.
static uint places_above(Sums sums, REAL product, uint unit) {
  const uint exponent = stored_exponent(product);
  const bool is_normal = exponent != 0 && exponent != NOT_FINITE;
  return is_normal ? exponent + sums.origin - unit : LOCAL_PLACES + 1;
}

/// Adds a product to a sum, whose limbs are `stride` elements apart.
static void add_locally(REAL product, uint above, __local int* limbs, uint stride) {
  const ulong whole = whole_of_normal(product);
  UNROLLED
  for (uint limb = 0; limb < LIMBS; ++limb) {
    const int shift = (int)above - (int)(limb * LIMB_BITS);
    const uint bits = (uint)(shift >= 0 ? whole << shift : whole >> -shift) & LIMB_MASK;
    if (bits == 0) continue;
    atomic_add((__local volatile int*)limbs + limb * stride, product < 0 ? -(int)bits : (int)bits);
  }
}

/// Adds a local sum to that of a column.
static void add_local_sum(Sums sums, long column, uint unit, __local const int* limbs, uint stride,
                          Used* used) {
#ifndef REAL_IS_DOUBLE
  if (unit % sums.width + LOCAL_PLACES < sums.width) {
    const long sum = limbs[0] + ((long)limbs[stride] << LIMB_BITS);
    if (sum != 0) add_at(sums, column, unit, (ulong)sum, used);
    return;
  }
#endif
  UNROLLED
  for (uint limb = 0; limb < LIMBS; ++limb) {
    const int sum = limbs[limb * stride];
    if (sum != 0) add_at(sums, column, unit + limb * LIMB_BITS, (ulong)(long)sum, used);
  }
}
