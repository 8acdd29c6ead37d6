// A JSON value that survives a failed allocation.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace switchyard::command {

/// A null, boolean, number, text, array or object, whose keys stay in their order. nlohmann's
/// values (3.11) allocate in their destructors, so that a failed allocation ends the process; the C
/// interface must go on. It converts to nlohmann's type.
///
/// Not copyable: where copying a variant of texts and vectors fails, libstdc++ 12 destroys what it
/// does not hold yet.
class JsonValue {
 public:
  using Member = std::pair<std::string, JsonValue>;
  using Array = std::vector<JsonValue>;
  using Object = std::vector<Member>;

  JsonValue() = default;
  JsonValue(JsonValue&&) = default;
  JsonValue& operator=(JsonValue&&) = default;
  JsonValue(std::nullptr_t) {}
  JsonValue(bool value) : value_(value) {}
  JsonValue(std::int64_t value) : value_(value) {}
  JsonValue(double value) : value_(value) {}
  JsonValue(std::string value) : value_(std::move(value)) {}
  JsonValue(std::string_view value) : value_(std::string(value)) {}
  JsonValue(const char* value) : value_(std::string(value)) {}

  /// An empty array.
  [[nodiscard]] static JsonValue array() { return JsonValue(Array{}); }
  /// A number of bytes, as an integer; null where it is not finite.
  [[nodiscard]] static JsonValue whole(double amount);

  /// Adds to an array. REQUIRES: an array.
  void push_back(JsonValue value) { std::get<Array>(value_).push_back(std::move(value)); }
  /// The member of that name, which is added if there is none. REQUIRES: an object or null, which
  /// becomes an object.
  JsonValue& operator[](std::string_view key);

  /// Sets a member of an object that is being made.
  [[nodiscard]] JsonValue&& with(std::string_view key, JsonValue value) && {
    (*this)[key] = std::move(value);
    return std::move(*this);
  }
  /// Sets all members of another object. REQUIRES: both are objects, or this is null.
  void update(JsonValue other);

  /// Indented by two, as `json_text` writes it.
  [[nodiscard]] std::string text() const;

  friend void to_json(nlohmann::ordered_json& json, const JsonValue& value);

 private:
  explicit JsonValue(Array value) : value_(std::move(value)) {}
  void write(std::string& out, std::size_t indent) const;

  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Array, Object> value_;
};

/// The same value in nlohmann's type.
void to_json(nlohmann::ordered_json& json, const JsonValue& value);

}  // namespace switchyard::command
