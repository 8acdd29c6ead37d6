// Whole files, read with a limit and replaced without a moment in which they are broken.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace switchyard {

/// The contents of an ordinary file. Throws `Error`: IoError where it cannot be read or is none
/// (a directory, a pipe, a device), DataCorrupt where it is larger than `limit`, before reading.
[[nodiscard]] std::string read_small_file(const std::filesystem::path& file, std::size_t limit);

/// Writes a temporary file in the same directory, made with those above it where they are missing,
/// and renames it to `file`: a reader sees the old contents or the new, and a failure leaves the
/// old. Of several at once, the last wins. Throws `Error(IoError)`.
void replace_file(const std::filesystem::path& file, std::string_view contents);

}  // namespace switchyard
