// Reading text in blocks of whole lines.
#include "text_blocks.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>

namespace switchyard {
namespace {

/// zlib's reader, which also reads what is not compressed, straight into the caller's buffer.
class GzipInput {
 public:
  explicit GzipInput(const std::filesystem::path& file) : name_(file.string()) {
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored)) {
      throw Error(ErrorCode::IoError, "a directory is not a matrix file", name_);
    }
    errno = 0;
    file_.reset(gzopen(file.c_str(), "rbe"));
    if (!file_) fail_reading();
    gzbuffer(file_.get(), 1 << 18);
  }

  std::size_t operator()(char* to, std::size_t size) {
    errno = 0;
    const int got = gzread(file_.get(), to, static_cast<unsigned>(size));
    int state = Z_OK;
    gzerror(file_.get(), &state);
    if (state == Z_ERRNO) fail_reading();
    if (state == Z_MEM_ERROR) throw std::bad_alloc();
    if (got < 0 || state == Z_BUF_ERROR) {
      throw Error(ErrorCode::DataCorrupt, "the gzip stream is damaged or cut short", name_);
    }
    return static_cast<std::size_t>(got);
  }

 private:
  struct Close {
    void operator()(gzFile file) const noexcept { gzclose(file); }
  };

  [[noreturn]] void fail_reading() const {
    const int reason = errno;
    if (reason == 0 || reason == ENOMEM) throw std::bad_alloc();
    throw Error(ErrorCode::IoError,
                "cannot read: " + std::error_code(reason, std::generic_category()).message(),
                name_);
  }

  std::string name_;
  std::unique_ptr<gzFile_s, Close> file_;
};

/// Text in memory, in the place of a file.
class MemoryInput {
 public:
  explicit MemoryInput(std::string_view text) : rest_(text) {}

  std::size_t operator()(char* to, std::size_t size) {
    const std::size_t got = rest_.copy(to, size);
    rest_.remove_prefix(got);
    return got;
  }

 private:
  std::string_view rest_;
};

/// The bytes up to and with the last '\n'.
std::size_t whole_lines(std::string_view text) { return text.rfind('\n') + 1; }

}  // namespace

TextBlocks::TextBlocks(const std::filesystem::path& file)
    : read_([input = std::make_shared<GzipInput>(file)](char* to, std::size_t size) {
        return (*input)(to, size);
      }) {}

// A block for a short text is no longer than it, and one byte, at which its end is seen.
TextBlocks::TextBlocks(std::string_view text)
    : read_(MemoryInput(text)), capacity_(std::min(block_bytes, text.size() + 1)) {}

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
