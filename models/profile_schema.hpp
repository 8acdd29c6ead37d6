// What writing and reading a profile have in common.
#pragma once

#include <string_view>

namespace switchyard::profile_schema {

inline constexpr std::string_view format = "switchyard-profile";
inline constexpr int version = 5;
/// The oldest version that is read. Version 4 has no changes of row lengths (the last quantity is
/// missing). Version 3 has no requests either (its multiplications are plain), no slot counts (two
/// quantities are missing) and no ceilings.
inline constexpr int oldest_version = 3;
inline constexpr int first_with_requests = 4;
inline constexpr int first_with_ceilings = 4;
/// Read as "whatever moves": a transfer is of bytes.
inline constexpr std::string_view any_precision = "any";
/// How many columns x and y of a multiplication have.
inline constexpr std::string_view one_column = "one";
inline constexpr std::string_view many_columns = "many";

}  // namespace switchyard::profile_schema
