// Y = alpha A X + beta Y with A in compressed sparse rows, X and Y row-major with several columns: as
// many teams (column_sums.cl) for each row, `lanes` items in all.

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
  sum = sum_beside(sum, across, lanes, scratch, way);
  if (inside && !is_long && has_columns && lane_of(lanes) < across) {
    write_columns(y, row, alpha, sum, beta, its);
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  for (uint i = 0; i < *count; ++i) {
    const long long_one = first + long_rows[i];
    sum = sum_of_row(offsets[long_one], offsets[long_one + 1], columns, values, x, item >> bits,
                     LARGE_GROUP >> bits, its, by_quads);
    sum = sum_beside(sum, across, LARGE_GROUP, scratch, way);
    if (has_columns && item < across) write_columns(y, long_one, alpha, sum, beta, its);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

/// A kernel for rows of X that are read in that way. A macro, because OpenCL C has no templates: what
/// multiply_rows is handed has to be known when compiling.
#define COLUMNS_KERNEL(name, way, by_quads)                                                        \
  __kernel WORK_GROUP(LARGE_GROUP) void name(                                                      \
      long rows, uint k, uint across, uint lanes, uint panels, uint long_row,                      \
      __global const OFFSET* offsets, __global const int* columns, __global const REAL* values,    \
      REAL alpha, __global const REAL* x, REAL beta, __global REAL* y) {                           \
    __local REAL4 scratch[SCRATCH(LARGE_GROUP)];                                                   \
    __local uint long_rows[LARGE_GROUP];                                                           \
    __local uint count;                                                                            \
    multiply_rows(rows, k, across, lanes, panels, long_row, offsets, columns, values, alpha, x,    \
                  beta, y, scratch, long_rows, &count, way, by_quads);                             \
  }

// Four elements of eight bytes are two loads in any case.
#ifdef REAL_IS_DOUBLE
#define FOURS BY_PAIRS
#define TWOS BY_PAIRS
#else
#define FOURS BY_FOUR
#define TWOS BY_TWO
#endif

// Where `k` is a multiple of four, even, for two columns of an item or four, or any number: for shorter
// and for long rows.
COLUMNS_KERNEL(csr_columns_four, FOURS, false)
COLUMNS_KERNEL(csr_columns_four_quads, FOURS, true)
COLUMNS_KERNEL(csr_columns_pair, BY_PAIR, false)
COLUMNS_KERNEL(csr_columns_pair_quads, BY_PAIR, true)
COLUMNS_KERNEL(csr_columns_two, TWOS, false)
COLUMNS_KERNEL(csr_columns_two_quads, TWOS, true)
COLUMNS_KERNEL(csr_columns_one, BY_ONE, false)
COLUMNS_KERNEL(csr_columns_one_quads, BY_ONE, true)
