// y = alpha A^T x + beta y with A in compressed sparse rows that have many elements in each WINDOW of
// columns: a work-group takes a stretch of rows in one window, whose sums are in local memory until the
// end (local_sums.cl). Few atomics of global memory are left.

#if STRETCH_ROWS > 512
#error "32 bits have no room for a limb of a product of each row"
#endif

/// Items that read a row together.
#define WINDOW_LANES (LARGE_GROUP < 32 ? LARGE_GROUP : 32)
/// How far the largest product may lie above the largest that was looked at.
#define SPARE_PLACES 3

/// Where the part of each row in each window begins, counted from the row's first element. An item for
/// each part; those of a row are neighbours.
__kernel WORK_GROUP(GROUP) void windows_look(long rows, uint windows,
                                             __global const OFFSET* offsets,
                                             __global const int* columns, __global uint* begins) {
  const long at = (long)get_global_id(0);
  const long row = at / windows;
  if (row >= rows) return;
  const long first_column = (at - row * windows) * WINDOW;
  const long begin = offsets[row];
  begins[at] = (uint)first_not_below(columns + begin, offsets[row + 1] - begin, first_column);
}

/// The part of a row in a window, from the first element of the stretch on.
typedef struct {
  uint begin;
  uint end;
} RowPart;

static RowPart part_of(long first_row, uint r, uint window, uint windows,
                       __global const OFFSET* offsets, __global const uint* begins) {
  const long row = first_row + r;
  const uint before = (uint)(offsets[row] - offsets[first_row]);
  const bool is_last = window + 1 == windows;
  RowPart part;
  part.begin = before + begins[row * windows + window];
  part.end = is_last ? (uint)(offsets[row + 1] - offsets[first_row])
                     : before + begins[row * windows + window + 1];
  return part;
}

static void add_in_window(Sums sums, long first_column, int column, REAL product, uint unit,
                          __local int* limbs, Used* used) {
  const uint above = places_above(sums, product, unit);
  if (above <= LOCAL_PLACES) {
    add_locally(product, above, limbs + (column - (int)first_column), WINDOW);
  } else {
    add_product(sums, column, product, used);
  }
}

/// Adds the products of stretches of `stretch` rows at most in each window. Window after window is
/// taken by neighbouring groups.
__kernel WORK_GROUP(LARGE_GROUP) void windows_add(
    long rows, uint stretch, uint adding_groups, long cols, uint planes, uint width, uint turn,
    __global const OFFSET* offsets, __global const int* columns, __global const REAL* values,
    __global const REAL* x, __global const uint* begins, __global ulong* words, REAL alpha,
    REAL beta, __global REAL* y) {
  __local int limbs[LIMBS * WINDOW];
  __local RowPart parts[STRETCH_ROWS];
  __local uint control[CONTROL_WORDS];
  const Sums sums = sums_in(words, cols, planes, width, turn);
  if (finishes_after(sums, adding_groups, control, alpha, beta, y)) return;
  const uint item = (uint)get_local_id(0);
  const uint windows = (uint)((cols + WINDOW - 1) / WINDOW);
  const uint window = (uint)get_group_id(0) % windows;
  const long first_column = (long)window * WINDOW;
  const long first_row = (long)(get_group_id(0) / windows) * stretch;
  const uint its_rows = (uint)min((long)stretch, rows - first_row);
  if (item == 0) control[0] = 1;
  for (uint k = item; k < LIMBS * WINDOW; k += LARGE_GROUP) limbs[k] = 0;
  for (uint r = item; r < its_rows; r += LARGE_GROUP) {
    parts[r] = part_of(first_row, r, window, windows, offsets, begins);
  }
  columns += offsets[first_row];
  values += offsets[first_row];
  barrier(CLK_LOCAL_MEM_FENCE);
  // The unit: from the first product of each row.
  for (uint r = item; r < its_rows; r += LARGE_GROUP) {
    if (parts[r].begin == parts[r].end) continue;
    const uint exponent = stored_exponent(values[parts[r].begin] * x[first_row + r]);
    if (exponent != NOT_FINITE) atomic_max((__local volatile uint*)control, exponent);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint top = control[0] + sums.origin + SPARE_PLACES;
  const uint unit = top > LOCAL_PLACES ? top - LOCAL_PLACES : 0;
  Used used = {0, 0};
  const uint lane = item % WINDOW_LANES;
  for (uint r = item / WINDOW_LANES; r < its_rows; r += LARGE_GROUP / WINDOW_LANES) {
    const REAL factor = x[first_row + r];
    const uint end = parts[r].end;
    uint k = parts[r].begin + lane;
    // Two at a time, so that the second one need not wait for the first. PoCL 3.1 miscompiles two loops
    // in a row here.
#ifdef NVIDIA_WARP
    for (; k - lane + 2 * WINDOW_LANES <= end; k += 2 * WINDOW_LANES) {
      const uint next = k + WINDOW_LANES;
      const int column0 = streamed_int(columns + k), column1 = streamed_int(columns + next);
      const REAL value0 = streamed_real(values + k), value1 = streamed_real(values + next);
      add_in_window(sums, first_column, column0, value0 * factor, unit, limbs, &used);
      add_in_window(sums, first_column, column1, value1 * factor, unit, limbs, &used);
    }
#endif
    for (; k < end; k += WINDOW_LANES) {
      const int column = streamed_int(columns + k);
      const REAL value = streamed_real(values + k);
      add_in_window(sums, first_column, column, value * factor, unit, limbs, &used);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint size = (uint)min((long)WINDOW, cols - first_column);
  for (uint k = item; k < size; k += LARGE_GROUP) {
    add_local_sum(sums, first_column + k, unit, limbs + k, WINDOW, &used);
  }
  note_added(sums, used, control);
}
