// The rows of a matrix in compressed rows, in the order of their bins. A bin has rows of similar
// length. Rows that are too long for the widest bin are cut into pieces.

/// Bin 0 is of pieces; the others have 32, 16, 8, 4, 2 and 1 items for a row.
#define BINS 7
/// The longest row that is not cut.
#define LONGEST_WHOLE 128
/// Elements of a piece, but the last of a row.
#define PIECE (4 * GROUP)
// What is kept beside a matrix, in words of 64 bits: for each bin the first group that works on it (in
// the upper half) and its first entry; the same for what is after the last bin; two words for each
// entry; a word for each piece; what each piece publishes. An entry is a row or a piece: where it
// begins; the row (48 bits) and the length (16 bits). The word of a piece is twice the number of
// pieces of its row before it, plus 1 where it is the last. So the offsets of the matrix are not
// needed, and a launch has a buffer less to pass. The host counts on this layout.
#define HEADER (BINS + 1)

static __global ulong2* entries_in(__global ulong* kept) { return (__global ulong2*)(kept + HEADER); }

static __global ulong* pieces_in(__global ulong* kept, ulong entries) {
  return kept + HEADER + 2 * entries;
}

static __global ulong* parts_in(__global ulong* kept, ulong entries, ulong pieces) {
  return pieces_in(kept, entries) + pieces;
}

static uint lanes_of_bin(uint bin) {
  return bin == 0 || GROUP < 64 >> bin ? GROUP : 64 >> bin;
}

