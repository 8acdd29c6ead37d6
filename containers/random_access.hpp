// Bytes at any place of a file or of memory.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <switchyard/containers/numbers.hpp>

namespace switchyard {

/// A file to be read in any order.
struct RandomAccess {
  Index size = 0;
  std::string name;  ///< for errors
  /// Reads `size` bytes at `offset`. REQUIRES: they lie within the file. Throws `Error(IoError)`.
  std::function<void(Index offset, char* to, std::size_t size)> read;
};

/// A regular file, which is kept open. A file that becomes shorter meanwhile is an
/// `Error(IoError)`, which is why it is not mapped into memory. Throws `Error(IoError)`.
[[nodiscard]] RandomAccess open_random_access(const std::filesystem::path& file);

/// Bytes that outlive the result.
[[nodiscard]] RandomAccess random_access_to(std::string_view bytes, const std::string& name);

}  // namespace switchyard
