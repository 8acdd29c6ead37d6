// A JSON document in memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace switchyard {

/// A value of a document. The parser's own values allocate while they are destroyed, which ends the
/// program where there is no memory.
struct JsonValue {
  using Array = std::vector<JsonValue>;
  using Object = std::map<std::string, JsonValue, std::less<>>;
  /// Null first; whole numbers that are not negative apart from all others.
  std::variant<std::monostate, bool, std::uint64_t, double, std::string, Array, Object> value;
};

/// Parses a document. Throws `Error(DataCorrupt)` for anything but well-formed JSON without
/// duplicate keys, nested no deeper than a profile is.
[[nodiscard]] JsonValue parse_json_strictly(std::string_view text, std::string_view origin);

}  // namespace switchyard
