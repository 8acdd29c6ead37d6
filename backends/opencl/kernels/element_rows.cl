// The row of each element of a matrix in CSR, where work-groups have equally many elements, whatever the
// rows: a tile each. Compiled before the files that need it.

/// Elements of each item: a tile has a multiple of 32.
#define TILE_ITEMS (LARGE_GROUP < 4 ? 32 : 8)
#define TILE (LARGE_GROUP * TILE_ITEMS)

/// Turns the `value` of each item into the sum, or the maximum, of those up to it. All items of the group
/// must come here. (By shuffles within warps conversions and products took as long on an H200.)
static void scan_items(uint value, bool is_sum, __local uint* scanned) {
  const uint item = (uint)get_local_id(0);
  scanned[item] = value;
  for (uint step = 1; step < LARGE_GROUP; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    // By a branch, as in scan.cl.
    uint before = 0;
    if (item >= step) before = scanned[item - step];
    barrier(CLK_LOCAL_MEM_FENCE);
    scanned[item] = is_sum ? scanned[item] + before : max(scanned[item], before);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

/// The row of the first element of tile `tile`, or of the last of all.
static long row_of_tile(long tile, long rows, long nnz, __global const OFFSET* offsets) {
  return row_with(offsets, 0, rows - 1, min(tile * TILE, nnz - 1));
}

/// The same for all tiles, one item for each, and one for the end.
__kernel WORK_GROUP(GROUP) void find_tile_rows(long tiles, long rows, long nnz,
                                               __global const OFFSET* offsets,
                                               __global long* tile_rows) {
  const long tile = (long)get_global_id(0);
  if (tile <= tiles) tile_rows[tile] = row_of_tile(tile, rows, nnz, offsets);
}

/// The rows of the first elements of a tile and of the next one.
typedef struct {
  long first;
  long last;
} TileRows;

/// With one row nothing is marked, and with more than so many each element's row is searched for.
static bool are_marked(TileRows rows) {
  return rows.last > rows.first && rows.last - rows.first <= 8L * TILE;
}

/// Puts the rows of a tile's `size` elements into `row_of`, counted from the first. Each row that is not
/// empty marks its first element; the maximum of all marks up to an element is its row. All items of the
/// group must come here.
static void mark_rows(TileRows rows, __global const OFFSET* offsets, long begin, uint size,
                      __local int* row_of, __local uint* scanned) {
  if (!are_marked(rows)) return;
  const uint item = (uint)get_local_id(0);
  for (uint k = item; k < TILE; k += LARGE_GROUP) row_of[k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (long row = rows.first + 1 + item; row <= rows.last; row += LARGE_GROUP) {
    const long k = offsets[row] - begin;
    if (k < size && offsets[row + 1] > offsets[row]) row_of[k] = (int)(row - rows.first);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  __local int* const own = row_of + item * TILE_ITEMS;
  int largest = 0;
  for (uint i = 0; i < TILE_ITEMS; ++i) largest = max(largest, own[i]);
  scan_items((uint)largest, false, scanned);
  largest = item > 0 ? (int)scanned[item - 1] : 0;
  for (uint i = 0; i < TILE_ITEMS; ++i) {
    largest = max(largest, own[i]);
    own[i] = largest;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

/// The row of element k of a tile whose rows are marked.
static long row_of_element(TileRows rows, __global const OFFSET* offsets, long begin, uint k,
                           __local const int* row_of) {
  if (are_marked(rows)) return rows.first + row_of[k];
  return row_with(offsets, rows.first, rows.last, begin + k);
}
