// Walking over the members of a tar archive: ustar, and the longer names and sizes of GNU and pax.
// libarchive reads more kinds of archive, and needs a dozen libraries wherever this one runs.
#include "tar_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <switchyard/containers/error.hpp>
#include <switchyard/containers/numbers.hpp>
#include <vector>

#include "text_numbers.hpp"

namespace switchyard {
namespace {

constexpr std::size_t block_bytes = 512;
constexpr Index longest_name = Index{1} << 16;  // of the members that only hold a name or a size

/// A field of a header, at an offset that POSIX fixes.
struct Field {
  std::size_t offset;
  std::size_t size;
};
constexpr Field name_field{0, 100};
constexpr Field size_field{124, 12};
constexpr Field checksum_field{148, 8};
constexpr std::size_t kind_offset = 156;
constexpr std::size_t magic_offset = 257;
constexpr Field prefix_field{345, 155};

std::string_view text_of(std::string_view block, Field field) {
  const std::string_view text = block.substr(field.offset, field.size);
  return text.substr(0, text.find('\0'));
}

/// An octal number, or a binary one where its first bit is set; nothing where it is neither or
/// does not fit.
std::optional<Index> number_of(std::string_view block, Field field) {
  std::string_view text = block.substr(field.offset, field.size);
  Index value = 0;
  if ((static_cast<unsigned char>(text.front()) & 0x80U) != 0) {
    if (static_cast<unsigned char>(text.front()) != 0x80U) return std::nullopt;
    for (const char c : text.substr(1)) {
      if (__builtin_mul_overflow(value, Index{256}, &value)) return std::nullopt;
      value += static_cast<unsigned char>(c);
    }
    return value;
  }
  text = text_of(block, field);
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (text.empty()) return 0;
  const auto [last, failure] = std::from_chars(text.data(), text.data() + text.size(), value, 8);
  if (failure != std::errc() || last != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

bool has_checksum(std::string_view block) {
  Index sum = 0;
  for (std::size_t i = 0; i < block_bytes; ++i) {
    const bool within =
        i >= checksum_field.offset && i < checksum_field.offset + checksum_field.size;
    sum += within ? ' ' : static_cast<unsigned char>(block[i]);
  }
  return number_of(block, checksum_field) == sum;
}

/// Archives older than the magic word have the checksum alone.
bool is_tar(std::string_view begin) {
  if (begin.size() < block_bytes) return false;
  return begin.substr(magic_offset).starts_with("ustar") ||
         (begin.front() != '\0' && has_checksum(begin));
}

bool is_zero(std::string_view block) {
  return block.find_first_not_of('\0') == std::string_view::npos;
}

/// A member whose data come next.
struct Member {
  std::string name;
  Index size = 0;
  char kind = '0';

  [[nodiscard]] bool is_file() const noexcept { return kind == '0' || kind == '\0' || kind == '7'; }
};

/// Reads an archive from its beginning to its end.
class TarReader {
 public:
  TarReader(ByteSource source, std::string name)
      : source_(std::move(source)), name_(std::move(name)) {}

  /// The next member that is no description of another; nothing at the end. Its data have to be
  /// skipped or read.
  std::optional<Member> next() {
    std::string long_name;
    std::optional<Index> long_size;
    std::array<char, block_bytes> block{};
    for (;;) {
      if (!read_block(block)) return std::nullopt;
      const std::string_view header(block.data(), block.size());
      if (is_zero(header)) return std::nullopt;
      Member member = member_of(header);
      if (member.kind == 'L') {
        long_name = data_of(member);
        long_name.resize(std::min(long_name.find('\0'), long_name.size()));
      } else if (member.kind == 'x') {
        take_records(data_of(member), long_name, long_size);
      } else if (member.kind == 'g' || member.kind == 'K') {
        skip(member.size);
      } else {
        if (!long_name.empty()) member.name = long_name;
        if (long_size) member.size = *long_size;
        return member;
      }
    }
  }

  /// Passes over the data of a member.
  void skip(Index size) {
    std::vector<char> thrown(std::size_t{1} << 16);
    for (Index left = padded(size); left > 0;) {
      const auto wanted = std::min(left, std::ssize(thrown));
      read(thrown.data(), static_cast<std::size_t>(wanted));
      left -= wanted;
    }
  }

  void read(char* to, std::size_t size) {
    if (source_(to, size) != size) damaged("is cut short");
  }

  [[noreturn]] void damaged(const std::string& what) const {
    throw Error(ErrorCode::DataCorrupt, "the tar archive " + what, name_);
  }

 private:
  /// False at the end of a file that lacks the two blocks of zeros.
  bool read_block(std::array<char, block_bytes>& block) {
    const std::size_t got = source_(block.data(), block.size());
    if (got != 0 && got != block.size()) damaged("is cut short");
    return got != 0;
  }

  [[nodiscard]] Index padded(Index size) const {
    constexpr auto unit = static_cast<Index>(block_bytes);
    Index up = 0;
    if (__builtin_add_overflow(size, unit - 1, &up)) damaged("has a member of an impossible size");
    return up / unit * unit;
  }

  [[nodiscard]] Member member_of(std::string_view header) const {
    if (!has_checksum(header)) damaged("is damaged: a header's checksum is wrong");
    const auto size = number_of(header, size_field);
    if (!size) damaged("has a member whose size is no number");
    std::string name(text_of(header, name_field));
    // GNU tar has other things where ustar has the first part of the name.
    const bool ustar = header.substr(magic_offset).starts_with(std::string_view("ustar\0", 6));
    const std::string prefix(ustar ? text_of(header, prefix_field) : "");
    if (!prefix.empty()) name = prefix + "/" + name;
    return {std::move(name), *size, header[kind_offset]};
  }

  std::string data_of(const Member& member) {
    if (member.size > longest_name) damaged("describes a member at impossible length");
    std::string data(static_cast<std::size_t>(padded(member.size)), '\0');
    read(data.data(), data.size());
    data.resize(static_cast<std::size_t>(member.size));
    return data;
  }

  /// Lines "LENGTH KEY=VALUE\n" of a pax header.
  void take_records(std::string_view records, std::string& path, std::optional<Index>& size) const {
    while (!records.empty()) {
      std::size_t length = 0;
      const char* const end = records.data() + records.size();
      const auto [last, failure] = std::from_chars(records.data(), end, length);
      const auto digits = static_cast<std::size_t>(last - records.data());
      if (failure != std::errc() || length < digits + 2 || length > records.size()) {
        damaged("has a pax header that is none");
      }
      take_record(records.substr(digits + 1, length - digits - 2), path, size);
      records.remove_prefix(length);
    }
  }

  void take_record(std::string_view record, std::string& path, std::optional<Index>& size) const {
    if (record.starts_with("path=")) path = record.substr(5);
    if (!record.starts_with("size=")) return;
    Index value = 0;
    const char* const end = record.data() + record.size();
    const auto [last, failure] = std::from_chars(record.data() + 5, end, value);
    if (failure != std::errc() || last != end || value < 0) damaged("has a size that is no number");
    size = value;
  }

  ByteSource source_;
  std::string name_;
};

/// The last part of a path.
std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// A file that could be a matrix. What macOS adds to archives begins with a dot.
bool is_matrix(const Member& member) {
  return member.is_file() && member.name.ends_with(".mtx") &&
         !last_part(member.name).starts_with('.');
}

/// DIR/NAME.mtx with DIR equal to NAME.
bool is_main_matrix(const Member& member) {
  const std::string_view path = member.name;
  const std::string_view file = last_part(path);
  if (!is_matrix(member) || file.size() == path.size()) return false;
  const std::string_view folder = last_part(path.substr(0, path.size() - file.size() - 1));
  return folder.size() + 4 == file.size() && file.starts_with(folder);
}

/// The data of one member, which come next in the archive.
ByteSource data_source(TarReader reader, Index size) {
  return [reader = std::move(reader), left = size](char* to, std::size_t wanted) mutable {
    const auto now = std::min(left, static_cast<Index>(wanted));
    reader.read(to, static_cast<std::size_t>(now));
    left -= now;
    return static_cast<std::size_t>(now);
  };
}

/// Which members could be meant, from one walk over the archive.
struct Candidates {
  std::string first;
  Index count = 0;
};

/// The main matrix if there is one; else `candidates` is filled in.
std::optional<MatrixText> find_main(TarReader reader, Candidates& candidates) {
  while (const auto member = reader.next()) {
    if (is_main_matrix(*member)) return MatrixText{data_source(reader, member->size), member->name};
    if (is_matrix(*member) && candidates.count++ == 0) candidates.first = member->name;
    reader.skip(member->size);
  }
  return std::nullopt;
}

void check_candidates(const Candidates& candidates, const std::string& name) {
  constexpr auto hint = "unpack it with 'tar xf FILE' and give the .mtx file inside";
  if (candidates.count == 0) {
    throw Error(ErrorCode::Unsupported, "the tar archive holds no .mtx file", name);
  }
  if (candidates.count == 1) return;
  throw Error(ErrorCode::Unsupported,
              fmt::format("the tar archive holds {} .mtx files, and none is called NAME/NAME.mtx",
                          candidates.count),
              name, hint);
}

/// The member of that name, from a second walk.
MatrixText find_named(TarReader reader, const std::string& wanted) {
  while (const auto member = reader.next()) {
    if (member->name == wanted && is_matrix(*member)) {
      return {data_source(reader, member->size), wanted};
    }
    reader.skip(member->size);
  }
  reader.damaged("changed while it was read");
}

/// As many bytes as a tar header has, or all.
std::string beginning(const ByteSource& source) {
  std::string begin(block_bytes, '\0');
  begin.resize(source(begin.data(), begin.size()));
  return begin;
}

}  // namespace

MatrixText open_matrix_text(const std::function<ByteSource()>& open, const std::string& name) {
  ByteSource source = open();
  std::string begin = beginning(source);
  const bool archive = is_tar(begin);
  source = joined(std::move(begin), std::move(source));
  if (!archive) return {std::move(source)};
  Candidates candidates;
  if (auto text = find_main(TarReader(std::move(source), name), candidates)) {
    return std::move(*text);
  }
  check_candidates(candidates, name);
  return find_named(TarReader(open(), name), candidates.first);
}

}  // namespace switchyard
