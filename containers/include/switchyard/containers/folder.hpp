// The names in a folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace switchyard {

/// The names of the files in a folder, in any order, without "." and "..". Empty if it cannot be
/// read. Throws `std::bad_alloc`, where `std::filesystem::directory_iterator` of GCC 12 ends the
/// program.
[[nodiscard]] std::vector<std::string> names_in(const std::filesystem::path& folder);

}  // namespace switchyard
