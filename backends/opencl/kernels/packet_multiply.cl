// y = alpha A x + beta y with A in packets (packet.hpp). A packet's start is (first row, first
// column of its piece, shift, whether it is direct).

/// The most columns of a piece (packet_columns): 16 KiB in double.
#define PIECE 2048

/// The part of a row's sum that falls to one lane, with columns that are places in the piece.
static REAL dot_of_piece(long begin, long end, long shift, __global const ushort* narrow,
                         __global const REAL* values, __local const REAL* piece, uint lane,
                         uint lanes) {
  REAL sum0 = 0, sum1 = 0;
  long k = begin + lane;
  for (; k + lanes < end; k += 2 * lanes) {
    const uint place0 = narrow[k - shift], place1 = narrow[k - shift + lanes];
    const REAL value0 = values[k], value1 = values[k + lanes];
    sum0 += value0 * piece[place0];
    sum1 += value1 * piece[place1];
  }
  if (k < end) sum0 += values[k] * piece[narrow[k - shift]];
  return sum0 + sum1;
}

/// A work-group for each packet: it copies the elements of x that the packet touches to local
/// memory, and then `lanes` items sum each of its rows. All items sum the one row of a direct packet.
__kernel WORK_GROUP(GROUP) void packet_rows(uint lanes, __global const OFFSET* offsets,
                                            __global const long4* packets,
                                            __global const int* pieces,
                                            __global const ushort* narrow,
                                            __global const int* wide, __global const REAL* values,
                                            REAL alpha, __global const REAL* x, REAL beta,
                                            __global REAL* y) {
  __local REAL piece[PIECE];
  __local REAL scratch[GROUP];
  const uint item = (uint)get_local_id(0);
  const long4 packet = packets[get_group_id(0)];
  const long4 next = packets[get_group_id(0) + 1];
  const bool is_direct = packet.w != 0;
  const uint columns = (uint)(next.y - packet.y);
  for (uint c = item; c < columns; c += GROUP) piece[c] = x[pieces[packet.y + c]];
  barrier(CLK_LOCAL_MEM_FENCE);

  const uint sharing = is_direct ? GROUP : lanes;
  const uint lane = lane_of(sharing);
  for (long first = packet.x; first < next.x; first += GROUP >> log2_of(sharing)) {
    const long row = first + (item >> log2_of(sharing));
    const bool inside = row < next.x;
    REAL sum = 0;
    if (inside) {
      const long begin = offsets[row], end = offsets[row + 1];
      if (is_direct) {
        sum = csr_lane_dot(0, (uint)(end - begin), wide + (begin - packet.z), values + begin, x,
                           lane, sharing);
      } else {
        sum = dot_of_piece(begin, end, packet.z, narrow, values, piece, lane, sharing);
      }
    }
    sum = sum_over_lanes(sum, sharing, scratch);
    if (lane == 0 && inside) y[row] = updated(alpha, sum, beta, y, row);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
