// Y = alpha A X + beta Y with A in compressed sparse rows, X and Y row-major with several columns: as
// many teams (column_sums.cl) for each row, `lanes` items in all.

/// How nonzeros are read: one by one, by four, or by four with a way through local memory.
#define BY_STRIDES 0
#define BY_QUADS 1
#define BY_CHUNKS 2

INLINED REAL4 sum_of_row(OFFSET begin, OFFSET end, __global const int* columns,
                         __global const REAL* values, __global const REAL* x, uint team, uint teams,
                         Columns its, uint reading) {
  if (reading != BY_STRIDES) return sum_of_quads(begin, end, columns, values, x, team, teams, its);
  return sum_of_strides(begin, (uint)(end - begin), columns, values, x, team, teams, its);
}

#ifdef NVIDIA_WARP
/// As sum_of_quads, for the `lanes` items of a row, at most a warp: each copies four nonzeros of a chunk
/// to local memory, where all of a team then read each of its nonzeros at once. Loads of global memory
/// are of neighbouring bytes, and each byte is asked for once. `chunk_columns` and `chunk_values` have an
/// element for each of the row's items. All items of a warp must come here.
INLINED REAL4 sum_of_chunks(OFFSET begin, OFFSET end, __global const int* columns,
                            __global const REAL* values, __global const REAL* x, uint lane,
                            uint lanes, uint team, uint teams, Columns its,
                            __local int4* chunk_columns, __local REAL4* chunk_values) {
  const Quads quads = quads_of(begin, end);
  REAL4 sum = sum_of_singles(begin, end, quads, columns, values, x, team, teams, its);
  columns += quads.first + 4 * lane;
  values += quads.first + 4 * lane;
  int4 rows = 0;
  REAL4 value = 0;
  int left = (int)(quads.last - quads.first);
  if (4 * (int)lane < left) {
    rows = streamed_ints(columns);
    value = streamed_reals(values);
  }
  NOT_UNROLLED
  while (ballot(left > 0)) {
    chunk_columns[lane] = rows;
    chunk_values[lane] = value;
    meet_team();
    columns += 4 * lanes;
    values += 4 * lanes;
    if (4 * (int)(lane + lanes) < left) {
      rows = streamed_ints(columns);
      value = streamed_reals(values);
    }
    const int here = min((int)lanes, left / 4);
    NOT_UNROLLED
    for (int q = (int)team; q < here; q += (int)teams) {
      sum = sum_with_quad(sum, chunk_columns[q], chunk_values[q], x, its);
    }
    left -= 4 * (int)lanes;
    meet_team();
  }
  return sum;
}
#endif

/// `lanes` items for each row, and the whole group of `items` for each that has more than `long_row`
/// nonzeros. Neighbouring groups have the panels of the same rows. With BY_CHUNKS `lanes` are 8 to a
/// warp, and the chunks have `items` / 8 * 9 elements.
INLINED void multiply_rows(long rows, uint k, uint width, uint across, uint lanes, uint panels,
                          uint long_row, __global const OFFSET* offsets,
                          __global const int* columns, __global const REAL* values, REAL alpha,
                          __global const REAL* x, REAL beta, __global REAL* y,
                          __local REAL4* scratch, __local uint* long_rows, __local uint* count,
                          uint items, uint way, uint reading, __local int4* chunk_columns,
                          __local REAL4* chunk_values) {
  const uint item = (uint)get_local_id(0);
  const uint group = (uint)get_group_id(0) / panels;
  const uint panel = (uint)get_group_id(0) - group * panels;
  bool has_columns;
  const Columns its = columns_of_item(k, width, across, panel, way, &has_columns);
  x += its.column;

  const uint bits = log2_of(across);
  const uint team = lane_of(lanes) >> bits, teams = lanes >> bits;
  const uint its_row = item >> log2_of(lanes);
  const long first = (long)group * (items >> log2_of(lanes));
  const long row = first + its_row;
  const bool inside = row < rows;
  const OFFSET begin = inside ? offsets[row] : 0;
  const OFFSET end = inside ? offsets[row + 1] : 0;
  if (item == 0) *count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const bool is_long = (uint)(end - begin) > long_row;
  if (is_long && lane_of(lanes) == 0) long_rows[atomic_inc(count)] = its_row;
  REAL4 sum = 0;
#ifdef NVIDIA_WARP
  if (reading == BY_CHUNKS) {
    // An element apart, so that the rows of a warp read from other banks.
    const uint place = its_row * (lanes + 1);
    sum = sum_of_chunks(begin, is_long ? begin : end, columns, values, x, lane_of(lanes), lanes,
                        team, teams, its, chunk_columns + place, chunk_values + place);
  }
#else
  (void)chunk_columns;
  (void)chunk_values;
#endif
  if (reading != BY_CHUNKS && !is_long) {
    sum = sum_of_row(begin, end, columns, values, x, team, teams, its, reading);
  }
  // In groups of CHUNKS_GROUP rows have a warp at most. Code that never runs decides all the same what
  // NVIDIA's compiler keeps in registers (H200, us with parts and without: 16384 rows of 819, 32 columns, four
  // of an item, 135 and 126; 4096 rows of 410, 7 columns, one of an item, 13.4 and 15.1).
  const bool in_parts = items == LARGE_GROUP || way == BY_SINGLE;
  sum = sum_beside(sum, across, lanes, scratch, way, in_parts);
  if (inside && !is_long && has_columns && lane_of(lanes) < across) {
    write_columns(y, row, alpha, sum, beta, its);
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  for (uint i = 0; i < *count; ++i) {
    const long long_one = first + long_rows[i];
    sum = sum_of_row(offsets[long_one], offsets[long_one + 1], columns, values, x, item >> bits,
                     items >> bits, its, reading);
    sum = sum_beside(sum, across, items, scratch, way, in_parts);
    if (has_columns && item < across) write_columns(y, long_one, alpha, sum, beta, its);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

/// A kernel for rows of X that are read in that way, with `chunk` elements of each array of a chunk in
/// local memory. A macro, because OpenCL C has no templates: what multiply_rows is handed has to be known
/// when compiling.
#define COLUMNS_KERNEL(name, items, way, reading, chunk)                                           \
  __kernel WORK_GROUP(items) void name(                                                            \
      long rows, uint k, uint width, uint across, uint lanes, uint panels, uint long_row,          \
      __global const OFFSET* offsets, __global const int* columns, __global const REAL* values,    \
      REAL alpha, __global const REAL* x, REAL beta, __global REAL* y) {                           \
    __local REAL4 scratch[SCRATCH(items)];                                                         \
    __local uint long_rows[items];                                                                 \
    __local uint count;                                                                            \
    __local int4 chunk_columns[chunk];                                                             \
    __local REAL4 chunk_values[chunk];                                                             \
    multiply_rows(rows, k, width, across, lanes, panels, long_row, offsets, columns, values,       \
                  alpha, x, beta, y, scratch, long_rows, &count, items, way, reading,              \
                  chunk_columns, chunk_values);                                                    \
  }

// Four elements of eight bytes are two loads in any case.
#ifdef REAL_IS_DOUBLE
#define FOURS BY_PAIRS
#define TWOS BY_PAIRS
#else
#define FOURS BY_FOUR
#define TWOS BY_TWO
#endif

// Where `width` is a multiple of four, even, for two columns of an item or four, or any number, for four
// or one: for shorter and for long rows, and for those whose items share nonzeros in local memory.
#define STRIDES_KERNEL(name, way) COLUMNS_KERNEL(name, LARGE_GROUP, way, BY_STRIDES, 1)
#define QUADS_KERNEL(name, way) COLUMNS_KERNEL(name, LARGE_GROUP, way, BY_QUADS, 1)
#define CHUNKS_KERNEL(name, way) \
  COLUMNS_KERNEL(name, CHUNKS_GROUP, way, BY_CHUNKS, CHUNKS_GROUP / 8 * 9)
STRIDES_KERNEL(csr_columns_four, FOURS)
QUADS_KERNEL(csr_columns_four_quads, FOURS)
STRIDES_KERNEL(csr_columns_pair, BY_PAIR)
QUADS_KERNEL(csr_columns_pair_quads, BY_PAIR)
STRIDES_KERNEL(csr_columns_two, TWOS)
QUADS_KERNEL(csr_columns_two_quads, TWOS)
STRIDES_KERNEL(csr_columns_one, BY_ONE)
QUADS_KERNEL(csr_columns_one_quads, BY_ONE)
STRIDES_KERNEL(csr_columns_single, BY_SINGLE)
QUADS_KERNEL(csr_columns_single_quads, BY_SINGLE)
#if defined(NVIDIA_WARP) && !defined(REAL_IS_DOUBLE)
CHUNKS_KERNEL(csr_columns_four_chunks, BY_FOUR)
CHUNKS_KERNEL(csr_columns_two_chunks, BY_TWO)
CHUNKS_KERNEL(csr_columns_one_chunks, BY_ONE)
CHUNKS_KERNEL(csr_columns_single_chunks, BY_SINGLE)
// Two columns have one item for a nonzero. As many rows as this walk through X together.
COLUMNS_KERNEL(csr_columns_pair_large, CHUNKS_GROUP, BY_PAIR, BY_QUADS, 1)
#endif
