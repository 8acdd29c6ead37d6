// Y = alpha A X + beta Y with A in compressed sparse rows, X and Y row-major with several columns: as
// many teams (column_sums.cl) for each row, or for each two short ones, `lanes` items in all.

INLINED REAL4 sum_of_row(OFFSET begin, OFFSET end, __global const int* columns,
                         __global const REAL* values, __global const REAL* x, uint team, uint teams,
                         Columns its, bool by_quads) {
  if (by_quads) return sum_of_quads(begin, end, columns, values, x, team, teams, its);
  return sum_of_strides(begin, (uint)(end - begin), columns, values, x, team, teams, its);
}

/// `lanes` items for each row, and the whole group for each that has more than `long_row` nonzeros.
/// Neighbouring groups have the panels of the same rows.
INLINED void multiply_rows(long rows, uint k, uint across, uint lanes, uint panels,
                          uint long_row, __global const OFFSET* offsets,
                          __global const int* columns, __global const REAL* values, REAL alpha,
                          __global const REAL* x, REAL beta, __global REAL* y,
                          __local REAL4* scratch, __local uint* long_rows, __local uint* count,
                          uint way, bool by_quads) {
  const uint item = (uint)get_local_id(0);
  const uint group = (uint)get_group_id(0) / panels;
  const uint panel = (uint)get_group_id(0) - group * panels;
  bool has_columns;
  const Columns its = columns_of_item(k, across, panel, way, &has_columns);
  x += its.column;

  const uint bits = log2_of(across);
  const long first = (long)group * (LARGE_GROUP >> log2_of(lanes));
  const long row = first + (item >> log2_of(lanes));
  const bool inside = row < rows;
  const OFFSET begin = inside ? offsets[row] : 0;
  const OFFSET end = inside ? offsets[row + 1] : 0;
  if (item == 0) *count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const bool is_long = (uint)(end - begin) > long_row;
  if (is_long && lane_of(lanes) == 0) long_rows[atomic_inc(count)] = item >> log2_of(lanes);
  REAL4 sum = 0;
  if (!is_long) {
    sum = sum_of_row(begin, end, columns, values, x, lane_of(lanes) >> bits, lanes >> bits, its,
                     by_quads);
  }
  sum = sum_beside(sum, across, lanes, scratch);
  if (inside && !is_long && has_columns && lane_of(lanes) < across) {
    write_columns(y, row, alpha, sum, beta, its);
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  for (uint i = 0; i < *count; ++i) {
    const long long_one = first + long_rows[i];
    sum = sum_of_row(offsets[long_one], offsets[long_one + 1], columns, values, x, item >> bits,
                     LARGE_GROUP >> bits, its, by_quads);
    sum = sum_beside(sum, across, LARGE_GROUP, scratch);
    if (has_columns && item < across) write_columns(y, long_one, alpha, sum, beta, its);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

/// Nonzeros of each of ROWS_OF_TEAM rows that a team asks for together.
#define NONZEROS_AT_ONCE 2
#define PRODUCTS_AT_ONCE (ROWS_OF_TEAM * NONZEROS_AT_ONCE)

/// ROWS_OF_TEAM rows to every `lanes` items, at most a warp, for short rows: loads of one are under way
/// while another's are waited for. The items of a warp share each row of more than `long_row` nonzeros,
/// so that no group has to meet. Processors leave no row to others.
INLINED void multiply_pairs(long rows, uint k, uint across, uint lanes, uint panels, uint long_row,
                            __global const OFFSET* offsets, __global const int* columns,
                            __global const REAL* values, REAL alpha, __global const REAL* x,
                            REAL beta, __global REAL* y, __local REAL4* scratch, uint way) {
#ifdef NVIDIA_WARP
  lanes = min(lanes, WARP);  // as it is: so the compiler knows that no group meets
#endif
  const uint item = (uint)get_local_id(0);
  const uint group = (uint)get_group_id(0) / panels;
  bool has_columns;
  const Columns its = columns_of_item(k, across, (uint)get_group_id(0) - group * panels, way,
                                      &has_columns);
  x += its.column;
  const uint bits = log2_of(across);
  const uint team = lane_of(lanes) >> bits, teams = lanes >> bits;
  const uint apart = GROUP >> log2_of(lanes);
  const long first = (long)group * (ROWS_OF_TEAM * apart) + (item >> log2_of(lanes));

  OFFSET begin[ROWS_OF_TEAM];
  uint length[ROWS_OF_TEAM];
  bool is_left[ROWS_OF_TEAM];
  REAL4 sum[ROWS_OF_TEAM];
  uint longest = 0;
  UNROLLED
  for (uint r = 0; r < ROWS_OF_TEAM; ++r) {
    const long row = first + r * apart;
    begin[r] = row < rows ? offsets[row] : 0;
    length[r] = row < rows ? (uint)(offsets[row + 1] - begin[r]) : 0;
#ifdef NVIDIA_WARP
    is_left[r] = length[r] > long_row;
    if (is_left[r]) length[r] = 0;
#else
    is_left[r] = false;
    (void)long_row;
#endif
    sum[r] = 0;
    longest = max(longest, length[r]);
  }
  NOT_UNROLLED
  for (uint from = team; from < longest; from += NONZEROS_AT_ONCE * teams) {
    // Without branches, as in sum_of_strides: the last nonzero again, or the first row of X.
    int column[PRODUCTS_AT_ONCE];
    REAL value[PRODUCTS_AT_ONCE];
    REAL4 product[PRODUCTS_AT_ONCE];
    UNROLLED
    for (uint i = 0; i < PRODUCTS_AT_ONCE; ++i) {
      const uint r = i / NONZEROS_AT_ONCE;
      const uint at = from + i % NONZEROS_AT_ONCE * teams;
      const OFFSET nonzero = begin[r] + (OFFSET)min(at, length[r] - 1);
      column[i] = length[r] > 0 ? columns[nonzero] : 0;
      value[i] = length[r] > 0 ? values[nonzero] : 0;
    }
    UNROLLED
    for (uint i = 0; i < PRODUCTS_AT_ONCE; ++i) {
      product[i] = value[i] * row_of_x(x, column[i], its);
    }
    UNROLLED
    for (uint i = 0; i < PRODUCTS_AT_ONCE; ++i) {
      const uint r = i / NONZEROS_AT_ONCE;
      const REAL4 none = 0;
      sum[r] += from + i % NONZEROS_AT_ONCE * teams < length[r] ? product[i] : none;
    }
  }
  UNROLLED
  for (uint r = 0; r < ROWS_OF_TEAM; ++r) {
    const long row = first + r * apart;
    sum[r] = sum_beside(sum[r], across, lanes, scratch + r * GROUP);
    if (row < rows && !is_left[r] && has_columns && lane_of(lanes) < across) {
      write_columns(y, row, alpha, sum[r], beta, its);
    }
  }
#ifdef NVIDIA_WARP
  const uint lane = item % WARP;
  UNROLLED
  for (uint r = 0; r < ROWS_OF_TEAM; ++r) {
    for (uint left = ballot(is_left[r] && lane_of(lanes) == 0); left != 0; left &= left - 1) {
      const uint its_lane = 31 - clz(left & -left);
      const long row = first + r * apart - (lane >> log2_of(lanes)) + (its_lane >> log2_of(lanes));
      REAL4 long_sum = sum_of_strides(offsets[row], (uint)(offsets[row + 1] - offsets[row]), columns,
                                      values, x, lane >> bits, WARP >> bits, its);
      long_sum = sum_beside(long_sum, across, WARP, scratch);
      if (has_columns && lane < across) write_columns(y, row, alpha, long_sum, beta, its);
    }
  }
#endif
}

/// A kernel for rows of X that are read in that way. A macro, because OpenCL C has no templates: what
/// multiply_rows is handed has to be known when compiling.
#define COLUMNS_KERNEL(name, way, by_quads)                                                        \
  __kernel WORK_GROUP(LARGE_GROUP) void name(                                                      \
      long rows, uint k, uint across, uint lanes, uint panels, uint long_row,                      \
      __global const OFFSET* offsets, __global const int* columns, __global const REAL* values,    \
      REAL alpha, __global const REAL* x, REAL beta, __global REAL* y) {                           \
    __local REAL4 scratch[LARGE_GROUP];                                                            \
    __local uint long_rows[LARGE_GROUP];                                                           \
    __local uint count;                                                                            \
    multiply_rows(rows, k, across, lanes, panels, long_row, offsets, columns, values, alpha, x,    \
                  beta, y, scratch, long_rows, &count, way, by_quads);                             \
  }

/// The same for several rows at once.
#define PAIRS_KERNEL(name, way)                                                                    \
  __kernel WORK_GROUP(GROUP) void name(                                                            \
      long rows, uint k, uint across, uint lanes, uint panels, uint long_row,                      \
      __global const OFFSET* offsets, __global const int* columns, __global const REAL* values,    \
      REAL alpha, __global const REAL* x, REAL beta, __global REAL* y) {                           \
    __local REAL4 scratch[ROWS_OF_TEAM * GROUP];                                                   \
    multiply_pairs(rows, k, across, lanes, panels, long_row, offsets, columns, values, alpha, x,   \
                   beta, y, scratch, way);                                                         \
  }

// Where `k` is a multiple of four, even, or any number: for rows of middling length, for long and for
// short ones.
COLUMNS_KERNEL(csr_columns_four, BY_FOUR, false)
COLUMNS_KERNEL(csr_columns_four_quads, BY_FOUR, true)
PAIRS_KERNEL(csr_columns_four_pairs, BY_FOUR)
COLUMNS_KERNEL(csr_columns_two, BY_TWO, false)
COLUMNS_KERNEL(csr_columns_two_quads, BY_TWO, true)
PAIRS_KERNEL(csr_columns_two_pairs, BY_TWO)
COLUMNS_KERNEL(csr_columns_one, BY_ONE, false)
COLUMNS_KERNEL(csr_columns_one_quads, BY_ONE, true)
PAIRS_KERNEL(csr_columns_one_pairs, BY_ONE)
