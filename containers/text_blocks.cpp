// Reading text in blocks of whole lines.
#include "text_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace switchyard {
namespace {

/// The bytes up to and with the last '\n'.
std::size_t whole_lines(std::string_view text) { return text.rfind('\n') + 1; }

}  // namespace

TextBlocks::TextBlocks(ByteSource source) : read_(std::move(source)) {}

// A block for a short text is no longer than it, and one byte, at which its end is seen.
TextBlocks::TextBlocks(std::string_view text)
    : read_(bytes_of(text)), capacity_(std::min(block_bytes, text.size() + 1)) {}

bool TextBlocks::next(TextBlock& block) {
  // One byte more than is read, for the '\n' that may be missing at the end of the file.
  if (!block.buffer) block.buffer = std::make_unique_for_overwrite<char[]>(capacity_ + 1);
  char* const buffer = block.buffer.get();
  std::size_t size = carry_.copy(buffer, carry_.size());
  carry_.clear();
  while (!ended_ && size < capacity_) {
    const std::size_t got = read_(buffer + size, capacity_ - size);
    ended_ = got == 0;
    size += got;
    bytes_ += static_cast<Index>(got);
  }
  if (size == 0) return false;
  if (ended_ && buffer[size - 1] != '\n') buffer[size++] = '\n';
  const std::size_t whole = whole_lines({buffer, size});
  if (whole == 0) {
    throw LineError{ErrorCode::ParseError,
                    fmt::format("the line is longer than {} bytes", block_bytes), 1};
  }
  carry_.assign(buffer + whole, size - whole);
  block.text = {buffer, whole};
  return true;
}

}  // namespace switchyard
