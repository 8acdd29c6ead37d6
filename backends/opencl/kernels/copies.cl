// Copies from global to local memory that go on while items compute. Stands before the kernels that
// use them.

/// Tiles in local memory: one is multiplied while the next is copied. Where copies are loads and stores
/// of the items, a second one would only take room: local memory may have 32 KB.
#ifdef COPIES_AHEAD
#define STAGES 2
#else
#define STAGES 1
#endif

/// Starts to copy 16 bytes, or clears them where `there` is false; `from` is then not read. Both
/// addresses are multiples of 16 bytes.
INLINED void copy_wide(__local REAL* to, __global const REAL* from, bool there) {
#ifdef COPIES_AHEAD
  __asm__ volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;"
                   :
                   : "l"(to), "l"(from), "r"(there ? 16u : 0u)
                   : "memory");
#else
  const WIDE none = 0;
  *(__local WIDE*)to = there ? *(__global const WIDE*)from : none;
#endif
}

/// The same of one element, at any address.
INLINED void copy_one(__local REAL* to, __global const REAL* from, bool there) {
#if defined COPIES_AHEAD && defined REAL_IS_DOUBLE
  __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;"
                   :
                   : "l"(to), "l"(from), "r"(there ? 8u : 0u)
                   : "memory");
#elif defined COPIES_AHEAD
  __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                   :
                   : "l"(to), "l"(from), "r"(there ? 4u : 0u)
                   : "memory");
#else
  *to = there ? *from : 0;
#endif
}

/// The copies that this item started are there. What others copied is there after a barrier.
INLINED void wait_for_own_copies(void) {
#ifdef COPIES_AHEAD
  __asm__ volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// Where an element of a tile of X belongs: number `j` of its rows, column `c` of the panel. Tiles
/// have `columns` columns. Groups of `rows` rows are followed by `pad` elements, so that neighbouring
/// items, which read neighbouring groups, read from different banks.
typedef struct {
  uint columns;
  uint rows;
  uint pad;
} TileOfX;

INLINED uint place_in(TileOfX tile, uint j, uint c) {
  return j * tile.columns + j / tile.rows * tile.pad + c;
}

/// Starts to copy `height` rows of X from `row` on to a tile: the columns from `first` on, of `k`.
/// Clears what is beyond row `end` or beyond X. All `items` items of the group come here; everything
/// but `row`, `end`, `first` and `k` is known when compiling.
INLINED void copy_rows_of_x(__local REAL* to, TileOfX tile, uint height, long row, long end,
                            uint first, uint k, __global const REAL* x, uint items) {
  const uint item = (uint)get_local_id(0);
  if (tile.columns % WIDE_LENGTH == 0 && k % WIDE_LENGTH == 0) {
    UNROLLED
    for (uint e = item * WIDE_LENGTH; e < height * tile.columns; e += items * WIDE_LENGTH) {
      const uint j = e / tile.columns, c = e % tile.columns;
      const bool there = row + j < end && first + c < k;
      copy_wide(to + place_in(tile, j, c), there ? x + (row + j) * k + first + c : x, there);
    }
    return;
  }
  NOT_UNROLLED
  for (uint e = item; e < height * tile.columns; e += items) {
    const uint j = e / tile.columns, c = e % tile.columns;
    const bool there = row + j < end && first + c < k;
    copy_one(to + place_in(tile, j, c), there ? x + (row + j) * k + first + c : x, there);
  }
}
