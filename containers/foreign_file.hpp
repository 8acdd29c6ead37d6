// Files that are often given in the place of a Matrix Market file.
#pragma once

#include <string_view>

namespace switchyard {

/// What a file is by its first bytes, and how to get a Matrix Market file out of it.
struct ForeignFile {
  std::string_view what;  ///< "a tar archive"; empty where it is none of those known
  std::string_view hint;
};

/// `begin`: the beginning of the file, decompressed where it was gzipped.
[[nodiscard]] ForeignFile foreign_file(std::string_view begin) noexcept;

}  // namespace switchyard
