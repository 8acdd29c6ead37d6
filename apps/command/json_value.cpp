// Building and writing JSON values.
#include "json_value.hpp"

#include <algorithm>
#include <cmath>

namespace switchyard::command {
namespace {

/// A null, boolean, number or text. As nlohmann's values these allocate in no destructor.
template <class Scalar>
std::string scalar_text(const Scalar& value) {
  using Json = nlohmann::ordered_json;
  return Json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The entries of an array or object, one on each line.
template <class Range, class Write>
void write_entries(std::string& out, std::size_t indent, const char* brackets, const Range& range,
                   const Write& write) {
  out += brackets[0];
  const char* separator = "\n";
  for (const auto& entry : range) {
    out += separator;
    out.append(indent + 2, ' ');
    write(entry);
    separator = ",\n";
  }
  if (!range.empty()) out.append("\n").append(indent, ' ');
  out += brackets[1];
}

}  // namespace

JsonValue JsonValue::whole(double amount) {
  constexpr double most = 9.2e18;  // what 64 bits hold, about
  if (!(std::fabs(amount) < most)) return nullptr;
  return std::int64_t{std::llround(amount)};
}

JsonValue& JsonValue::operator[](std::string_view key) {
  if (std::holds_alternative<std::nullptr_t>(value_)) value_.emplace<Object>();
  Object& object = std::get<Object>(value_);
  const auto member = std::ranges::find(object, key, &Member::first);
  if (member != object.end()) return member->second;
  return object.emplace_back(std::string(key), JsonValue()).second;
}

void JsonValue::update(JsonValue other) {
  for (auto& [key, value] : std::get<Object>(other.value_)) (*this)[key] = std::move(value);
}

std::string JsonValue::text() const {
  std::string out;
  write(out, 0);
  return out;
}

void JsonValue::write(std::string& out, std::size_t indent) const {
  if (const auto* const array = std::get_if<Array>(&value_)) {
    write_entries(out, indent, "[]", *array,
                  [&](const JsonValue& value) { value.write(out, indent + 2); });
  } else if (const auto* const object = std::get_if<Object>(&value_)) {
    write_entries(out, indent, "{}", *object, [&](const Member& member) {
      out.append(scalar_text(member.first)).append(": ");
      member.second.write(out, indent + 2);
    });
  } else {
    std::visit(
        [&]<class Value>(const Value& value) {
          if constexpr (!std::same_as<Value, Array> && !std::same_as<Value, Object>) {
            out += scalar_text(value);
          }
        },
        value_);
  }
}

void to_json(nlohmann::ordered_json& json, const JsonValue& value) {
  using Object = JsonValue::Object;
  if (const auto* const object = std::get_if<Object>(&value.value_)) {
    json = nlohmann::ordered_json::object();
    for (const auto& [key, member] : *object) json[key] = member;
    return;
  }
  std::visit(
      [&]<class Value>(const Value& held) {
        if constexpr (!std::same_as<Value, Object>) json = held;
      },
      value.value_);
}

}  // namespace switchyard::command
