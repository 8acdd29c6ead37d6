// Sums in fixed point (fixed_sums.cl) when all products are added: they are rounded once, and leave
// zeros behind.

/// What all products of a matrix used.
typedef struct {
  uint from;  ///< the first bin
  uint to;    ///< behind the last one
  bool has_flags;
} AllUsed;

static AllUsed all_used(uint to, uint from, uint has_flags) {
  const AllUsed used = {to == 0 ? 0 : LAST_BIN - from, to, has_flags != 0};
  return used;
}

/// As an earlier launch left it.
static AllUsed used_before(Sums sums) {
  return all_used(sums.control[USED_TO], sums.control[USED_FROM], sums.control[HAS_FLAGS]);
}

/// Whether bins that share a plane were used.
static bool is_exceeded(Sums sums, AllUsed used) { return used.to - used.from > sums.planes; }

/// value * 2^unit, without a function if that is a normal number for sure.
static REAL scaled(REAL value, int unit) {
  const int exponent = unit + (int)(NOT_FINITE / 2);
  if (exponent < 1 || unit > (int)(NOT_FINITE / 4)) return ldexp(value, unit);
  const BITS power = (BITS)exponent << FRACTION_BITS;
#ifdef REAL_IS_DOUBLE
  return value * as_double(power);
#else
  return value * as_float(power);
#endif
}

/// A number with 64 bits before the point and 64 behind it, times 2^unit, rounded once.
static REAL rounded(long high, ulong low, int unit) {
  if (low == 0) return scaled((REAL)high, unit);
  const bool is_negative = high < 0;
  if (is_negative) {
    low = -low;
    high = ~high;
  }
  const uint zeros = high != 0 ? clz((ulong)high) : 64 + clz(low);
  ulong first = zeros < 64 ? (ulong)high << zeros : low << (zeros - 64);
  if (zeros > 0 && zeros < 64) first |= low >> (64 - zeros);
  // What does not fit decides about numbers half way between two others.
  if (zeros < 64 && low << zeros != 0) first |= 1;
  const REAL result = scaled((REAL)first, unit - (int)zeros);
  return is_negative ? -result : result;
}

/// The digit of a bin, of as many bits as it is wide and with a sign; all digits below it are less than
/// one of it together. So where a sum begins, nothing below cancels it.
static long digit_of(Sums sums, long amount) {
  const uint above = 64 - sums.width;
  return (long)((ulong)amount << above) >> above;
}

/// Bins that an item asks for at once.
#define BINS_AT_ONCE 4

/// The sum that bins `from` to `to`, exclusive, hold for a column, which are 0 afterwards. `exponent`
/// is that of products whose last bit is the first of bin 0.
static REAL taken_sum(Sums sums, long column, uint from, uint to, int exponent) {
  // Bits from the unit of bin `at` on, and 64 below, the last of which stands for all that are lost.
  long high = 0;
  ulong low = 0;
  uint at = from;
  long carry = 0;
  for (uint first = from; first < to; first += BINS_AT_ONCE) {
    long amounts[BINS_AT_ONCE];
    UNROLLED
    for (uint i = 0; i < BINS_AT_ONCE; ++i) {
      amounts[i] = 0;
      if (first + i < to) amounts[i] = ((__global volatile long*)plane_of(sums, first + i))[column];
    }
    UNROLLED
    for (uint i = 0; i < BINS_AT_ONCE; ++i) {
      const uint bin = first + i;
      if (bin >= to) break;
      if (amounts[i] != 0) plane_of(sums, bin)[column] = 0;
      const long amount = amounts[i] + carry;
      // The last bin has all that is left.
      const long digit = bin + 1 < to ? digit_of(sums, amount) : amount;
      carry = (amount - digit) >> sums.width;
      if (digit == 0) continue;
      for (; at < bin && (high != 0 || low != 0); ++at) {
        const ulong lost = low & ((1UL << sums.width) - 1);
        low = low >> sums.width | (ulong)high << (64 - sums.width) | (lost != 0);
        high >>= sums.width;
      }
      at = bin;
      high += digit;
    }
  }
  const int unit = exponent + (int)(at * sums.width) - (int)(NOT_FINITE / 2) - FRACTION_BITS;
  return rounded(high, low, unit);
}

/// What a column's flags stand for, which are 0 afterwards, or its sum, if it has none.
static REAL flagged(Sums sums, AllUsed used, long column, REAL sum) {
  if (!used.has_flags) return sum;
  const uint flags = ((__global volatile uint*)sums.flags)[column];
  if (flags == 0) return sum;
  sums.flags[column] = 0;
  const bool has_both = (flags & HAS_INFINITY) && (flags & HAS_NEGATIVE_INFINITY);
  if ((flags & HAS_NAN) || has_both) return NAN;
  return flags & HAS_INFINITY ? INFINITY : -INFINITY;
}

/// The sum of one element of y; where planes are exceeded, it is only cleared. The first item clears
/// the control words of the next product.
static void finish_column(Sums sums, AllUsed used, long j, REAL alpha, REAL beta,
                          __global REAL* y) {
  __global uint* const other = sums.control + ((sums.turn & 1) ? -CONTROL_WORDS : CONTROL_WORDS);
  for (uint word = 0; j == 0 && word < CONTROL_WORDS; ++word) other[word] = 0;
  if (j >= sums.cols) return;
  if (is_exceeded(sums, used)) {
    for (uint plane = 0; plane < sums.planes; ++plane) sums.bins[plane * sums.cols + j] = 0;
    return;
  }
  const REAL sum = taken_sum(sums, j, used.from, used.to, -(int)sums.origin);
  y[j] = updated(alpha, flagged(sums, used, j, sum), beta, y, j);
}

/// The same by the groups behind those that add products, which have started before, once all of these
/// have added theirs (docs/decisions/0016); true in these groups, where they are asked for: on NVIDIA's
/// devices. `control` holds CONTROL_WORDS elements.
static bool finishes_after(Sums sums, uint adding_groups, __local uint* control, REAL alpha,
                           REAL beta, __global REAL* y) {
#ifdef NVIDIA_WARP
  if (get_group_id(0) < adding_groups) return false;
  __global const volatile uint* const words = sums.control;
  const uint item = (uint)get_local_id(0);
  if (item == 0) {
    while (words[ADDED] < adding_groups) {
    }
    fence_of_device();
    for (uint word = 0; word < CONTROL_WORDS; ++word) control[word] = words[word];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const AllUsed used = all_used(control[USED_TO], control[USED_FROM], control[HAS_FLAGS]);
  const long j = (long)(get_group_id(0) - adding_groups) * LARGE_GROUP + item;
  finish_column(sums, used, j, alpha, beta, y);
  return true;
#else
  (void)sums, (void)adding_groups, (void)control, (void)alpha, (void)beta, (void)y;
  return false;
#endif
}
