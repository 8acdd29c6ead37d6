// Strict reading of JSON: types and members.
#include "json_node.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "infinity.hpp"

namespace switchyard {

Error corrupt_profile(std::string_view what, std::string_view origin) {
  return {ErrorCode::DataCorrupt, fmt::format("the profile cannot be used: {}", what),
          std::string(origin), "calibrate again"};
}

void JsonNode::refuse(std::string_view why) const {
  throw corrupt_profile(fmt::format("{} {}", path(), why), origin_);
}

std::string JsonNode::path() const {
  if (!parent_) return "the document";
  const std::string above = parent_->parent_ ? parent_->path() : std::string();
  if (key_.empty()) return fmt::format("{}[{}]", above, index_);
  return above.empty() ? std::string(key_) : fmt::format("{}.{}", above, key_);
}

void JsonNode::expect_members(std::initializer_list<std::string_view> keys) const {
  if (object_size() == 0) refuse("is empty");
  for (const std::string_view key : keys) {
    if (!has(key)) refuse(fmt::format("lacks \"{}\"", key));
  }
  for (const auto& [key, value] : *get<JsonValue::Object>()) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) refuse("has an unknown member");
  }
}

std::size_t JsonNode::object_size() const {
  const auto* const object = get<JsonValue::Object>();
  if (!object) refuse("is not an object");
  return object->size();
}

bool JsonNode::has(std::string_view key) const {
  const auto* const object = get<JsonValue::Object>();
  return object && object->find(key) != object->end();
}

JsonNode JsonNode::operator[](std::string_view key) const {
  if (!has(key)) refuse(fmt::format("lacks \"{}\"", key));
  return {get<JsonValue::Object>()->find(key)->second, *this, key, 0};
}

std::size_t JsonNode::array_size() const {
  const auto* const array = get<JsonValue::Array>();
  if (!array) refuse("is not an array");
  return array->size();
}

JsonNode JsonNode::operator[](std::size_t index) const {
  if (index >= array_size()) refuse("is too short");
  return {(*get<JsonValue::Array>())[index], *this, {}, index};
}

const std::string& JsonNode::text() const {
  const auto* const text = get<std::string>();
  if (!text) refuse("is not a text");
  return *text;
}

bool JsonNode::boolean() const {
  const auto* const boolean = get<bool>();
  if (!boolean) refuse("is neither true nor false");
  return *boolean;
}

double JsonNode::number() const {
  const auto* const whole = get<std::uint64_t>();
  const auto* const real = get<double>();
  if (!whole && !real) refuse("is not a number");
  return whole ? static_cast<double>(*whole) : *real;
}

double JsonNode::number_or_infinity() const { return get<std::monostate>() ? infinity : number(); }

Index JsonNode::count(Index most) const {
  const auto* const whole = get<std::uint64_t>();
  if (!whole) refuse("is not a whole number");
  if (*whole > static_cast<std::uint64_t>(most)) refuse("is too large");
  return static_cast<Index>(*whole);
}

}  // namespace switchyard
