// Writing columns instead of rows, and three characters instead of a number.
#include "packed_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::command::report {
namespace {

constexpr std::string_view digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t fewest = 4;  // of fewer, the list itself is as short

// 18 bits hold null, 0, and m * 10^e for m from 1000 to 9999 and so many e.
constexpr int lowest_exponent = -16;
constexpr int exponents = 29;
constexpr int mantissas = 9000;
constexpr int null_code = 0;
constexpr int zero_code = 1;
constexpr int first_code = 2;
static_assert(first_code + exponents * mantissas <= 64 * 64 * 64);

/// Nothing where three characters do not hold the number exactly.
std::optional<int> code_of(const Json& number) {
  if (number.is_null()) return null_code;
  if (!number.is_number()) return std::nullopt;
  const auto value = number.get<double>();
  if (value == 0) return zero_code;
  const std::string text = fmt::format("{:.3e}", value);  // "1.234e-05"
  if (value < 0 || std::strtod(text.c_str(), nullptr) != value) return std::nullopt;
  const int mantissa = std::stoi(text.substr(0, 1) + text.substr(2, 3));
  const int exponent = std::stoi(text.substr(6)) - 3;
  if (exponent < lowest_exponent || exponent >= lowest_exponent + exponents) return std::nullopt;
  return first_code + (exponent - lowest_exponent) * mantissas + mantissa - 1000;
}

std::optional<std::string> text_of(const Json& list) {
  std::string text;
  for (const Json& number : list) {
    const auto code = code_of(number);
    if (!code) return std::nullopt;
    for (const int shift : {12, 6, 0})
      text += digits[static_cast<std::size_t>(*code >> shift & 63)];
  }
  return text;
}

bool are_all(const Json& list, bool (Json::*is_kind)() const noexcept) {
  return std::ranges::all_of(list, [&](const Json& each) { return (each.*is_kind)(); });
}

bool have_same_keys(const Json& records) {
  const auto same = [](const auto& one, const auto& other) { return one.first == other.first; };
  const auto& first = records.front().get_ref<const Json::object_t&>();
  return std::ranges::all_of(records, [&](const Json& record) {
    const auto& members = record.get_ref<const Json::object_t&>();
    return std::ranges::equal(members, first, same);
  });
}

class Packer {
 public:
  Json pack(const Json& json) {
    if (json.is_array() && json.size() >= fewest) return packed_list(json);
    if (!json.is_structured()) return json;
    Json result = json;
    for (Json& member : result) member = pack(member);
    return result;
  }
  Json shared = Json::array();

 private:
  Json packed_list(const Json& list) {
    if (const auto text = text_of(list)) {
      const auto [place, is_new] = places_.try_emplace(*text, shared.size());
      if (is_new) shared.push_back(*text);
      return {{"#", place->second}};
    }
    if (are_all(list, &Json::is_string)) return packed_names(list);
    if (are_all(list, &Json::is_array)) {
      const auto length = list.front().size();
      const auto is_as_long = [&](const Json& row) { return row.size() == length; };
      if (length > 0 && length < list.size() && std::ranges::all_of(list, is_as_long)) {
        return {{"#columns", columns_of(list)}};
      }
    }
    if (are_all(list, &Json::is_object) && have_same_keys(list) && !list.front().empty()) {
      Json keys = Json::array();
      for (const auto& [key, value] : list.front().items()) keys.push_back(key);
      return {{"#keys", std::move(keys)}, {"#columns", columns_of(list)}};
    }
    Json result = list;
    for (Json& each : result) each = pack(each);
    return result;
  }

  Json packed_names(const Json& list) {
    const std::set<Json> different(list.begin(), list.end());
    if (2 * different.size() > list.size()) return list;
    Json at = Json::array();
    for (const Json& each : list)
      at.push_back(std::distance(different.begin(), different.find(each)));
    return {{"#names", different}, {"#at", pack(at)}};
  }

  /// Of rows, which are lists or objects with as many members.
  Json columns_of(const Json& rows) {
    std::vector<Json> columns(rows.front().size(), Json::array());
    for (const Json& row : rows) {
      auto column = columns.begin();
      for (const Json& each : row) (column++)->push_back(each);
    }
    for (Json& column : columns) column = pack(column);
    return columns;
  }

  std::map<std::string, std::size_t> places_;  // of a text in `shared`
};

}  // namespace

Json packed(const Json& document) {
  Packer packer;
  Json result = document;
  for (const char* part : {"/map/precisions", "/bytes", "/models", "/turning_points"}) {
    const Json::json_pointer place(part);
    if (result.contains(place)) result[place] = packer.pack(result[place]);
  }
  result["#shared"] = std::move(packer.shared);
  return result;
}

}  // namespace switchyard::command::report
