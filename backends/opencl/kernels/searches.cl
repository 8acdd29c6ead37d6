// Searches in ascending numbers: the columns of a row, and the offsets of rows.

/// The first k < length with columns[k] >= bound, or length.
static long first_not_below(__global const int* columns, long length, long bound) {
  long low = 0, high = length;
  while (low < high) {
    const long middle = low + (high - low) / 2;
    if (columns[middle] < bound) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// The last row from `first` to `last` that begins at element k or before: the row of that element.
static long row_with(__global const OFFSET* offsets, long first, long last, long k) {
  while (first < last) {
    const long middle = first + (last - first + 1) / 2;
    if (offsets[middle] <= k) {
      first = middle;
    } else {
      last = middle - 1;
    }
  }
  return first;
}
