// What kernels take of a matrix in CSR, or in packed CSR (packed.hpp), whose codings are definitions: with
// COLUMNS_TILED columns have 16 bits in tiles of TILE_ROWS rows; with COLUMNS_BLOCKED they have 8 bits in
// blocks of 256 columns, and heads of `words` words say which block; with VALUES_CONSTANT all elements
// have one value, with VALUES_DICTIONARY each has a byte that says which of 256. Compiled before the
// files that need it.

// What a kernel takes for the columns and for the values, and what its functions take.
#ifdef COLUMNS_TILED
#define COLUMNS __global const long2 *tiles, __global const ushort *narrow, __global const int *wide
#define THE_COLUMNS tiles, narrow, wide
#elif defined(COLUMNS_BLOCKED)
#define COLUMNS                                                                \
  __global const OFFSET *first_heads, __global const uint *heads, uint words, \
      __global const uchar *low
#define THE_COLUMNS first_heads, heads, words, low

/// The first column of a head's block.
static uint column_of_head(__global const uint* heads, uint words, OFFSET h) {
  return words == 1 ? heads[h] >> 16 << 8 : heads[2 * (long)h] << 8;
}

/// The last 16 bits of the number of its first element.
static uint start_of_head(__global const uint* heads, uint words, OFFSET h) {
  return heads[words * ((long)h + 1) - 1] & 0xffff;
}
#else
#define COLUMNS __global const int* wide
#define THE_COLUMNS wide
#endif

// STREAMED_VALUE is for elements that neighbouring items read once.
#if defined(VALUES_CONSTANT)
#define VALUES __global const REAL* values
#define READ_VALUES REAL constant_value
#define THE_VALUES constant_value
#define VALUES_FROM(begin) constant_value
#define VALUE(k) constant_value
#define STREAMED_VALUE(k) constant_value
#define PREPARE_VALUES(item, items) const REAL constant_value = values[0];
#elif defined(VALUES_DICTIONARY)
#define VALUES __global const REAL *values, __global const uchar *codes
#define READ_VALUES __global const uchar *codes, __local const REAL *dictionary
#define THE_VALUES codes, dictionary
#define VALUES_FROM(begin) codes + (begin), dictionary
#define VALUE(k) dictionary[codes[k]]
#define STREAMED_VALUE(k) dictionary[codes[k]]
// Neighbouring items want any of the values: local memory serves them sooner than the cache.
#define PREPARE_VALUES(item, items)                                             \
  __local REAL dictionary[256];                                                 \
  for (uint v = (item); v < 256; v += (items)) dictionary[v] = values[v];       \
  barrier(CLK_LOCAL_MEM_FENCE);
#else
#define VALUES __global const REAL* values
#define READ_VALUES __global const REAL* values
#define THE_VALUES values
#define VALUES_FROM(begin) values + (begin)
#define VALUE(k) values[k]
#define STREAMED_VALUE(k) streamed_real(values + (k))
#define PREPARE_VALUES(item, items)
#endif
