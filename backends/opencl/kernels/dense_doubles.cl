// Y = alpha A X + beta Y as in dense_tiles.cl, in double by the tensor cores of NVIDIA's Hopper and
// later: eight warps' worth of products in one instruction, each rounded once, as `fma` does. Behind
// copies.cl.

#ifdef MULTIPLIES_DOUBLES
/// Rows of A of a warp, in blocks of eight.
#define BLOCKS 2
/// Pairs of neighbouring elements that an item asks for of each of its rows before it needs them.
#define PAIRS 4
/// Columns of A that a warp goes over at once: four items have a pair of each eight.
#define STEP (8 * PAIRS)

/// c += A X for 16 rows of A, 8 of its columns and 8 columns of X. Item i has of rows i / 4 and 8 + i / 4
/// of A the columns 2 (i % 4) and the next (`low`, `high`), of X these two rows in column i / 4 (`x0`,
/// `x1`), and of the result columns 2 (i % 4) and the next in both rows.
INLINED void add_product(double4* c, double2 low, double2 high, double x0, double x1) {
  double4 sum;
  __asm__ volatile(
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
      : "=d"(sum.s0), "=d"(sum.s1), "=d"(sum.s2), "=d"(sum.s3)
      : "d"(low.s0), "d"(high.s0), "d"(low.s1), "d"(high.s1), "d"(x0), "d"(x1), "d"(c->s0),
        "d"(c->s1), "d"(c->s2), "d"(c->s3));
  *c = sum;
}

/// Two neighbouring elements, of which `left` are in the row; what is beyond is zero.
INLINED double2 pair_at(__global const double* from, long left, bool aligned) {
  double2 pair = 0;
  if (aligned) return left > 0 ? streamed_wide(from) : pair;
  if (left > 0) pair.s0 = streamed_real(from);
  if (left > 1) pair.s1 = streamed_real(from + 1);
  return pair;
}

/// A warp has 8 * BLOCKS rows, `width` panels of eight columns, and one of `stretches` stretches of
/// `length` columns of A, as in multiply_tiles. `depth` rows of X are in local memory at once.
INLINED void multiply_doubles(long rows, long cols, uint k, uint panels, uint stretches,
                              long length, __global const double* a, double alpha,
                              __global const double* x, double beta, __global double* y,
                              __local double2* tiles, uint width, uint depth, bool aligned) {
  const uint group = (uint)get_group_id(0);
  const uint first = group % panels * 8 * width;
  const uint stretch = group / panels % stretches;
  const uint item = (uint)get_local_id(0);
  const uint eighth = item % WARP / 4, fourth = item % 4;
  const long first_row =
      ((long)(group / panels / stretches) * (GROUP / WARP) + item / WARP) * 8 * BLOCKS;
  const long begin = stretch * length;
  const long end = min(begin + length, cols);
  const uint pitch = 8 * width + WIDE_LENGTH;
  const TileOfX shape = {8 * width, 1, WIDE_LENGTH};
  __local double* tile = (__local double*)tiles;
  __local double* other = tile + depth * pitch;
  copy_rows_of_x(tile, shape, depth, begin, end, first, k, x, GROUP);

  // What lies beyond the last row is read again and not written.
  __global const double* of_row[BLOCKS];
  double2 ahead[PAIRS][BLOCKS];
  double4 sums[BLOCKS / 2][4];
  UNROLLED
  for (uint b = 0; b < BLOCKS; ++b) {
    of_row[b] = a + min(first_row + 8 * b + eighth, rows - 1) * cols;
    UNROLLED
    for (uint p = 0; p < PAIRS; ++p) {
      const long j = begin + 8 * p + 2 * fourth;
      ahead[p][b] = pair_at(of_row[b] + j, end - j, aligned);
    }
    UNROLLED
    for (uint n = 0; n < width; ++n) sums[b / 2][n] = 0;
  }
  wait_for_own_copies();
  barrier(CLK_LOCAL_MEM_FENCE);
  for (long at = begin; at < end; at += depth) {
    if (at + depth < end) {
      copy_rows_of_x(other, shape, depth, at + depth, end, first, k, x, GROUP);
    }
    NOT_UNROLLED
    for (uint s = 0; s < depth; s += STEP) {
      double2 now[PAIRS][BLOCKS];
      UNROLLED
      for (uint p = 0; p < PAIRS; ++p) {
        UNROLLED
        for (uint b = 0; b < BLOCKS; ++b) {
          const long j = at + s + STEP + 8 * p + 2 * fourth;
          now[p][b] = ahead[p][b];
          ahead[p][b] = pair_at(of_row[b] + j, end - j, aligned);
        }
      }
      UNROLLED
      for (uint p = 0; p < PAIRS; ++p) {
        UNROLLED
        for (uint n = 0; n < width; ++n) {
          __local const double* const of_x =
              tile + (s + 8 * p + 2 * fourth) * pitch + 8 * n + eighth;
          UNROLLED
          for (uint b = 0; b < BLOCKS; b += 2) {
            add_product(&sums[b / 2][n], now[p][b], now[p][b + 1], of_x[0], of_x[pitch]);
          }
        }
      }
    }
    wait_for_own_copies();
    barrier(CLK_LOCAL_MEM_FENCE);
    __local double* const used = tile;
    tile = other;
    other = used;
  }
  if (stretches > 1) y += stretch * rows * k;
  UNROLLED
  for (uint b = 0; b < BLOCKS; ++b) {
    UNROLLED
    for (uint n = 0; n < width; ++n) {
      const double2 pair = b % 2 == 0 ? sums[b / 2][n].lo : sums[b / 2][n].hi;
      const long row = first_row + 8 * b + eighth;
      const uint column = first + 8 * n + 2 * fourth;
      const long place = row * k + column;
      if (row < rows && column < k) {
        y[place] = stretches > 1 ? pair.s0 : updated(alpha, pair.s0, beta, y, place);
      }
      if (row < rows && column + 1 < k) {
        y[place + 1] = stretches > 1 ? pair.s1 : updated(alpha, pair.s1, beta, y, place + 1);
      }
    }
  }
}

#define DOUBLES_KERNEL(name, width, depth, aligned)                                                \
  __kernel WORK_GROUP(GROUP) void name(                                                            \
      long rows, long cols, uint k, uint panels, uint stretches, long length,                      \
      __global const double* a, double alpha, __global const double* x, double beta,               \
      __global double* y) {                                                                        \
    __local double2 tiles[(depth) * (8 * width + WIDE_LENGTH)];                                    \
    multiply_doubles(rows, cols, k, panels, stretches, length, a, alpha, x, beta, y, tiles, width, \
                     depth, aligned);                                                              \
  }

DOUBLES_KERNEL(dense_doubles_8, 1, 2 * STEP, true)
DOUBLES_KERNEL(dense_doubles_16, 2, 2 * STEP, true)
DOUBLES_KERNEL(dense_doubles_32, 4, STEP, true)
DOUBLES_KERNEL(dense_doubles_unaligned, 4, STEP, false)
#endif
