// Tiles of elements of CSR, as in element_rows.cl.
#pragma once

#include "device.hpp"
#include "lanes.hpp"

namespace switchyard::opencl {

/// Elements of the tile of a work-group of `group` items.
[[nodiscard]] constexpr Index tile_elements(Index group) noexcept {
  return group * (group < 4 ? 32 : 8);
}

/// The row of the first element of each tile, and of the last of all, as the program of that key
/// finds them. REQUIRES: its files have element_rows.cl among them; nnz > 0.
template <class Offset>
[[nodiscard]] Array<std::int64_t> rows_of_tiles(Device& device, const ProgramKey& key, Index rows,
                                                Index nnz, const Array<Offset>& offsets,
                                                Index tiles) {
  Array<std::int64_t> found(tiles + 1, device.memory());
  Kernel& find = device.kernel(key, "find_tile_rows");
  device.launch(find, divided_up(found.size(), find.group), tiles, rows, nnz, offsets, found);
  return found;
}

}  // namespace switchyard::opencl
