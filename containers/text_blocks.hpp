// The lines of a text in blocks for several threads to parse.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <switchyard/containers/numbers.hpp>

#include "byte_source.hpp"

namespace switchyard {

/// Some whole lines, each with its '\n', also the last one of a file that lacks it.
struct TextBlock {
  std::unique_ptr<char[]> buffer;
  std::string_view text;
};

/// A failure at a line counted from the beginning of its block, 1 being the first.
struct LineError {
  ErrorCode code;
  std::string what;
  Index line;
  std::string hint = {};
};

/// Reads a text block by block. Whoever reads a gzipped file holds up the others only while a block
/// is decompressed, so that parsing goes on beside it; and no more of the text is in memory than
/// one block for each thread. One thread at a time.
class TextBlocks {
 public:
  explicit TextBlocks(ByteSource source);
  /// Text that outlives this object.
  explicit TextBlocks(std::string_view text);

  static constexpr std::size_t block_bytes = std::size_t{1} << 20;

  /// Fills `block`; false at the end. Throws `LineError` for a line longer than a block,
  /// and what the source throws.
  bool next(TextBlock& block);

  /// Whether everything has been handed out.
  [[nodiscard]] bool at_end() const noexcept { return ended_ && carry_.empty(); }
  /// Bytes of (decompressed) text so far.
  [[nodiscard]] Index bytes() const noexcept { return bytes_; }

 private:
  ByteSource read_;
  std::size_t capacity_ = block_bytes;
  std::string carry_;  // the beginning of a line whose end is in the next block
  bool ended_ = false;
  Index bytes_ = 0;
};

}  // namespace switchyard
