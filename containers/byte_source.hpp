// Bytes from a file, a descriptor or memory, decompressed where they are gzipped.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace switchyard {

/// Reads up to `size` bytes to `to`; fewer only at the end. Throws `Error(IoError)`, and
/// `Error(DataCorrupt)` where a gzip stream is damaged or cut short.
using ByteSource = std::function<std::size_t(char* to, std::size_t size)>;

/// A file, gzipped or not by what it begins with. Throws `Error(IoError)`.
[[nodiscard]] ByteSource open_bytes(const std::filesystem::path& file);

/// The same of an open descriptor, which stays open; `name` is for errors.
[[nodiscard]] ByteSource open_bytes(int descriptor, const std::string& name);

/// Bytes that outlive the source.
[[nodiscard]] ByteSource bytes_of(std::string_view bytes);

/// `begin`, and then what `rest` gives.
[[nodiscard]] ByteSource joined(std::string begin, ByteSource rest);

}  // namespace switchyard
