// Y = alpha A X + beta Y with A in compressed sparse rows that are short, X and Y row-major with several
// columns. A work-group copies the nonzeros of its rows to local memory, the one stretch that they are,
// and only then sums each row (as csr_stream.cl does with products): neighbouring items ask for
// neighbouring nonzeros, where teams (column_sums.cl) would each begin at a row of their own.

/// Nonzeros of each item that a group has in local memory at once, an even number.
#ifdef REAL_IS_DOUBLE
#define STAGED_EACH STAGED_DOUBLES
#else
#define STAGED_EACH STAGED_FLOATS
#endif
#define STAGED (GROUP * STAGED_EACH)
#define LOADS_AT_ONCE (STAGED_EACH / 2)

/// Copies `count` <= STAGED nonzeros to local memory. Without branches, so that no load waits for
/// another: the last one again, behind the others, where there are no more.
INLINED void stage(__global const int* columns, __global const REAL* values, uint count,
                   __local int* staged_columns, __local REAL* staged_values) {
  for (uint k = (uint)get_local_id(0); k < count; k += LOADS_AT_ONCE * GROUP) {
    int column[LOADS_AT_ONCE];
    REAL value[LOADS_AT_ONCE];
    UNROLLED
    for (uint i = 0; i < LOADS_AT_ONCE; ++i) {
      const uint at = min(k + i * GROUP, count - 1);
      column[i] = streamed_int(columns + at);
      value[i] = streamed_real(values + at);
    }
    UNROLLED
    for (uint i = 0; i < LOADS_AT_ONCE; ++i) {
      staged_columns[k + i * GROUP] = column[i];
      staged_values[k + i * GROUP] = value[i];
    }
  }
}

/// Where in local memory nonzero `k` is, if those from `at` on are there, or else the nearest place.
INLINED int staged_place(OFFSET k, OFFSET at) {
  return (int)clamp(k - at, (OFFSET)0, (OFFSET)STAGED);
}

/// A team's part of a row in local memory, from `begin` to before `end`.
INLINED REAL4 sum_of_staged(int begin, int end, __local const int* columns,
                            __local const REAL* values, __global const REAL* x, int team, int teams,
                            Columns its) {
  REAL4 sum = 0;
  NOT_UNROLLED
  for (int k = begin + team; k < end; k += 2 * teams) {
    // As in sum_of_strides, but two at once: rows are short, and most of more would not count.
    const int next = min(k + teams, end - 1);
    const REAL4 product = values[k] * row_of_x(x, columns[k], its);
    const REAL4 next_product = values[next] * row_of_x(x, columns[next], its);
    const REAL4 none = 0;
    sum += product;
    sum += k + teams < end ? next_product : none;
  }
  return sum;
}

/// Adds the products of a row in local memory, for its only team, in the columns of two panels, whose
/// rows of X begin at `x` and at `more_x`.
INLINED void add_staged_twice(int begin, int end, __local const int* columns,
                              __local const REAL* values, __global const REAL* x,
                              __global const REAL* more_x, Columns its, REAL4* sum,
                              REAL4* more_sum) {
  NOT_UNROLLED
  for (int k = begin; k < end; ++k) {
    *sum += values[k] * row_of_x(x, columns[k], its);
    *more_sum += values[k] * row_of_x(more_x, columns[k], its);
  }
}

#ifdef NVIDIA_WARP
/// The items of a warp share each long row that is one of theirs. `offsets` begin with the group's first
/// row, whose number is `first`. All items must come here.
INLINED void multiply_long_rows(bool is_long, long first, uint across, uint lanes,
                                __global const OFFSET* offsets, __global const int* columns,
                                __global const REAL* values, REAL alpha, __global const REAL* x,
                                REAL beta, __global REAL* y, __local REAL4* scratch, Columns its,
                                bool has_columns) {
  const uint item = (uint)get_local_id(0), lane = item % WARP;
  const uint bits = log2_of(across);
  for (uint left = ballot(is_long && lane_of(lanes) == 0); left != 0; left &= left - 1) {
    const uint row = (item - lane + (31 - clz(left & -left))) >> log2_of(lanes);
    const OFFSET begin = offsets[row];
    REAL4 sum = sum_of_strides(begin, (uint)(offsets[row + 1] - begin), columns, values, x,
                               lane >> bits, WARP >> bits, its);
    sum = sum_beside(sum, across, WARP, scratch, its.way, false);
    if (has_columns && lane < across) write_columns(y, first + row, alpha, sum, beta, its);
  }
}
#endif

/// `lanes` items for each row, at most a warp, or with `one_team` as many as a team has; `groups`
/// work-groups for each panel, or with `twice` for each two. Where there are warps, one takes each row of
/// more than `long_row` nonzeros. REQUIRES one team for `twice`.
INLINED void multiply_staged(long rows, uint k, uint width, uint across, uint lanes, uint groups,
                             uint long_row, __global const OFFSET* offsets, __global const int* columns,
                             __global const REAL* values, REAL alpha, __global const REAL* x,
                             REAL beta, __global REAL* y, __local int* staged_columns,
                             __local REAL* staged_values, __local REAL4* scratch, uint way,
                             bool one_team, bool twice) {
#ifdef NVIDIA_WARP
  lanes = min(lanes, WARP);  // as it is: so the compiler knows that no group meets for a sum
#endif
  if (one_team) lanes = across;
  const uint item = (uint)get_local_id(0);
  uint group = (uint)get_group_id(0), panel = 0;
  // There is hardly ever more than one, and dividing takes longer.
  NOT_UNROLLED
  while (group >= groups) {
    group -= groups;
    panel += twice ? 2 : 1;
  }
  bool has_columns, has_more;
  const Columns its = columns_of_item(k, width, across, panel, way, &has_columns);
  const Columns more = columns_of_item(k, width, across, panel + 1, way, &has_more);
  __global const REAL* const more_x = x + more.column;
  x += its.column;
  const uint bits = log2_of(across);
  const uint rows_of_group = GROUP >> log2_of(lanes), its_row = item >> log2_of(lanes);
  const long first = (long)group * rows_of_group;
  const bool inside = its_row < rows - first;
  offsets += first;
  const OFFSET begin = inside ? offsets[its_row] : 0;
  OFFSET end = inside ? offsets[its_row + 1] : 0;
#ifdef NVIDIA_WARP
  const bool is_long = (uint)(end - begin) > long_row;
  if (is_long) end = begin;
#else
  const bool is_long = false;
  (void)long_row;
#endif
  const OFFSET behind = offsets[min((long)rows_of_group, rows - first)];
  // From a multiple of 32 on, so that a warp's loads are of whole lines.
  OFFSET at = offsets[0] & ~(OFFSET)31;
  REAL4 sum = 0, more_sum = 0;
  while (at < behind) {
    stage(columns + at, values + at, (uint)min(behind - at, (OFFSET)STAGED), staged_columns,
          staged_values);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (twice) {
      add_staged_twice(staged_place(begin, at), staged_place(end, at), staged_columns,
                       staged_values, x, more_x, its, &sum, &more_sum);
    } else {
      sum += sum_of_staged(staged_place(begin, at), staged_place(end, at), staged_columns,
                           staged_values, x, one_team ? 0 : (int)(lane_of(lanes) >> bits),
                           one_team ? 1 : (int)(lanes >> bits), its);
    }
    if (behind - at <= STAGED) break;
    at += STAGED;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (!one_team) sum = sum_beside(sum, across, lanes, scratch, way, false);
  const bool writes = inside && !is_long && (one_team || lane_of(lanes) < across);
  if (writes && has_columns) write_columns(y, first + its_row, alpha, sum, beta, its);
  if (twice && writes && has_more) write_columns(y, first + its_row, alpha, more_sum, beta, more);
#ifdef NVIDIA_WARP
  multiply_long_rows(is_long, first, across, lanes, offsets, columns, values, alpha, x, beta, y,
                     scratch, its, has_columns);
  if (twice) {
    multiply_long_rows(is_long, first, across, lanes, offsets, columns, values, alpha, more_x,
                       beta, y, scratch, more, has_more);
  }
#endif
}

/// A kernel for rows of X that are read in that way, as in csr_columns.cl.
#define STAGED_KERNEL(name, way, one_team, twice)                                                  \
  __kernel WORK_GROUP(GROUP) void name(                                                            \
      long rows, uint k, uint width, uint across, uint lanes, uint groups, uint long_row,          \
      __global const OFFSET* offsets, __global const int* columns, __global const REAL* values,    \
      REAL alpha, __global const REAL* x, REAL beta, __global REAL* y) {                           \
    __local int staged_columns[STAGED];                                                            \
    __local REAL staged_values[STAGED];                                                            \
    __local REAL4 scratch[SCRATCH(GROUP)];                                                         \
    multiply_staged(rows, k, width, across, lanes, groups, long_row, offsets, columns, values,     \
                    alpha, x, beta, y, staged_columns, staged_values, scratch, way, one_team,      \
                    twice);                                                                        \
  }

// As in csr_columns.cl: `alone` for one team a row, `eight` for eight columns of an item.
STAGED_KERNEL(csr_staged_eight_alone, BY_FOUR, true, true)
STAGED_KERNEL(csr_staged_four_alone, BY_FOUR, true, false)
STAGED_KERNEL(csr_staged_four, BY_FOUR, false, false)
STAGED_KERNEL(csr_staged_pair_alone, BY_PAIR, true, false)
STAGED_KERNEL(csr_staged_pair, BY_PAIR, false, false)
STAGED_KERNEL(csr_staged_two_alone, BY_PAIRS, true, false)
STAGED_KERNEL(csr_staged_two, BY_PAIRS, false, false)
STAGED_KERNEL(csr_staged_one, BY_ONE, false, false)
