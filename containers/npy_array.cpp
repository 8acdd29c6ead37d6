// NumPy's array format: a Python dictionary as text, and the elements.
#include "npy_array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

namespace switchyard {
namespace {

constexpr Index longest_header = Index{1} << 16;  // NumPy itself refuses more than 10 000 bytes
constexpr std::size_t most_dimensions = 32;

[[noreturn]] void damaged(const ZipReader& reader, const std::string& what) {
  throw Error(ErrorCode::DataCorrupt, "the NumPy array " + what, reader.where());
}

struct TypeName {
  std::string_view name;  ///< after the byte order
  NpyType type;
  Index bytes;
};
constexpr std::array type_names{
    TypeName{"f4", NpyType::F4, 4}, TypeName{"f8", NpyType::F8, 8},  TypeName{"i1", NpyType::I1, 1},
    TypeName{"i2", NpyType::I2, 2}, TypeName{"i4", NpyType::I4, 4},  TypeName{"i8", NpyType::I8, 8},
    TypeName{"u1", NpyType::U1, 1}, TypeName{"u2", NpyType::U2, 2},  TypeName{"u4", NpyType::U4, 4},
    TypeName{"u8", NpyType::U8, 8}, TypeName{"b1", NpyType::Bool, 1}};

/// The text of the dictionary, word by word.
class Dictionary {
 public:
  Dictionary(const ZipReader& reader, std::string_view text) : reader_(reader), rest_(text) {}

  /// Takes the character if it is next.
  bool take(char c) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!take(c)) damaged(reader_, "has a damaged header");
  }
  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) {
      rest_.remove_prefix(1);
    }
  }

  std::string_view quoted() {
    const char quote = take('"') ? '"' : '\'';
    if (quote == '\'') expect(quote);
    const std::string_view text = rest_.substr(0, rest_.find(quote));
    rest_.remove_prefix(text.size());
    expect(quote);
    return text;
  }
  bool truth() {
    const bool value = take('T');
    if (!value) expect('F');
    const std::string_view word = value ? "rue" : "alse";
    if (!rest_.starts_with(word)) damaged(reader_, "has a damaged header");
    rest_.remove_prefix(word.size());
    return value;
  }
  std::vector<Index> sizes() {
    std::vector<Index> sizes;
    expect('(');
    while (!take(')')) {
      skip_blanks();
      Index size = 0;
      const auto [last, failure] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (failure != std::errc() || size < 0 || sizes.size() == most_dimensions) {
        damaged(reader_, "has an impossible shape");
      }
      rest_.remove_prefix(static_cast<std::size_t>(last - rest_.data()));
      static_cast<void>(take('L'));  // of Python 2
      sizes.push_back(size);
      if (take(',')) continue;
      expect(')');
      break;
    }
    return sizes;
  }

 private:
  const ZipReader& reader_;
  std::string_view rest_;
};

[[noreturn]] void refuse_type(const ZipReader& reader, std::string_view type) {
  std::string shown(type.substr(0, 24));
  std::ranges::replace_if(
      shown, [](char c) { return c < ' ' || c > '~'; }, '?');
  throw Error(ErrorCode::Unsupported,
              "elements of the NumPy type '" + shown + "' are not supported", reader.where(),
              "real numbers of 32 or 64 bits and integers are, little-endian");
}

/// Sets the type of a description such as "<f8".
void set_type(const ZipReader& reader, std::string_view description, NpyHeader& header) {
  if (description.size() < 3) refuse_type(reader, description);
  const char order = description.front();
  const std::string_view name = description.substr(1);
  if (order != '<' && order != '|') refuse_type(reader, description);
  for (const TypeName& known : type_names) {
    if (known.name != name) continue;
    header.type = known.type;
    header.item_bytes = known.bytes;
    return;
  }
  Index length = 0;
  const auto [last, failure] = std::from_chars(name.data() + 1, name.data() + name.size(), length);
  const bool whole = failure == std::errc() && last == name.data() + name.size();
  constexpr Index longest = 1024;
  if (!whole || length < 0 || length > longest || (name.front() != 'S' && name.front() != 'U')) {
    refuse_type(reader, description);
  }
  header.type = name.front() == 'S' ? NpyType::Bytes : NpyType::Unicode;
  header.item_bytes = name.front() == 'S' ? length : 4 * length;
}

void parse_dictionary(const ZipReader& reader, std::string_view text, NpyHeader& header) {
  Dictionary dictionary(reader, text);
  bool fortran = false;
  int known = 0;
  dictionary.expect('{');
  while (!dictionary.take('}')) {
    const std::string_view key = dictionary.quoted();
    dictionary.expect(':');
    ++known;
    if (key == "descr") {
      if (dictionary.take('[')) refuse_type(reader, "[...]");
      static_cast<void>(dictionary.take(' '));
      set_type(reader, dictionary.quoted(), header);
    } else if (key == "fortran_order") {
      fortran = dictionary.truth();
    } else if (key == "shape") {
      header.shape = dictionary.sizes();
    } else {
      damaged(reader, "has a damaged header");
    }
    if (!dictionary.take(',')) {
      dictionary.expect('}');
      break;
    }
  }
  if (known != 3 || header.item_bytes == 0) damaged(reader, "has a damaged header");
  if (fortran && header.shape.size() > 1) {
    throw Error(ErrorCode::Unsupported, "the NumPy array is in Fortran order", reader.where(),
                "save the matrix as CSR, or make its data C-contiguous");
  }
}

/// The bytes of the dictionary's text.
Index header_size(ZipReader& reader) {
  std::array<char, 8> begin{};
  reader.read(begin.data(), begin.size());
  if (std::memcmp(begin.data(), "\x93NUMPY", 6) != 0) damaged(reader, "does not begin as one");
  const auto version = static_cast<unsigned char>(begin[6]);
  if (version < 1 || version > 3) {
    throw Error(ErrorCode::Unsupported, fmt::format("the NumPy array has version {}", version),
                reader.where(), "versions 1 to 3 are supported");
  }
  std::array<unsigned char, 4> size{};
  reader.read(reinterpret_cast<char*>(size.data()), version == 1 ? 2 : 4);
  const Index bytes =
      Index{size[0]} | Index{size[1]} << 8 | Index{size[2]} << 16 | Index{size[3]} << 24;
  if (bytes > longest_header) damaged(reader, "has a header of impossible length");
  return bytes;
}

/// One number to another type.
template <class To, class From>
To converted(const ZipReader& reader, From value, const ReadOptions& options) {
  if constexpr (std::is_floating_point_v<To>) {
    const auto result = static_cast<To>(value);
    if constexpr (std::is_floating_point_v<From>) {
      if (std::isinf(result) && !std::isinf(value) && !options.lenient) {
        throw Error(ErrorCode::OutOfRange,
                    fmt::format("the number {} is too large for float", value), reader.where(),
                    "read it as double (--precision double)");
      }
    }
    return result;
  } else {
    if (!std::in_range<To>(value)) {
      throw Error(ErrorCode::OutOfRange, fmt::format("the index {} is out of range", value),
                  reader.where());
    }
    return static_cast<To>(value);
  }
}

template <class To, class From>
std::vector<To> read_as(ZipReader& reader, const NpyHeader& header, const ReadOptions& options) {
  constexpr Index at_once = 1 << 13;
  std::vector<To> elements(static_cast<std::size_t>(header.elements));
  std::vector<From> chunk(static_cast<std::size_t>(std::min(header.elements, at_once)));
  for (Index k = 0; k < header.elements; k += at_once) {
    const auto count = static_cast<std::size_t>(std::min(header.elements - k, at_once));
    reader.read(reinterpret_cast<char*>(chunk.data()), count * sizeof(From));
    To* const to = elements.data() + k;
    for (std::size_t i = 0; i < count; ++i) to[i] = converted<To>(reader, chunk[i], options);
  }
  reader.finish();
  return elements;
}

/// Real numbers and truth values.
template <class To>
std::vector<To> read_reals(ZipReader& reader, const NpyHeader& header, const ReadOptions& options) {
  if constexpr (std::is_floating_point_v<To>) {
    if (header.type == NpyType::F4) return read_as<To, float>(reader, header, options);
    if (header.type == NpyType::F8) return read_as<To, double>(reader, header, options);
    if (header.type == NpyType::Bool) {
      auto elements = read_as<To, std::uint8_t>(reader, header, options);
      for (To& element : elements) element = element != To{0} ? To{1} : To{0};
      return elements;
    }
  }
  throw Error(ErrorCode::Unsupported, "the NumPy array has elements of another kind than expected",
              reader.where());
}

}  // namespace

NpyHeader read_npy_header(ZipReader& reader) {
  std::string text(static_cast<std::size_t>(header_size(reader)), '\0');
  reader.read(text.data(), text.size());
  NpyHeader header;
  parse_dictionary(reader, text, header);
  header.elements = 1;
  Index bytes = 0;
  for (const Index size : header.shape) {
    if (__builtin_mul_overflow(header.elements, size, &header.elements)) {
      damaged(reader, "has an impossible shape");
    }
  }
  if (__builtin_mul_overflow(header.elements, header.item_bytes, &bytes) ||
      bytes != reader.left()) {
    damaged(reader, "has another size than its header says");
  }
  return header;
}

template <class To>
std::vector<To> read_npy_elements(ZipReader& reader, const NpyHeader& header,
                                  const ReadOptions& options) {
  switch (header.type) {
    case NpyType::I1:
      return read_as<To, std::int8_t>(reader, header, options);
    case NpyType::I2:
      return read_as<To, std::int16_t>(reader, header, options);
    case NpyType::I4:
      return read_as<To, std::int32_t>(reader, header, options);
    case NpyType::I8:
      return read_as<To, std::int64_t>(reader, header, options);
    case NpyType::U1:
      return read_as<To, std::uint8_t>(reader, header, options);
    case NpyType::U2:
      return read_as<To, std::uint16_t>(reader, header, options);
    case NpyType::U4:
      return read_as<To, std::uint32_t>(reader, header, options);
    case NpyType::U8:
      return read_as<To, std::uint64_t>(reader, header, options);
    default:
      return read_reals<To>(reader, header, options);
  }
}

std::string read_npy_text(ZipReader& reader) {
  const NpyHeader header = read_npy_header(reader);
  const bool wide = header.type == NpyType::Unicode;
  if (header.elements != 1 || (!wide && header.type != NpyType::Bytes)) {
    damaged(reader, "is not one text");
  }
  std::string bytes(static_cast<std::size_t>(header.item_bytes), '\0');
  reader.read(bytes.data(), bytes.size());
  reader.finish();
  std::string text;
  // A character of 32 bits that is more than its first byte is in no name that is looked for.
  for (std::size_t i = 0; i < bytes.size() && bytes[i] != '\0'; i += wide ? 4 : 1) text += bytes[i];
  return text;
}

template std::vector<Index> read_npy_elements(ZipReader&, const NpyHeader&, const ReadOptions&);
template std::vector<Column> read_npy_elements(ZipReader&, const NpyHeader&, const ReadOptions&);
template std::vector<float> read_npy_elements(ZipReader&, const NpyHeader&, const ReadOptions&);
template std::vector<double> read_npy_elements(ZipReader&, const NpyHeader&, const ReadOptions&);

}  // namespace switchyard
