// What writing and reading a profile have in common.
#pragma once

#include <string_view>

namespace switchyard::profile_schema {

inline constexpr std::string_view format = "switchyard-profile";
inline constexpr int version = 4;
/// The oldest version that is read. Up to 3, there are no slot counts: the last quantity is
/// missing.
inline constexpr int oldest_version = 3;
/// Read as "whatever moves": a transfer is of bytes.
inline constexpr std::string_view any_precision = "any";

}  // namespace switchyard::profile_schema
