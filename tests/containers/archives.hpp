// Tar and zip archives and NumPy arrays, made byte by byte so that tests can make them wrong.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::archives {

/// The checksum of a header of 512 bytes, put in place.
inline std::string with_checksum(std::string header) {
  header.replace(148, 8, 8, ' ');
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  char digits[8];
  std::snprintf(digits, sizeof digits, "%06o", sum);
  return header.replace(148, 7, digits, 7);
}

/// A header of the ustar format, `size` being the text of its field.
inline std::string tar_header(std::string_view name, const std::string& size, char kind = '0') {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  header.replace(100, 7, "0000644");
  header.replace(124, size.size(), size);
  header[156] = kind;
  header.replace(257, 5, "ustar");
  header.replace(263, 2, "00");
  return with_checksum(header);
}

inline std::string octal(std::size_t size) {
  char digits[12];
  std::snprintf(digits, sizeof digits, "%011zo", size);
  return digits;
}

/// A member, padded to whole blocks.
inline std::string tar_member(std::string_view name, std::string_view data, char kind = '0') {
  std::string member = tar_header(name, octal(data.size()), kind) + std::string(data);
  member.resize((member.size() + 511) / 512 * 512, '\0');
  return member;
}

inline std::string tar_end() { return std::string(1024, '\0'); }

/// A little-endian number.
inline std::string number(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, value >>= 8U) text += static_cast<char>(value & 0xFFU);
  return text;
}

inline std::string deflated(std::string_view bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  std::string in(bytes);
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// What a member of a zip archive says of itself; absent fields are the true ones.
struct ZipEntry {
  std::string name;
  std::string data;
  bool deflate = false;
  int method = -1;
  int flags = 0;
  std::int64_t size = -1;
  std::int64_t compressed = -1;
  std::int64_t offset = -1;
  std::int64_t crc = -1;
};

inline std::string zip(const std::vector<ZipEntry>& entries, std::string_view comment = "") {
  std::string file;
  std::string directory;
  for (const ZipEntry& entry : entries) {
    const std::string stored = entry.deflate ? deflated(entry.data) : entry.data;
    const auto or_true = [](std::int64_t given, std::size_t truth) {
      return given >= 0 ? static_cast<std::uint64_t>(given) : static_cast<std::uint64_t>(truth);
    };
    const auto crc = crc32(0, reinterpret_cast<const Bytef*>(entry.data.data()),
                           static_cast<uInt>(entry.data.size()));
    const std::uint64_t method = or_true(entry.method, entry.deflate ? 8 : 0);
    const std::string facts = number(20, 2) + number(static_cast<unsigned>(entry.flags), 2) +
                              number(method, 2) + number(0, 4) +
                              number(or_true(entry.crc, crc), 4) +
                              number(or_true(entry.compressed, stored.size()), 4) +
                              number(or_true(entry.size, entry.data.size()), 4) +
                              number(entry.name.size(), 2) + number(0, 2);
    directory += "PK\x01\x02" + number(20, 2) + facts + number(0, 10) +
                 number(or_true(entry.offset, file.size()), 4) + entry.name;
    file += "PK\x03\x04" + facts + entry.name + stored;
  }
  const std::string end = "PK\x05\x06" + number(0, 4) + number(entries.size(), 2) +
                          number(entries.size(), 2) + number(directory.size(), 4) +
                          number(file.size(), 4) + number(comment.size(), 2) + std::string(comment);
  return file + directory + end;
}

/// A NumPy array with that dictionary.
inline std::string npy_of(std::string dictionary, std::string_view data) {
  dictionary += '\n';
  return "\x93NUMPY" + number(1, 2) + number(dictionary.size(), 2) + dictionary + std::string(data);
}

inline std::string npy(std::string_view type, std::string_view shape, std::string_view data) {
  return npy_of("{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (" +
                    std::string(shape) + "), }",
                data);
}

/// A one-dimensional array.
template <class T>
std::string npy_vector(std::string_view type, const std::vector<T>& values) {
  std::string data(values.size() * sizeof(T), '\0');
  if (!data.empty()) std::memcpy(data.data(), values.data(), data.size());
  return npy(type, std::to_string(values.size()) + ",", data);
}

}  // namespace switchyard::archives
