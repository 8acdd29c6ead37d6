// y = alpha A x + beta y with A in compressed sparse rows, for short rows.
//
// A work-group reads the nonzeros of many rows as the one stream that they are in memory, whatever
// the rows' lengths, and only then sums each row, out of local memory (the idea of CSR-Stream:
// Greathouse and Daga, Efficient Sparse Matrix-Vector Multiplication on GPUs using the CSR Storage
// Format, SC'14). Right for any matrix, fast where a group's rows are alike.

/// Nonzeros of each item in local memory at once.
#define STREAM_ITEMS (STREAM_BYTES / (int)sizeof(REAL))
#define PIECE (LARGE_GROUP * STREAM_ITEMS)
#define MOST_ROWS (PIECE / 2)
/// One element in every 128 bytes of local memory is left out: rows of 16 would meet in its banks.
#define PADDED(j) ((j) + (j) / (128 / (uint)sizeof(REAL)))

/// products[PADDED(j)] = values[j] * x[columns[j]] for j < count. Every item reads and stores as often, the
/// last element again where there is none of its own: so no load waits for a branch or for
/// another's product.
static void load_piece(__global const int* columns, __global const REAL* values,
                       __global const REAL* x, uint count, __local REAL* products) {
  const uint item = (uint)get_local_id(0);
  if (count == 0) return;
  int column[STREAM_ITEMS];
  REAL product[STREAM_ITEMS];
#pragma unroll
  for (uint i = 0; i < STREAM_ITEMS; ++i) {
    const uint j = min(i * LARGE_GROUP + item, count - 1);
    column[i] = streamed_int(columns + j);
    product[i] = streamed_real(values + j);
  }
#pragma unroll
  for (uint i = 0; i < STREAM_ITEMS; ++i) product[i] *= x[column[i]];
#pragma unroll
  for (uint i = 0; i < STREAM_ITEMS; ++i) products[PADDED(i * LARGE_GROUP + item)] = product[i];
}

static REAL sum_of(__local const REAL* products, uint begin, uint end) {
  REAL sum0 = 0, sum1 = 0;
  uint k = begin;
  for (; k + 2 <= end; k += 2) {
    sum0 += products[PADDED(k)];
    sum1 += products[PADDED(k + 1)];
  }
  if (k < end) sum0 += products[PADDED(k)];
  return sum0 + sum1;
}

/// `share` <= MOST_ROWS rows for each work-group. Where their nonzeros are more than fit, they come in
/// pieces, and the one row that may go on from a piece to the next hands its sum on.
__kernel WORK_GROUP(LARGE_GROUP) void csr_stream(long rows, uint share,
                                                 __global const OFFSET* offsets,
                                                 __global const int* columns,
                                                 __global const REAL* values, REAL alpha,
                                                 __global const REAL* x, REAL beta,
                                                 __global REAL* y) {
  __local REAL products[PADDED(PIECE)];
  __local OFFSET ends[MOST_ROWS + 1];  // ends[r]: where row r - 1 ends and row r begins
  __local REAL handed_on[2];           // from a piece to the next, by turns
  const uint item = (uint)get_local_id(0);
  const long first = (long)get_group_id(0) * share;
  const uint count = (uint)min((long)share, rows - first);
  for (uint r = item; r <= count; r += LARGE_GROUP) ends[r] = offsets[first + r];
  barrier(CLK_LOCAL_MEM_FENCE);
  const OFFSET end = ends[count];
  uint turn = 0;
  OFFSET begin = ends[0];
  do {
    const uint length = (uint)min((OFFSET)PIECE, end - begin);
    load_piece(columns + begin, values + begin, x, length, products);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint r = item; r < count; r += LARGE_GROUP) {
      // Relative to the piece; rows without elements belong to the first that ends where they do.
      const OFFSET row_begin = ends[r] - begin;
      const OFFSET row_end = ends[r + 1] - begin;
      if (row_begin >= (OFFSET)length && row_end > (OFFSET)length) continue;
      if (row_end < 0 || (row_end == 0 && turn > 0)) continue;
      REAL sum = sum_of(products, (uint)max(row_begin, (OFFSET)0),
                        (uint)min(row_end, (OFFSET)length));
      if (row_begin < 0) sum += handed_on[turn & 1];
      if (row_end > (OFFSET)length) {
        handed_on[(turn + 1) & 1] = sum;
      } else {
        y[first + r] = updated(alpha, sum, beta, y, first + r);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    begin += length;
    ++turn;
  } while (begin < end);
}
