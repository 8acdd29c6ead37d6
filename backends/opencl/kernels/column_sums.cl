// Sums of rows in compressed sparse rows for Y = alpha A X + beta Y, X and Y row-major with several
// columns.
//
// An item has one, two or four columns. `across` items, a power of two, have those of a panel, and share
// a nonzero: its column and value are read by all of them at once. They are a team. Other teams stand
// beside them and take other nonzeros of the row.

/// The most columns of an item.
#define EACH 4

/// How an item reads its columns of a row of X: four neighbours at once, by two or one by one; the only
/// two or the only one that it has; or two pairs, of which the first are neighbours of the next item's
/// first, and the second of its second, so that each load of all items is of neighbouring bytes.
#define BY_FOUR 4
#define BY_TWO 2
#define BY_ONE 1
#define BY_PAIR 5
#define BY_PAIRS 6
#define BY_SINGLE 7

#ifdef REAL_IS_DOUBLE
typedef double2 REAL2;
#else
typedef float2 REAL2;
#endif

/// What all rows have in common.
typedef struct {
  int pitch;    ///< bytes from one row of X to the next: a product of 32 bits, in one instruction
  uint columns; ///< of Y
  uint column;  ///< the first of this item
  uint apart;   ///< columns from its first to its third
  uint count;   ///< of this item that it reads, 1 to EACH: by four and by pairs also what Y lacks
  uint way;     ///< one of those above; known when compiling
} Columns;

/// Where column `c` of an item stands, from its first one on.
INLINED uint place_of_column(uint c, Columns its) { return c % 2 + c / 2 * its.apart; }

/// This item's columns of row `row` of X, which begins at this item's first column. Where the item has
/// fewer than four, the others are unspecified.
INLINED REAL4 row_of_x(__global const REAL* x, int row, Columns its) {
  __global const REAL* const from =
      (__global const REAL*)((__global const char*)x + (long)row * (long)its.pitch);
  if (its.way == BY_FOUR) return *(__global const REAL4*)from;
  if (its.way == BY_SINGLE) return (REAL4)(*from, (REAL)0, (REAL)0, (REAL)0);
  if (its.way == BY_PAIR) return (REAL4)(*(__global const REAL2*)from, (REAL2)0);
  if (its.way == BY_PAIRS) {
    return (REAL4)(*(__global const REAL2*)from, *(__global const REAL2*)(from + its.apart));
  }
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

/// `sum` and the products of four nonzeros.
INLINED REAL4 sum_with_quad(REAL4 sum, int4 rows, REAL4 values, __global const REAL* x, Columns its) {
  sum += values.s0 * row_of_x(x, rows.s0, its);
  sum += values.s1 * row_of_x(x, rows.s1, its);
  sum += values.s2 * row_of_x(x, rows.s2, its);
  sum += values.s3 * row_of_x(x, rows.s3, its);
  return sum;
}

/// A place among the nonzeros or some steps behind the last.
typedef unsigned OFFSET PLACE;

/// The places in a long row, from `first` to before `last`, that are read by loads of four nonzeros, 16
/// bytes of columns: multiples of four among all nonzeros.
typedef struct {
  OFFSET first, last;
} Quads;

INLINED Quads quads_of(OFFSET begin, OFFSET end) {
  Quads its;
  its.first = begin + min(-begin & (OFFSET)3, end - begin);
  its.last = max(end & ~(OFFSET)3, its.first);
  return its;
}

/// A team's part of the few nonzeros before and behind the quads of a row, which are shared out one by
/// one.
INLINED REAL4 sum_of_singles(OFFSET begin, OFFSET end, Quads quads, __global const int* columns,
                             __global const REAL* values, __global const REAL* x, uint team,
                             uint teams, Columns its) {
  const uint before = (uint)(quads.first - begin);
  const uint singles = before + (uint)(end - quads.last);
  REAL4 sum = 0;
  NOT_UNROLLED
  for (uint s = team; s < singles; s += teams) {
    const OFFSET k = s < before ? begin + s : quads.last + (s - before);
    sum += values[k] * row_of_x(x, columns[k], its);
  }
  return sum;
}

/// As sum_of_strides for long rows: a team takes four neighbouring nonzeros at once, which spares the
/// others that share a nonzero most of their loads, and asks for the next four before it multiplies
/// them.
INLINED REAL4 sum_of_quads(OFFSET begin, OFFSET end, __global const int* columns,
                           __global const REAL* values, __global const REAL* x, uint team,
                           uint teams, Columns its) {
  const Quads quads = quads_of(begin, end);
  // A place behind the last may be more than an OFFSET holds, but not more than a PLACE.
  const PLACE step = 4 * (PLACE)teams, last = (PLACE)quads.last;
  PLACE at = (PLACE)quads.first + 4 * (PLACE)team;
  REAL4 sum = 0;
  if (at < last) {
    int4 rows = streamed_ints(columns + at);
    REAL4 value = streamed_reals(values + at);
    // With pairs, NVIDIA's compiler gives the simpler loop 72 registers, with which too few items run
    // at once, and this one 64 (H200, 16384 rows of 3277, 32 columns: 1370 us and 905).
    NOT_UNROLLED
    while (its.way == BY_PAIRS) {
      const PLACE next = at + step;
      const PLACE there = next < last ? next : at;
      const int4 next_rows = streamed_ints(columns + there);
      const REAL4 next_value = streamed_reals(values + there);
      sum = sum_with_quad(sum, rows, value, x, its);
      if (next >= last) break;
      at = next;
      rows = next_rows;
      value = next_value;
    }
    NOT_UNROLLED
    while (its.way != BY_PAIRS && last - at > step) {
      at += step;
      const int4 next_rows = streamed_ints(columns + at);
      const REAL4 next_value = streamed_reals(values + at);
      sum = sum_with_quad(sum, rows, value, x, its);
      rows = next_rows;
      value = next_value;
    }
    if (its.way != BY_PAIRS) sum = sum_with_quad(sum, rows, value, x, its);
  }
  return sum + sum_of_singles(begin, end, quads, columns, values, x, team, teams, its);
}

/// Elements of local memory that sum_beside needs in a group of `group` items. NVIDIA's devices take
/// local memory from the cache that holds X.
#ifdef NVIDIA_WARP
#define SCRATCH(group) WARP
#else
#define SCRATCH(group) (group)
#endif

#ifdef NVIDIA_WARP
INLINED REAL4 sums_from_lane_above(REAL4 sum, uint distance, uint way) {
  const REAL first = real_from_lane_above(sum.s0, distance);
  if (way == BY_SINGLE) return (REAL4)(first, (REAL)0, (REAL)0, (REAL)0);
  const REAL2 low = (REAL2)(first, real_from_lane_above(sum.s1, distance));
  if (way == BY_PAIR) return (REAL4)(low, (REAL2)0);
  return (REAL4)(low, real_from_lane_above(sum.s2, distance),
                 real_from_lane_above(sum.s3, distance));
}
#endif

/// The sum over those of `lanes` neighbouring items that have the same columns, valid in the first
/// `across` of them; always added in the same order. `lanes` are at most a warp, or the whole group,
/// all items of which must come here; with `in_parts`, known when compiling, also parts of a group, for
/// all of whose rows `across` items are a warp at most. `scratch` may be used again after a barrier.
INLINED REAL4 sum_beside(REAL4 value, uint across, uint lanes, __local REAL4* scratch, uint way,
                         bool in_parts) {
  const uint item = (uint)get_local_id(0);
#ifdef NVIDIA_WARP
  for (uint reach = min(lanes, WARP) / 2; reach >= across; reach /= 2) {
    value += sums_from_lane_above(value, reach, way);
  }
  if (lanes <= WARP) return value;
  const uint lane = in_parts ? lane_of(lanes) : item;
  if (in_parts) scratch += (item >> log2_of(lanes)) * across;
  for (uint warp = 1; warp < lanes / WARP; ++warp) {
    if (lane / WARP == warp && lane % WARP < across) scratch[lane % WARP] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < across) value += scratch[lane];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return value;
#else
  (void)way;
  (void)in_parts;
  scratch[item] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint reach = lanes / 2; reach >= across; reach /= 2) {
    if (lane_of(lanes) < reach) scratch[item] += scratch[item + reach];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return scratch[item];
#endif
}

/// How many of this item's columns Y has. Not kept beside the others: sums need all registers.
INLINED uint columns_of_y(Columns its) {
  const uint left = its.columns - its.column;
  if (its.way != BY_PAIRS || its.count == 2) return min(left, its.count);
  return 2 + min(left - its.apart, 2u);
}

/// Updates this item's columns of a row of Y.
INLINED void write_columns(__global REAL* y, long row, REAL alpha, REAL4 sum, REAL beta,
                          Columns its) {
  y += row * its.columns + its.column;
  if (its.way == BY_FOUR && its.columns % EACH == 0) {
    __global REAL4* const four = (__global REAL4*)y;
    *four = beta == 0 ? alpha * sum : alpha * sum + beta * *four;
    return;
  }
  if ((its.way == BY_PAIR || its.way == BY_PAIRS) && its.columns % 2 == 0) {
    __global REAL2* const low = (__global REAL2*)y;
    *low = beta == 0 ? alpha * sum.s01 : alpha * sum.s01 + beta * *low;
    if (its.count == 2) return;
    __global REAL2* const high = (__global REAL2*)(y + its.apart);
    *high = beta == 0 ? alpha * sum.s23 : alpha * sum.s23 + beta * *high;
    return;
  }
  const uint count = columns_of_y(its);
  y[0] = updated(alpha, sum.s0, beta, y, 0);
  if (count > 1) y[1] = updated(alpha, sum.s1, beta, y, 1);
  if (count > 2) y[its.apart] = updated(alpha, sum.s2, beta, y, its.apart);
  if (count > 3) y[its.apart + 1] = updated(alpha, sum.s3, beta, y, its.apart + 1);
}

/// What all items of a launch know of X, which has rows of `width` elements, and of Y, which has rows of
/// `k`, and the columns of this item: of panel `panel`, as `across` neighbouring items have them. Items
/// without columns read the first ones, as others do, and write none (`has_columns`).
INLINED Columns columns_of_item(uint k, uint width, uint across, uint panel, uint way,
                               bool* has_columns) {
  const uint each = way == BY_SINGLE ? 1 : way == BY_PAIR ? 2 : EACH;
  const uint neighbours = way == BY_PAIRS ? 2 : each;
  const uint wanted =
      panel * across * each + ((uint)get_local_id(0) & (across - 1)) * neighbours;
  *has_columns = wanted < k;
  Columns its;
  its.pitch = (int)(width * sizeof(REAL));
  its.columns = k;
  its.column = *has_columns ? wanted : 0;
  // Without third columns the first ones again, so that no load waits for a branch.
  const uint third = wanted + 2 * across;
  its.apart = way != BY_PAIRS ? 2 : third < k ? 2 * across : 0;
  its.count = way == BY_PAIRS                  ? (third < k ? EACH : 2)
              : way == BY_ONE || way == BY_TWO ? min(k - its.column, each)
                                               : each;
  its.way = way;
  return its;
}
