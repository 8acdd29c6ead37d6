// How formats keep columns and values in fewer bytes, without losing a bit of them.
#pragma once

#include <cstdint>

namespace switchyard {

/// How a format keeps the columns of its elements.
enum class ColumnCoding : std::uint8_t {
  Plain,     ///< in 32 bits each, or not at all
  Tiled16,   ///< in 16 bits each, from a base for each tile of rows; in 32 where a tile spans more
  Blocked8,  ///< in 8 bits each; where a row enters a block of 256 columns, a head says which
};

/// How a format keeps the values of its elements. Values with equal bits are the same: -0 and 0 are
/// two values, and so are two NaNs with different payloads.
enum class ValueCoding : std::uint8_t {
  Plain,        ///< each of them
  Constant,     ///< one, which all elements have
  Dictionary8,  ///< up to 256 values, and a byte for each element that says which
};

/// The values that `Dictionary8` distinguishes.
inline constexpr int dictionary8_values = 256;

}  // namespace switchyard
