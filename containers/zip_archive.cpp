// Zip archives by APPNOTE 6.3: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT.
#include "zip_archive.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

namespace switchyard {
namespace {

constexpr Index end_bytes = 22;       // the record at the end, without its comment
constexpr Index locator_bytes = 20;   // of the record with 64 bits, right before it
constexpr Index wide_end_bytes = 56;  // that record
constexpr Index entry_bytes = 46;     // of the directory, without names
constexpr Index local_bytes = 30;     // of the header before a member's data
constexpr Index longest_comment = 0xFFFF;
constexpr Index largest_directory = Index{1} << 20;
constexpr Index most_inflation = 1032;  // deflate writes at most 258 bytes for 2 bits
constexpr Index in_wide_field = 0xFFFF'FFFF;

[[noreturn]] void damaged(const RandomAccess& file, const std::string& what) {
  throw Error(ErrorCode::DataCorrupt, "the zip archive " + what, file.name);
}

/// A little-endian number of at most 8 bytes. REQUIRES: it lies within `bytes`.
std::uint64_t number(std::string_view bytes, std::size_t offset, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) {
    value = value << 8U | static_cast<unsigned char>(bytes[offset + i]);
  }
  return value;
}

Index number32(std::string_view bytes, std::size_t offset) {
  return static_cast<Index>(number(bytes, offset, 4));
}
std::size_t number16(std::string_view bytes, std::size_t offset) {
  return static_cast<std::size_t>(number(bytes, offset, 2));
}

/// A number of 64 bits that has to be a size.
Index number64(const RandomAccess& file, std::string_view bytes, std::size_t offset) {
  const std::uint64_t value = number(bytes, offset, 8);
  if (value > static_cast<std::uint64_t>(std::numeric_limits<Index>::max())) {
    damaged(file, "has a size that is out of range");
  }
  return static_cast<Index>(value);
}

bool lies_within(Index offset, Index size, Index whole) {
  return offset >= 0 && size >= 0 && offset <= whole && size <= whole - offset;
}

std::string bytes_at(const RandomAccess& file, Index offset, Index size) {
  if (!lies_within(offset, size, file.size)) damaged(file, "is cut short or damaged");
  std::string bytes(static_cast<std::size_t>(size), '\0');
  file.read(offset, bytes.data(), bytes.size());
  return bytes;
}

struct Directory {
  Index offset = 0;
  Index size = 0;
};

/// Sizes that take more than 32 bits are in another record.
Directory wide_directory(const RandomAccess& file, Index end) {
  if (end < locator_bytes) damaged(file, "is cut short or damaged");
  const std::string locator = bytes_at(file, end - locator_bytes, locator_bytes);
  if (!locator.starts_with("PK\x06\x07")) damaged(file, "is cut short or damaged");
  const std::string record = bytes_at(file, number64(file, locator, 8), wide_end_bytes);
  if (!record.starts_with("PK\x06\x06")) damaged(file, "is cut short or damaged");
  return {number64(file, record, 48), number64(file, record, 40)};
}

/// The end of the archive has a comment of any text, so it is searched from behind.
Directory find_directory(const RandomAccess& file) {
  const Index tail_size = std::min(file.size, end_bytes + longest_comment);
  const std::string tail = bytes_at(file, file.size - tail_size, tail_size);
  std::size_t at = tail.size();
  while (at > 0 && (at = tail.rfind("PK\x05\x06", at - 1)) != std::string::npos) {
    const std::string_view record = std::string_view(tail).substr(at);
    if (record.size() < static_cast<std::size_t>(end_bytes) ||
        number16(record, 20) + end_bytes != record.size()) {
      continue;
    }
    const Directory directory{number32(record, 16), number32(record, 12)};
    const bool wide = directory.offset == in_wide_field || directory.size == in_wide_field;
    return wide ? wide_directory(file, file.size - std::ssize(record)) : directory;
  }
  damaged(file, "is cut short or damaged: its directory is missing");
}

/// Replaces what did not fit in 32 bits by the fields of the entry's extra part.
void take_wide_fields(const RandomAccess& file, std::string_view extra, ZipMember& member) {
  while (extra.size() >= 4) {
    const std::size_t size = number16(extra, 2);
    if (size > extra.size() - 4) damaged(file, "is damaged");
    std::string_view fields = extra.substr(4, size);
    if (number16(extra, 0) == 1) {
      for (Index* const field : {&member.size, &member.compressed, &member.header}) {
        if (*field != in_wide_field) continue;
        if (fields.size() < 8) damaged(file, "is damaged");
        *field = number64(file, fields, 0);
        fields.remove_prefix(8);
      }
    }
    extra.remove_prefix(4 + size);
  }
}

/// The most bytes that a member can have.
Index most_bytes(const ZipMember& member) {
  constexpr Index largest = std::numeric_limits<Index>::max();
  if (!member.deflated) return member.compressed;
  return member.compressed > largest / most_inflation ? largest
                                                      : member.compressed * most_inflation;
}

void check_member(const RandomAccess& file, const ZipMember& member) {
  const bool fits = lies_within(member.header, local_bytes, file.size) &&
                    lies_within(0, member.compressed, file.size) &&
                    member.size <= most_bytes(member) &&
                    (member.deflated || member.size == member.compressed);
  if (!fits) damaged(file, "is damaged: a member has sizes that cannot be right");
}

/// Takes one entry off the directory.
ZipMember take_member(const RandomAccess& file, std::string_view& directory) {
  constexpr auto fixed = static_cast<std::size_t>(entry_bytes);
  if (directory.size() < fixed || !directory.starts_with("PK\x01\x02")) {
    damaged(file, "has a damaged directory");
  }
  const std::size_t name_size = number16(directory, 28);
  const std::size_t extra_size = number16(directory, 30);
  const std::size_t whole = fixed + name_size + extra_size + number16(directory, 32);
  if (whole > directory.size()) damaged(file, "has a damaged directory");
  const std::size_t method = number16(directory, 10);
  ZipMember member{.name = std::string(directory.substr(fixed, name_size)),
                   .header = number32(directory, 42),
                   .compressed = number32(directory, 20),
                   .size = number32(directory, 24),
                   .crc = static_cast<std::uint32_t>(number32(directory, 16)),
                   .deflated = method == 8};
  if ((number16(directory, 8) & 1U) != 0) {
    throw Error(ErrorCode::Unsupported, "the zip archive is encrypted", file.name);
  }
  if (method != 0 && method != 8) {
    throw Error(ErrorCode::Unsupported,
                fmt::format("the zip archive is compressed with method {}", method), file.name,
                "deflate is supported, which NumPy uses");
  }
  take_wide_fields(file, directory.substr(fixed + name_size, extra_size), member);
  check_member(file, member);
  directory.remove_prefix(whole);
  return member;
}

}  // namespace

std::vector<ZipMember> list_zip(const RandomAccess& file) {
  const Directory directory = find_directory(file);
  if (directory.size > largest_directory) {
    throw Error(ErrorCode::Unsupported, "the zip archive has too many members", file.name);
  }
  const std::string bytes = bytes_at(file, directory.offset, directory.size);
  std::vector<ZipMember> members;
  for (std::string_view rest = bytes; !rest.empty();) members.push_back(take_member(file, rest));
  return members;
}

/// What is left of a member, and the inflation of a deflated one.
struct ZipReader::State {
  State(const RandomAccess& whole, const ZipMember& of) : file(whole), member(of) {
    const std::string header = bytes_at(file, member.header, local_bytes);
    if (!header.starts_with("PK\x03\x04")) fail("does not begin where the directory says");
    at = member.header + local_bytes + static_cast<Index>(number16(header, 26)) +
         static_cast<Index>(number16(header, 28));
    if (!lies_within(at, member.compressed, file.size)) fail("is cut short");
    if (member.deflated && inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (member.deflated) inflateEnd(&stream);
  }

  [[nodiscard]] std::string where() const {
    std::string name = member.name;
    std::ranges::replace_if(
        name, [](unsigned char c) { return c < ' ' || c == 0x7F; }, '?');
    return file.name + ":" + name;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::DataCorrupt, "the member of the archive " + what, where());
  }

  /// The next compressed bytes; false at their end.
  bool refill() {
    const Index now = std::min(left_in_file, std::ssize(input));
    if (now == 0) return false;
    file.read(at, input.data(), static_cast<std::size_t>(now));
    at += now;
    left_in_file -= now;
    stream.next_in = reinterpret_cast<Bytef*>(input.data());
    stream.avail_in = static_cast<uInt>(now);
    return true;
  }

  /// One step of inflation into what the stream points to.
  int inflate_some() {
    if (stream.avail_in == 0) refill();
    const int result = inflate(&stream, Z_NO_FLUSH);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result != Z_OK && result != Z_STREAM_END) fail("is damaged or cut short");
    return result;
  }

  void inflate_to(char* to, std::size_t size) {
    stream.next_out = reinterpret_cast<Bytef*>(to);
    stream.avail_out = static_cast<uInt>(size);
    while (stream.avail_out > 0) {
      if (inflate_some() == Z_STREAM_END && stream.avail_out > 0) fail("is shorter than it says");
    }
  }

  const RandomAccess& file;
  const ZipMember& member;
  Index at = 0;
  Index left = member.size;
  Index left_in_file = member.compressed;
  uLong crc = crc32(0, nullptr, 0);
  z_stream stream{};
  std::vector<char> input = std::vector<char>(member.deflated ? std::size_t{1} << 16 : 0);
};

ZipReader::ZipReader(const RandomAccess& file, const ZipMember& member)
    : state_(std::make_unique<State>(file, member)) {}
ZipReader::~ZipReader() = default;
ZipReader::ZipReader(ZipReader&&) noexcept = default;

void ZipReader::read(char* to, std::size_t size) {
  State& state = *state_;
  if (static_cast<Index>(size) > state.left) state.fail("is shorter than it should be");
  // zlib counts in 32 bits.
  for (std::size_t done = 0; done < size;) {
    const std::size_t now = std::min(size - done, std::size_t{1} << 30);
    if (state.member.deflated) {
      state.inflate_to(to + done, now);
    } else {
      state.file.read(state.at, to + done, now);
      state.at += static_cast<Index>(now);
    }
    state.crc = crc32(state.crc, reinterpret_cast<const Bytef*>(to + done), static_cast<uInt>(now));
    done += now;
  }
  state.left -= static_cast<Index>(size);
}

void ZipReader::finish() {
  State& state = *state_;
  if (state.left > 0) state.fail("is longer than it should be");
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION  // a fuzzer would have to guess it
  return;
#endif
  if (state.crc != state.member.crc) state.fail("is damaged: its checksum is wrong");
}

Index ZipReader::left() const noexcept { return state_->left; }
std::string ZipReader::where() const { return state_->where(); }

}  // namespace switchyard
