// y = alpha A x + beta y with A in compressed sparse rows, or in packed CSR, the work cut evenly whatever
// the rows. Compiled behind packed_codings.cl.
//
// The rows' ends and the nonzeros merge into one list: row i ends at place offsets[i + 1] + i of
// it, after its own nonzeros and all that comes before. Every work-group takes a tile of as many
// places, so that neither a row of a million nor a million empty ones keep anyone waiting (Merrill
// and Garland, Merge-based Parallel Sparse Matrix-Vector Multiplication, SC'16). The first row of
// each tile is kept beside the matrix.
//
// A row may lie in several tiles. Each but the last of them publishes what it summed of the row. The
// tile in which the row ends adds these sums, in a fixed order and without atomics: after its own
// work where a work-group may wait for those of lower index, else in a second launch.

/// Each item takes MERGE_ITEMS places of the list.
#define TILE (GROUP * MERGE_ITEMS)

// What is kept beside a matrix, in words of 64 bits: the rows that end before each tile, and before
// the end of the last one; with blocked columns the head of each tile's first element, and the last
// head; what each tile published; with a second launch, what each tile summed of the first row that
// ends in it. The host counts on this layout.
#ifdef COLUMNS_BLOCKED
#define WORDS_OF_START 2
#else
#define WORDS_OF_START 1
#endif

static __global ulong* tails_in(__global ulong* kept, long tiles) {
  return kept + WORDS_OF_START * (tiles + 1);
}

static __global REAL* heads_in(__global ulong* kept, long tiles) {
  return (__global REAL*)(tails_in(kept, tiles) + tiles * PUBLISHED_WORDS);
}

/// How many rows end before a place.
static long rows_ending_before(long place, long rows, __global const OFFSET* offsets) {
  long low = 0, high = rows;
  while (low < high) {
    const long middle = low + (high - low) / 2;
    if (offsets[middle + 1] + middle < place) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Fills in what is kept beside a matrix, one item for each tile and one for the end.
__kernel WORK_GROUP(GROUP) void merge_starts(long rows, long tiles, __global const OFFSET* offsets,
                                             __global ulong* kept) {
  const long t = (long)get_global_id(0);
  if (t > tiles) return;
  kept[t] = (ulong)rows_ending_before(t * TILE, rows, offsets);
  if (t == tiles) return;
  for (uint w = 0; w < PUBLISHED_WORDS; ++w) tails_in(kept, tiles)[t * PUBLISHED_WORDS + w] = 0;
}

#ifdef COLUMNS_BLOCKED
/// Heads of a stretch: 16 bits tell how far it is from its first to the end of its last.
#define STRETCH 128

/// The head of element k, which lies in the row that begins with that head or behind it.
static long head_of(long k, long head, long row_begin, long count, __global const uint* heads,
                    uint words) {
  uint start = start_of_head(heads, words, head);
  uint far = (uint)(k - row_begin);  // from the head's first element on
  // Heads are walked along by stretches: in a row of millions of elements by some thousands.
  while (head + STRETCH < count) {
    const uint next = start_of_head(heads, words, head + STRETCH);
    const uint elements = (next - start) & 0xffff;
    if (elements > far) break;
    far -= elements;
    start = next;
    head += STRETCH;
  }
  long end = min(head + STRETCH, count);
  while (end - head > 1) {
    const long middle = head + (end - head) / 2;
    const uint before = (start_of_head(heads, words, middle) - start) & 0xffff;
    if (before <= far) {
      head = middle;
      start += before;
      far -= before;
    } else {
      end = middle;
    }
  }
  return head;
}

/// Fills in the heads of what is kept beside a matrix that has any, once its rows are there.
__kernel WORK_GROUP(GROUP) void merge_heads(long rows, long nonzeros, long tiles,
                                            __global const OFFSET* offsets,
                                            __global const OFFSET* first_heads,
                                            __global const uint* heads, uint words,
                                            __global ulong* kept) {
  const long t = (long)get_global_id(0);
  if (t > tiles) return;
  const long count = first_heads[rows];
  const long row = (long)kept[t];
  const long k = t * TILE - row;
  long head = count - 1;
  if (k < nonzeros) head = head_of(k, first_heads[row], offsets[row], count, heads, words);
  kept[tiles + 1 + t] = (ulong)head;
}
#endif

/// A tile: `ending` rows from `row` on end in it, and it has `count` nonzeros from `begin` on.
typedef struct {
  long row;
  long begin;
  uint ending;
  uint count;
} Tile;

#ifdef COLUMNS_TILED
/// Of packed rows (not the tiles of this file), which share a base: where an item is among them.
typedef struct {
  long tile;
  long end;     // of its elements
  long2 place;  // what `tiles` has for it
} PackedRows;

static PackedRows packed_rows(long tile, long rows, __global const OFFSET* offsets,
                              __global const long2* tiles) {
  return (PackedRows){tile, (long)offsets[min((tile + 1) * TILE_ROWS, rows)], tiles[tile]};
}
#endif

#ifdef COLUMNS_BLOCKED
/// Items that share the elements of a head.
#define HEAD_ITEMS (GROUP < 8 ? GROUP : 8)

/// columns[j]: the first one of the block that element j of the tile lies in. All items must come here,
/// and wait before they read. Of a matrix without elements no heads are known.
static void spread_heads(Tile tile, __global const ulong* tile_heads, __global const uint* heads,
                         uint words, __local uint* columns) {
  const uint item = (uint)get_local_id(0);
  if (tile.count == 0) return;
  // The last one may begin behind the tile. The first may begin up to 255 elements before it.
  const long last = (long)tile_heads[1];
  for (long h = (long)tile_heads[0] + item / HEAD_ITEMS; h <= last; h += GROUP / HEAD_ITEMS) {
    const int from = (short)(start_of_head(heads, words, h) - (uint)tile.begin);
    const int next = h < last ? (short)(start_of_head(heads, words, h + 1) - (uint)tile.begin)
                              : (int)tile.count;
    const int end = min(next, (int)tile.count);
    const uint column = column_of_head(heads, words, h);
    for (int j = max(from, 0) + (int)(item % HEAD_ITEMS); j < end; j += HEAD_ITEMS) {
      columns[j] = column;
    }
  }
}
#endif

/// product[i]: that of element j = i * GROUP + item < count of the tile, where the values begin with those
/// of the tile. Every item reads as often, the last element again where there is none of its own: so no
/// load waits for a branch or for another's product. `room`: with blocked columns, what `spread_heads` made.
INLINED void load_products(Tile tile, long rows, __global const OFFSET* offsets, COLUMNS,
                           READ_VALUES, __global const REAL* x, __local const uint* room,
                           REAL* product) {
  const uint item = (uint)get_local_id(0);
  if (tile.count == 0) return;
  // Each coding of columns needs some of these.
  (void)rows, (void)offsets, (void)room;
  int column[MERGE_ITEMS];
#ifdef COLUMNS_TILED
  PackedRows its = packed_rows(tile.row / TILE_ROWS, rows, offsets, tiles);
#elif defined(COLUMNS_BLOCKED)
  (void)first_heads, (void)heads, (void)words;
  __global const uchar* const in_block = low + tile.begin;
#else
  __global const int* const columns = wide + tile.begin;
#endif
  UNROLLED
  for (uint i = 0; i < MERGE_ITEMS; ++i) {
    const uint j = min(i * GROUP + item, tile.count - 1);
#ifdef COLUMNS_TILED
    const long k = tile.begin + j;
    while (k >= its.end) its = packed_rows(its.tile + 1, rows, offsets, tiles);
    const bool is_narrow = its.place.y >= 0;
    column[i] = is_narrow ? (int)(its.place.y + narrow[k - its.place.x]) : wide[k - its.place.x];
#elif defined(COLUMNS_BLOCKED)
    column[i] = (int)(room[j] + in_block[j]);
#else
    column[i] = streamed_int(columns + j);
#endif
    product[i] = STREAMED_VALUE(j);
  }
  UNROLLED
  for (uint i = 0; i < MERGE_ITEMS; ++i) product[i] *= x[column[i]];
}

/// The rows of the tile that end before its place `place`.
static uint rows_before(__local const ushort* ends, uint rows, uint place) {
  uint low = 0, high = rows;
  while (low < high) {
    const uint middle = (low + high) / 2;
    if (ends[middle] + middle < place) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Whether the first row that ends in the tile began before it. `row_begin`: that row's offset.
static bool began_before(Tile tile, long row_begin) {
  return tile.ending > 0 && row_begin < tile.begin;
}

/// Sums the rows of a tile and publishes what it leaves of the last. `end` says where row `item` of
/// those that end in it does. Returns what there is in it of the first row that does, in item 0.
static REAL walk_tile(Tile tile, const REAL* product, bool leave_first, uint end,
                      __global const OFFSET* offsets, REAL alpha, REAL beta, __global REAL* y,
                      __global ulong* tail, uint launch, __local REAL* products,
                      __local ushort* ends, __local REAL* sums, __local uint* flags) {
  const uint item = (uint)get_local_id(0);
#pragma unroll
  for (uint i = 0; i < MERGE_ITEMS; ++i) products[i * GROUP + item] = product[i];
  offsets += tile.row;
  y += tile.row;
  if (item < tile.ending) ends[item] = (ushort)end;
  for (uint j = item + GROUP; j < tile.ending; j += GROUP) {
    ends[j] = (ushort)(offsets[j + 1] - tile.begin);
  }
  if (item == 0) ends[tile.ending] = 2 * TILE;  // the last row does not end here
  barrier(CLK_LOCAL_MEM_FENCE);

  // Each item walks along its own places, and keeps the sum at each row's end.
  const uint places = tile.count + tile.ending;
  const uint from = min(item * MERGE_ITEMS, places);
  const uint to = min(from + MERGE_ITEMS, places);
  const uint first_ending = rows_before(ends, tile.ending, from);
  REAL kept[MERGE_ITEMS];
  uint is_end = 0;
  REAL sum = 0;
  uint r = first_ending;
#pragma unroll
  for (uint i = 0; i < MERGE_ITEMS; ++i) {
    // Without branches; what is read beyond the tile's end is not used.
    const bool is_place = from + i < to;
    const bool is_product = from + i - r < ends[r];
    const REAL sum_with = sum + products[from + i - r];
    kept[i] = sum;
    sum = !is_place ? sum : is_product ? sum_with : 0;
    is_end |= (uint)(is_place && !is_product) << i;
    r += is_place && !is_product;
  }
  REAL last;
  REAL carried = carried_in(sum, is_end != 0, sums, flags, &last);
  const bool goes_on = tile.count > (tile.ending > 0 ? ends[tile.ending - 1] : 0);
  if (item == 0 && goes_on) publish(tail, launch, last);
  barrier(CLK_LOCAL_MEM_FENCE);

  // The sums take the products' place, so that y is written side by side.
  r = first_ending;
#pragma unroll
  for (uint i = 0; i < MERGE_ITEMS; ++i) {
    if ((is_end >> i) & 1) {
      products[r++] = kept[i] + carried;
      carried = 0;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint j = item; j < tile.ending; j += GROUP) {
    if (j > 0 || !leave_first) y[j] = updated(alpha, products[j], beta, y, j);
  }
  return products[0];
}

#ifdef NVIDIA_WARP
/// The sum of a tile in which no row ends: nobody needs to know where its products are.
static REAL sum_of_tile(uint count, const REAL* product, __local REAL* sums) {
  const uint item = (uint)get_local_id(0);
  REAL sum = 0;
#pragma unroll
  for (uint i = 0; i < MERGE_ITEMS; ++i) sum += i * GROUP + item < count ? product[i] : 0;
  return sum_over_lanes(sum, GROUP, sums);
}
#endif

/// One work-group for each tile.
__kernel WORK_GROUP(GROUP) void csr_merge(long rows, long nonzeros,
                                          __global const OFFSET* offsets, COLUMNS, VALUES,
                                          REAL alpha, __global const REAL* x, REAL beta,
                                          __global REAL* y, __global ulong* kept, uint launch) {
  __local REAL products[TILE + MERGE_ITEMS];
  __local ushort ends[TILE + 1];
  __local REAL sums[GROUP];
  __local uint flags[GROUP];
  const uint item = (uint)get_local_id(0);
  PREPARE_VALUES(item, GROUP)
  const long t = (long)get_group_id(0);
  const long count = (long)get_num_groups(0);
  const long place = t * TILE;
  Tile tile = {(long)kept[t], 0, 0, 0};
  tile.begin = place - tile.row;
  tile.ending = (uint)((long)kept[t + 1] - tile.row);
  tile.count = (uint)min((long)TILE, rows + nonzeros - place) - tile.ending;
  // Asked for before the columns and values that the next loads wait for.
  const OFFSET row_begin = tile.ending > 0 ? offsets[tile.row] : 0;
  const OFFSET row_end = item < tile.ending ? offsets[tile.row + item + 1] : 0;
  REAL product[MERGE_ITEMS] = {0};
  // Free until products take it.
  __local uint* const room = (__local uint*)products;
#ifdef COLUMNS_BLOCKED
  spread_heads(tile, kept + count + 1 + t, heads, words, room);
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  load_products(tile, rows, offsets, THE_COLUMNS, VALUES_FROM(tile.begin), x, room, product);
#ifdef COLUMNS_BLOCKED
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  __global ulong* const tails = tails_in(kept, count);
#ifdef NVIDIA_WARP
  if (tile.ending == 0) {
    const REAL sum = sum_of_tile(tile.count, product, sums);
    if (item == 0) publish(tails + t * PUBLISHED_WORDS, launch, sum);
    return;
  }
#endif
  const bool leave_first = began_before(tile, row_begin);
  const REAL head = walk_tile(tile, product, leave_first, (uint)(row_end - tile.begin), offsets,
                              alpha, beta, y, tails + t * PUBLISHED_WORDS, launch, products, ends, sums,
                              flags);
#ifdef NVIDIA_WARP
  if (!leave_first) return;
  const long first = (row_begin + tile.row) / TILE;
  const REAL before = sum_of_published(tails, first, t, launch, sums);
  if (item == 0) y[tile.row] = updated(alpha, before + head, beta, y, tile.row);
#else
  if (item == 0) heads_in(kept, count)[t] = head;
#endif
}

/// Where work-groups may not wait for others: one for each tile finishes the row that ends in it
/// and began before.
__kernel WORK_GROUP(GROUP) void merge_finish(long tiles, __global const OFFSET* offsets,
                                             REAL alpha, REAL beta, __global REAL* y,
                                             __global ulong* kept, uint launch) {
  __local REAL sums[GROUP];
  const long t = (long)get_group_id(0);
  const long row = (long)kept[t];
  const bool row_ends = (long)kept[t + 1] > row;
  const long begin = row_ends ? offsets[row] + row : t * TILE;
  const bool is_left = begin < t * TILE;
  REAL sum = share_of_published(tails_in(kept, tiles), is_left ? begin / TILE : t, t, launch, GROUP);
  sum = sum_over_lanes(sum, GROUP, sums);
  if (get_local_id(0) > 0 || !is_left) return;
  y[row] = updated(alpha, sum + heads_in(kept, tiles)[t], beta, y, row);
}
