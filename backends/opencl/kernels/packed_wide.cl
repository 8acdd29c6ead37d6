// y = alpha A x + beta y with A in packed CSR, for rows that are long enough to be read in portions:
// an item reads several neighbouring elements in one load of columns and one of values, and asks for
// another portion before it waits for the x of one. Compiled behind packed_multiply.cl, with the same
// definitions.

/// Elements of a portion.
#define PORTION 4
/// On NVIDIA's devices teams of a group need not wait for each other; elsewhere each is a group.
#ifdef NVIDIA_WARP
#define WIDE_GROUP GROUP
static uint streamed_uint(__global const void* address) {
  uint bits;
  __asm__("ld.global.nc.L1::no_allocate.b32 %0, [%1];" : "=r"(bits) : "l"(address));
  return bits;
}
static uint2 streamed_uint2(__global const void* address) {
  uint2 bits;
  __asm__("ld.global.nc.L1::no_allocate.v2.b32 {%0, %1}, [%2];"
          : "=r"(bits.x), "=r"(bits.y)
          : "l"(address));
  return bits;
}
static uint4 streamed_uint4(__global const void* address) {
  uint4 bits;
  __asm__("ld.global.nc.L1::no_allocate.v4.b32 {%0, %1, %2, %3}, [%4];"
          : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
          : "l"(address));
  return bits;
}
#else
#define WIDE_GROUP TEAM
static uint streamed_uint(__global const void* address) { return *(__global const uint*)address; }
static uint2 streamed_uint2(__global const void* address) {
  return *(__global const uint2*)address;
}
static uint4 streamed_uint4(__global const void* address) {
  return *(__global const uint4*)address;
}
#endif

// What is kept of the columns and values of a portion until it is added.
#if defined(COLUMNS_BLOCKED)
typedef uchar COLUMN;
typedef uint FOUR_COLUMNS;
#define READ_COLUMNS streamed_uint
#elif defined(COLUMNS_TILED)
typedef ushort COLUMN;
typedef uint2 FOUR_COLUMNS;
#define READ_COLUMNS streamed_uint2
#define UNPACKED_COLUMNS(bits) as_ushort4(bits)
#define FOUR_COLUMN_TYPE ushort4
#else
typedef int COLUMN;
typedef uint4 FOUR_COLUMNS;
#define READ_COLUMNS streamed_uint4
#define UNPACKED_COLUMNS(bits) as_int4(bits)
#define FOUR_COLUMN_TYPE int4
#endif
#if defined(VALUES_CONSTANT)
typedef uint FOUR_VALUES;
#define READ_FOUR_VALUES(k) 0
#define UNPACKED_VALUES(kept) ((void)kept, (REAL4)(constant_value))
#elif defined(VALUES_DICTIONARY)
typedef uint FOUR_VALUES;
#define READ_FOUR_VALUES(k) streamed_uint(codes + (k))
#define UNPACKED_VALUES(kept) decoded(as_uchar4(kept), dictionary)
static REAL4 decoded(uchar4 codes, __local const REAL* dictionary) {
  return (REAL4)(dictionary[codes.x], dictionary[codes.y], dictionary[codes.z],
                 dictionary[codes.w]);
}
#else
typedef REAL4 FOUR_VALUES;
#define READ_FOUR_VALUES(k) streamed_reals(values + (k))
#define UNPACKED_VALUES(kept) kept
#endif

// The elements of x for elements of a stretch of a row, from number p on. Of blocked columns, entry
// p / 32 of `marks` has a bit for each element p that a head starts with, and the number of heads that
// start before those 32 elements; `blocks` has the first column of each head.
#ifdef COLUMNS_BLOCKED
#define PLACES , __local const uint2 *marks, __local const uint *blocks
#define THE_PLACES , marks, blocks
#define X_AT(p, column) x[blocks[head_of(p, marks)] + (column)]
#define FOUR_OF_X(p, bits) four_of_x(p, as_uchar4(bits), x, marks, blocks)
static uint head_of(uint p, __local const uint2* marks) {
  const uint2 mark = marks[p / 32];
  return mark.y + popcount(mark.x & ((2u << p % 32) - 1)) - 1;
}
static REAL4 four_of_x(uint p, uchar4 columns, __global const REAL* x, __local const uint2* marks,
                       __local const uint* blocks) {
  const uint starts = marks[p / 32].x >> p % 32;
  const uint head0 = head_of(p, marks), head1 = head0 + (starts >> 1 & 1);
  const uint head2 = head1 + (starts >> 2 & 1), head3 = head2 + (starts >> 3 & 1);
  return (REAL4)(x[blocks[head0] + columns.x], x[blocks[head1] + columns.y],
                 x[blocks[head2] + columns.z], x[blocks[head3] + columns.w]);
}
#else
#define PLACES
#define THE_PLACES
#define X_AT(p, column) x[column]
#define FOUR_OF_X(p, bits) four_of_x(UNPACKED_COLUMNS(bits), x)
static REAL4 four_of_x(FOUR_COLUMN_TYPE columns, __global const REAL* x) {
  return (REAL4)(x[columns.x], x[columns.y], x[columns.z], x[columns.w]);
}
#endif

/// `sum` and the products of a portion.
static REAL add_portion(REAL4 values, REAL4 of_x, REAL sum) {
  sum += values.s0 * of_x.s0;
  sum += values.s1 * of_x.s1;
  sum += values.s2 * of_x.s2;
  return sum + values.s3 * of_x.s3;
}

/// A lane's part of the product of the elements begin to end of a stretch. `columns`, and the values
/// or codes where there are any, are aligned to portions.
static REAL stretch_dot(uint begin, uint end, __global const COLUMN* columns, READ_VALUES,
                        __global const REAL* x PLACES, uint lane, uint lanes) {
  // Before the first whole portion and behind the last: at most three elements each.
  const uint first = min((begin + PORTION - 1) & ~(PORTION - 1u), end);
  const uint last = max(end & ~(PORTION - 1u), first);
  const uint edge = lane < PORTION ? begin + lane : last + lane - PORTION;
  const bool has_edge = lane < PORTION ? edge < first : edge < end && lane < 2 * PORTION;
  REAL sum = has_edge ? VALUE(edge) * X_AT(edge, columns[edge]) : 0;
  const uint step = PORTION * lanes;
  uint k = first + PORTION * lane;
#ifdef COLUMNS_BLOCKED
  // The next portion is asked for before the x of this one is waited for.
  if (k < last) {
    FOUR_COLUMNS bits = READ_COLUMNS(columns + k);
    FOUR_VALUES kept = READ_FOUR_VALUES(k);
    for (uint next = k + step; next < last; next += step) {
      const FOUR_COLUMNS next_bits = READ_COLUMNS(columns + next);
      const FOUR_VALUES next_kept = READ_FOUR_VALUES(next);
      sum = add_portion(UNPACKED_VALUES(kept), FOUR_OF_X(k, bits), sum);
      bits = next_bits;
      kept = next_kept;
      k = next;
    }
    sum = add_portion(UNPACKED_VALUES(kept), FOUR_OF_X(k, bits), sum);
  }
  return sum;
#else
  // Two portions are asked for before either is waited for (H200, 16384 rows of 4915 in csr16, float:
  // 116 us, and 122 as above). All lanes go through this loop equally often.
  REAL other = 0;
  uint before = first;
  for (; before + 2 * step <= last; before += 2 * step, k += 2 * step) {
    const FOUR_COLUMNS bits0 = READ_COLUMNS(columns + k);
    const FOUR_COLUMNS bits1 = READ_COLUMNS(columns + k + step);
    const FOUR_VALUES kept0 = READ_FOUR_VALUES(k), kept1 = READ_FOUR_VALUES(k + step);
    sum = add_portion(UNPACKED_VALUES(kept0), FOUR_OF_X(k, bits0), sum);
    other = add_portion(UNPACKED_VALUES(kept1), FOUR_OF_X(k + step, bits1), other);
  }
  if (before == last) return sum + other;
  // At most two portions each are left.
  FOUR_COLUMNS bits0 = 0, bits1 = 0;
  FOUR_VALUES kept0 = 0, kept1 = 0;
  if (k < last) {
    bits0 = READ_COLUMNS(columns + k);
    kept0 = READ_FOUR_VALUES(k);
  }
  if (k + step < last) {
    bits1 = READ_COLUMNS(columns + k + step);
    kept1 = READ_FOUR_VALUES(k + step);
  }
  if (k < last) sum = add_portion(UNPACKED_VALUES(kept0), FOUR_OF_X(k, bits0), sum);
  if (k + step < last) {
    other = add_portion(UNPACKED_VALUES(kept1), FOUR_OF_X(k + step, bits1), other);
  }
  return sum + other;
#endif
}

#ifdef COLUMNS_BLOCKED
/// The heads that a team works on at once, one for each item, and their elements.
#define BATCH_WORDS (TEAM * 256 / 32 + 1)

/// Notes where the `count` heads of a batch start, for `head_of`. This item's head starts at element
/// `start` of the stretch and ends before `end`. All items of the team must come here.
static void mark_heads(uint item, uint count, uint start, uint end, __local uint2* marks) {
  // Word w: the heads that start before element 32 w.
  const bool has_head = item < count;
  if (item == 0) marks[0] = (uint2)(0, 0);
  if (has_head) {
    for (uint w = start / 32 + 1; w * 32 <= end; ++w) marks[w] = (uint2)(0, item + 1);
  }
  meet_team();
  if (has_head) atomic_or((__local uint*)(marks + start / 32), 1u << start % 32);
  meet_team();
}

/// An item's part of the product of a row. Its teams take turns at batches of its heads.
static REAL wide_row_dot(long row, OFFSET begin, uint length, COLUMNS, READ_VALUES,
                         __global const REAL* x, uint lanes, __local uint2* marks,
                         __local uint* blocks) {
  const uint item = lane_of(TEAM);
  const OFFSET end_head = first_heads[row + 1];
  const uint end_of_row = (uint)(begin + length) & 0xffff;
  OFFSET at = begin;
  REAL sum = 0;
  OFFSET head = first_heads[row] + lane_of(lanes) / TEAM * TEAM;
  for (; head < end_head; head += lanes) {
    const uint count = (uint)min((OFFSET)TEAM, end_head - head);
    const OFFSET own = head + (OFFSET)min(item, count - 1);
    const uint own_start = start_of_head(heads, words, own);
    const uint own_end = own + 1 < end_head ? start_of_head(heads, words, own + 1) : end_of_row;
    // 16 bits tell how far it is from the batch before, of which this team has none or one.
    const uint batch_start = start_of_head(heads, words, head);
    at += (batch_start - (uint)at) & 0xffff;
    const OFFSET aligned = at & ~(OFFSET)(PORTION - 1);
    const uint first = (uint)(at - aligned);
    const uint start = first + ((own_start - batch_start) & 0xffff);
    const uint end = start + ((own_end - own_start) & 0xffff);
    blocks[item] = column_of_head(heads, words, own);
    mark_heads(item, count, start, end, marks);
    const OFFSET next = head + (OFFSET)count;
    const uint after = next < end_head ? start_of_head(heads, words, next) : end_of_row;
    const uint last = first + ((after - batch_start) & 0xffff);
    sum += stretch_dot(first, last, low + aligned, VALUES_FROM(aligned), x THE_PLACES, item, TEAM);
    meet_team();
    at += last - first;
  }
  return sum;
}
#else
/// An item's part of the product of a row.
static REAL wide_row_dot(long row, OFFSET begin, uint length, COLUMNS, READ_VALUES,
                         __global const REAL* x, uint lanes) {
  const uint lane = lane_of(lanes);
#ifdef COLUMNS_TILED
  const long2 tile = tiles[row / TILE_ROWS];
  const OFFSET shift = (OFFSET)tile.x;
  // Columns that are not aligned as the values are, or wide: rare.
  if (tile.y < 0 || shift % PORTION != 0) {
    return row_dot(row, begin, length, THE_COLUMNS, THE_VALUES, x, lane, lanes);
  }
  x += tile.y;
  __global const COLUMN* const columns = narrow;
#else
  (void)row;
  const OFFSET shift = 0;
  __global const COLUMN* const columns = wide;
#endif
  const OFFSET aligned = begin & ~(OFFSET)(PORTION - 1);
  const uint first = (uint)(begin - aligned);
  return stretch_dot(first, first + length, columns + (aligned - shift), VALUES_FROM(aligned),
                     x THE_PLACES, lane, lanes);
}
#endif

/// `lanes` items for each row, as many as one team or several.
__kernel WORK_GROUP(WIDE_GROUP) void packed_wide(long rows, uint lanes,
                                                 __global const OFFSET* offsets, COLUMNS, VALUES,
                                                 REAL alpha, __global const REAL* x, REAL beta,
                                                 __global REAL* y) {
  __local REAL scratch[WIDE_GROUP];
#ifdef COLUMNS_BLOCKED
  __local uint2 all_marks[WIDE_GROUP / TEAM][BATCH_WORDS + 1];
  __local uint all_blocks[WIDE_GROUP];
  const uint team = (uint)get_local_id(0) / TEAM;
  __local uint2* const marks = all_marks[team];
  __local uint* const blocks = all_blocks + team * TEAM;
#define THE_PLACES_OF_TEAM , marks, blocks
#else
#define THE_PLACES_OF_TEAM
#endif
  PREPARE_VALUES((uint)get_local_id(0), WIDE_GROUP)
  const long row = row_of(lanes);
  REAL sum = 0;
  if (row < rows) {
    const OFFSET begin = offsets[row];
    const uint length = (uint)(offsets[row + 1] - begin);
    sum = wide_row_dot(row, begin, length, THE_COLUMNS, THE_VALUES, x,
                       lanes THE_PLACES_OF_TEAM);
  }
  sum = sum_over_lanes(sum, lanes, scratch);
  if (lane_of(lanes) == 0 && row < rows) y[row] = updated(alpha, sum, beta, y, row);
}
