// JSON documents, as the command and the C interface write them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace switchyard::command {

/// Keys stay in the order in which they were written, as the documentation shows them.
using Json = nlohmann::ordered_json;

/// Counts up whenever a key changes its meaning or goes; keys are added without it.
inline constexpr int schema_version = 1;

/// The document with `schema_version` as its first key. REQUIRES: an object.
[[nodiscard]] Json with_schema(const Json& document);

/// A number of bytes, as an integer; null where it is not finite.
[[nodiscard]] Json whole(double amount);

/// The document as it is printed, its `schema_version` first. Doubles are written so that reading
/// them restores every bit; bytes that are no UTF-8 (a file's name may hold any) become replacement
/// characters.
[[nodiscard]] std::string json_text(const Json& document);

}  // namespace switchyard::command
