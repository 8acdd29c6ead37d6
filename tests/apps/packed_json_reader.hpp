// Reads what packed_json.hpp packs, as the page does in unpack.js.
#pragma once

#include <cstdlib>
#include <string>

#include "command_runner.hpp"

namespace switchyard::test {

/// The numbers of a packed text: each three digits to base 64, of a decimal mantissa and exponent.
inline Json numbers_of(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  Json numbers = Json::array();
  for (std::size_t i = 0; i < text.size(); i += 3) {
    const auto code =
        digits.find(text[i]) * 4096 + digits.find(text[i + 1]) * 64 + digits.find(text[i + 2]);
    if (code < 2) {
      numbers.push_back(code == 0 ? Json() : Json(0));
      continue;
    }
    const std::string decimal = std::to_string(1000 + (code - 2) % 9000) + "e" +
                                std::to_string(static_cast<int>((code - 2) / 9000) - 16);
    numbers.push_back(std::strtod(decimal.c_str(), nullptr));
  }
  return numbers;
}

/// What packed_json.hpp says, undone.
inline Json unpacked(const Json& json, const Json& shared) {
  if (!json.is_structured()) return json;
  if (json.contains("#")) return numbers_of(shared[json["#"].get<std::size_t>()]);
  Json list = Json::array();
  if (json.contains("#names")) {
    for (const Json& at : unpacked(json["#at"], shared)) {
      list.push_back(json["#names"][at.get<std::size_t>()]);
    }
    return list;
  }
  if (json.contains("#columns")) {
    const Json columns = unpacked(json["#columns"], shared);
    for (std::size_t row = 0; row < columns[0].size(); ++row) {
      Json members = json.contains("#keys") ? Json::object() : Json::array();
      for (std::size_t k = 0; k < columns.size(); ++k) {
        if (json.contains("#keys")) {
          members[json["#keys"][k].get<std::string>()] = columns[k][row];
        } else {
          members.push_back(columns[k][row]);
        }
      }
      list.push_back(std::move(members));
    }
    return list;
  }
  Json result = json;
  if (result.is_object()) result.erase("#shared");
  for (Json& member : result) member = unpacked(member, shared);
  return result;
}

}  // namespace switchyard::test
