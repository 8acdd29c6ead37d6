// Packets (packet.hpp) to CSR. A packet's start is (first row, first column of its piece, shift,
// whether it is direct).

/// A work-group for each packet, and at least one.
__kernel WORK_GROUP(GROUP) void fill_csr_from_packets(
    long rows, __global const OFFSET* offsets, __global const long4* packets,
    __global const int* pieces, __global const ushort* narrow, __global const int* wide,
    __global const REAL* values, __global int* offsets32, __global long* offsets64,
    __global int* csr_columns, __global REAL* csr_values) {
  const uint item = (uint)get_local_id(0);
  const long4 packet = packets[get_group_id(0)];
  const long end_row = packet.x < rows ? packets[get_group_id(0) + 1].x : rows;
  const long end = offsets[end_row];
  for (long k = offsets[packet.x] + item; k < end; k += GROUP) {
    csr_columns[k] =
        packet.w != 0 ? wide[k - packet.z] : pieces[packet.y + (long)narrow[k - packet.z]];
    csr_values[k] = values[k];
  }
  // The last packet writes the end of the last row, too.
  const long last = end_row == rows ? rows : end_row - 1;
  for (long row = packet.x + item; row <= last; row += GROUP) {
    if (offsets32) {
      offsets32[row] = (int)offsets[row];
    } else {
      offsets64[row] = offsets[row];
    }
  }
}
