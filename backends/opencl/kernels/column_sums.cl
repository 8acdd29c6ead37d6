// Sums of rows in compressed sparse rows for Y = alpha A X + beta Y, X and Y row-major with several
// columns.
//
// An item has four neighbouring columns, or both where there are two. `across` items, a power of two,
// have those of a panel, and share a nonzero: its column and value are read by all of them at once. They
// are a team. Other teams stand beside them and take other nonzeros of the row.

/// The most columns of an item.
#define EACH 4

/// How the rows of X can be read: by as many columns at once as divide the number of columns, or as the
/// two that there are, so that no item computes with columns that it does not have.
#define BY_FOUR 4
#define BOTH 3
#define BY_TWO 2
#define BY_ONE 1

#ifdef REAL_IS_DOUBLE
typedef double2 REAL2;
#else
typedef float2 REAL2;
#endif

/// What all rows have in common.
typedef struct {
  int pitch;    ///< bytes from one row of X to the next: a product of 32 bits, in one instruction
  uint columns; ///< of X and Y
  uint column;  ///< the first of this item
  uint count;   ///< of this item, 1 to EACH
  uint way;     ///< BY_FOUR, BOTH, BY_TWO or BY_ONE; known when compiling
} Columns;

/// This item's columns of row `row` of X, which begins at this item's first column. Where the item has
/// fewer than four, the others are unspecified.
INLINED REAL4 row_of_x(__global const REAL* x, int row, Columns its) {
  __global const REAL* const from =
      (__global const REAL*)((__global const char*)x + (long)row * (long)its.pitch);
  if (its.way == BY_FOUR) return *(__global const REAL4*)from;
  if (its.way == BOTH) return (REAL4)(*(__global const REAL2*)from, (REAL2)0);
  if (its.way == BY_TWO) {
    const REAL2 low = *(__global const REAL2*)from;
    return (REAL4)(low, its.count > 2 ? *(__global const REAL2*)(from + 2) : low);
  }
  const uint last = its.count - 1;
  return (REAL4)(from[0], from[min(1u, last)], from[min(2u, last)], from[min(3u, last)]);
}

/// The part of a row that falls to team `team` of `teams`, which stride along it together. Four
/// nonzeros are asked for before the first row of X, which has to wait for its number.
INLINED REAL4 sum_of_strides(OFFSET begin, uint length, __global const int* columns,
                             __global const REAL* values, __global const REAL* x, uint team,
                             uint teams, Columns its) {
  columns += begin;
  values += begin;
  REAL4 sum = 0;
  NOT_UNROLLED
  for (uint k = team; k < length; k += 4 * teams) {
    // Without branches, so that no load waits for another: the last nonzero again where there is none.
    const uint last = length - 1;
    const uint k1 = k + teams, k2 = k1 + teams, k3 = k2 + teams;
    const uint at1 = min(k1, last), at2 = min(k2, last), at3 = min(k3, last);
    const int row0 = columns[k], row1 = columns[at1], row2 = columns[at2], row3 = columns[at3];
    const REAL4 product0 = values[k] * row_of_x(x, row0, its);
    const REAL4 product1 = values[at1] * row_of_x(x, row1, its);
    const REAL4 product2 = values[at2] * row_of_x(x, row2, its);
    const REAL4 product3 = values[at3] * row_of_x(x, row3, its);
    const REAL4 none = 0;
    sum += product0;
    sum += k1 < length ? product1 : none;
    sum += k2 < length ? product2 : none;
    sum += k3 < length ? product3 : none;
  }
  return sum;
}

/// The same for long rows: a team takes four neighbouring nonzeros by loads of 16 bytes, which spares
/// the others that share a nonzero most of their loads. Such loads begin at multiples of four among all
/// nonzeros; the few before the first and behind the last multiple are shared out one by one.
INLINED REAL4 sum_of_quads(OFFSET begin, OFFSET end, __global const int* columns,
                           __global const REAL* values, __global const REAL* x, uint team,
                           uint teams, Columns its) {
  const OFFSET first = min((begin + 3) & ~(OFFSET)3, end);
  const OFFSET last = max(end & ~(OFFSET)3, first);
  REAL4 sum = 0;
  OFFSET q = first + 4 * (OFFSET)team;
  if (q < last) {
    int4 rows = streamed_ints(columns + q);
    REAL4 value = streamed_reals(values + q);
    NOT_UNROLLED
    while (true) {
      // The next nonzeros are asked for before those that wait for rows of X.
      const OFFSET next = q + 4 * (OFFSET)teams;
      const OFFSET at = next < last ? next : q;
      const int4 next_rows = streamed_ints(columns + at);
      const REAL4 next_value = streamed_reals(values + at);
      sum += value.s0 * row_of_x(x, rows.s0, its);
      sum += value.s1 * row_of_x(x, rows.s1, its);
      sum += value.s2 * row_of_x(x, rows.s2, its);
      sum += value.s3 * row_of_x(x, rows.s3, its);
      if (next >= last) break;
      q = next;
      rows = next_rows;
      value = next_value;
    }
  }
  const uint before = (uint)(first - begin);
  const uint singles = before + (uint)(end - last);
  NOT_UNROLLED
  for (uint s = team; s < singles; s += teams) {
    const OFFSET k = s < before ? begin + s : last + (s - before);
    sum += values[k] * row_of_x(x, columns[k], its);
  }
  return sum;
}

#ifdef NVIDIA_WARP
INLINED REAL4 sums_from_lane_above(REAL4 sum, uint distance, uint way) {
  const REAL2 low = (REAL2)(real_from_lane_above(sum.s0, distance),
                            real_from_lane_above(sum.s1, distance));
  if (way == BOTH) return (REAL4)(low, (REAL2)0);
  return (REAL4)(low, real_from_lane_above(sum.s2, distance),
                 real_from_lane_above(sum.s3, distance));
}
#endif

/// The sum over those of `lanes` neighbouring items that have the same columns, valid in the first
/// `across` of them; always added in the same order. All items of the group must come here.
/// `scratch` holds an element for each of them, and may be used again after a barrier.
INLINED REAL4 sum_beside(REAL4 value, uint across, uint lanes, __local REAL4* scratch, uint way) {
  const uint item = (uint)get_local_id(0);
#ifdef NVIDIA_WARP
  for (uint reach = min(lanes, WARP) / 2; reach >= across; reach /= 2) {
    value += sums_from_lane_above(value, reach, way);
  }
  if (lanes <= WARP) return value;
  if (item % WARP < across) scratch[item] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane_of(lanes) < across) {
    for (uint warp = 1; warp < lanes / WARP; ++warp) value += scratch[item + warp * WARP];
  }
  return value;
#else
  (void)way;
  scratch[item] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint reach = lanes / 2; reach >= across; reach /= 2) {
    if (lane_of(lanes) < reach) scratch[item] += scratch[item + reach];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return scratch[item];
#endif
}

/// Updates this item's columns of a row of Y.
INLINED void write_columns(__global REAL* y, long row, REAL alpha, REAL4 sum, REAL beta,
                          Columns its) {
  y += row * its.columns + its.column;
  if (its.way == BY_FOUR) {
    __global REAL4* const four = (__global REAL4*)y;
    *four = beta == 0 ? alpha * sum : alpha * sum + beta * *four;
    return;
  }
  if (its.way == BOTH) {
    __global REAL2* const two = (__global REAL2*)y;
    *two = beta == 0 ? alpha * sum.s01 : alpha * sum.s01 + beta * *two;
    return;
  }
  y[0] = updated(alpha, sum.s0, beta, y, 0);
  if (its.count > 1) y[1] = updated(alpha, sum.s1, beta, y, 1);
  if (its.count > 2) y[2] = updated(alpha, sum.s2, beta, y, 2);
  if (its.count > 3) y[3] = updated(alpha, sum.s3, beta, y, 3);
}

/// What all items of a launch know of X and Y, and the columns of this one: of panel `panel`, as
/// `across` neighbouring items have them. Items without columns read the first ones, as others do, and
/// write none (`has_columns`).
INLINED Columns columns_of_item(uint k, uint across, uint panel, uint way, bool* has_columns) {
  const uint wanted = (panel * across + ((uint)get_local_id(0) & (across - 1))) * EACH;
  *has_columns = wanted < k;
  Columns its;
  its.pitch = (int)(k * sizeof(REAL));
  its.columns = k;
  its.column = *has_columns ? wanted : 0;
  its.count = way == BY_FOUR ? EACH : way == BOTH ? 2 : min(k - its.column, (uint)EACH);
  its.way = way;
  return its;
}
