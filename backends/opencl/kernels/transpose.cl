// The transpose of a matrix, made by copying: that of CSR has the same arrays in CSC.

/// Four bytes at a time. Each item takes ELEMENTS_PER_ITEM, a work-group apart.
__kernel WORK_GROUP(GROUP) void copy_words(long size, __global const uint* from,
                                           __global uint* to) {
  long i = (long)get_group_id(0) * (ELEMENTS_PER_ITEM * GROUP) + (long)get_local_id(0);
  for (int k = 0; k < ELEMENTS_PER_ITEM && i < size; ++k, i += GROUP) to[i] = from[i];
}

/// Rows and columns of the square that a work-group turns in local memory, so that it reads and writes
/// neighbours.
#define TILE 32

/// A group for each square of a dense matrix.
__kernel WORK_GROUP(GROUP) void transpose_dense(long rows, long cols, __global const REAL* from,
                                                __global REAL* to) {
  __local REAL turned[TILE][TILE + 1];
  const long squares = (cols + TILE - 1) / TILE;
  const long row = (long)get_group_id(0) / squares * TILE;
  const long column = (long)get_group_id(0) % squares * TILE;
  for (uint k = (uint)get_local_id(0); k < TILE * TILE; k += GROUP) {
    const uint i = k / TILE;
    const uint j = k % TILE;
    if (row + i < rows && column + j < cols) turned[j][i] = from[(row + i) * cols + column + j];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = (uint)get_local_id(0); k < TILE * TILE; k += GROUP) {
    const uint j = k / TILE;
    const uint i = k % TILE;
    if (row + i < rows && column + j < cols) to[(column + j) * rows + row + i] = turned[j][i];
  }
}
