// The first lines of a Matrix Market file: what is in it and how much.
#pragma once

#include <string>
#include <string_view>
#include <switchyard/containers/matrix_market.hpp>

#include "text_blocks.hpp"

namespace switchyard {

enum class Layout { Coordinate, Array };
enum class Field { Real, Integer, Pattern };
enum class Symmetry { General, Symmetric, Skew };

struct MatrixMarketHeader {
  Layout layout = Layout::Coordinate;
  Field field = Field::Real;
  Symmetry symmetry = Symmetry::General;
  Index rows = 0;
  Index cols = 0;
  Index entries = 0;        ///< lines with an entry that must follow
  Index line = 0;           ///< of the sizes
  Index further_words = 0;  ///< lines that had words too many, which were ignored
};

/// Reads up to and with the line of sizes, and leaves the rest of that block in `block.text`.
/// Throws `LineError` with the line counted from the beginning of the file.
[[nodiscard]] MatrixMarketHeader read_header(TextBlocks& blocks, TextBlock& block,
                                             const ReadOptions& options);

}  // namespace switchyard
