// Strict reading of JSON: types, members, duplicate keys and depth.
#include "json_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <set>
#include <vector>

namespace switchyard {

namespace {

using Json = nlohmann::json;

/// Deeper than models[i].tiers[j].terms[k].powers.bytes, the deepest value of a profile.
constexpr int deepest = 12;

/// Watches a parse for what the parser itself lets pass.
class KeyWatch {
 public:
  explicit KeyWatch(std::string_view origin) : origin_(origin) {}

  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > deepest) throw corrupt_profile("it is nested too deeply", origin_);
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event == Json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys_.back().insert(key).second) {
        throw corrupt_profile("a key stands twice in one object", origin_);
      }
    }
    return true;
  }

 private:
  std::string_view origin_;
  std::vector<std::set<std::string>> keys_;
};

}  // namespace

Error corrupt_profile(std::string_view what, std::string_view origin) {
  return {ErrorCode::DataCorrupt, fmt::format("the profile cannot be used: {}", what),
          std::string(origin), "calibrate again"};
}

Json parse_json_strictly(std::string_view text, std::string_view origin) {
  try {
    return Json::parse(text, KeyWatch(origin));
  } catch (const Json::parse_error& error) {
    throw corrupt_profile(fmt::format("it is not JSON at byte {}", error.byte), origin);
  } catch (const Json::exception&) {
    throw corrupt_profile("it holds a number that is out of range", origin);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::OutOfMemory, "no memory to read the profile", std::string(origin));
  }
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
  for (const auto& [key, value] : value_.items()) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) refuse("has an unknown member");
  }
}

std::size_t JsonNode::object_size() const {
  if (!value_.is_object()) refuse("is not an object");
  return value_.size();
}

bool JsonNode::has(std::string_view key) const {
  return value_.is_object() && value_.find(key) != value_.end();
}

JsonNode JsonNode::operator[](std::string_view key) const {
  if (!has(key)) refuse(fmt::format("lacks \"{}\"", key));
  return {*value_.find(key), *this, key, 0};
}

std::size_t JsonNode::array_size() const {
  if (!value_.is_array()) refuse("is not an array");
  return value_.size();
}

JsonNode JsonNode::operator[](std::size_t index) const {
  if (index >= array_size()) refuse("is too short");
  return {value_[index], *this, {}, index};
}

const std::string& JsonNode::text() const {
  if (!value_.is_string()) refuse("is not a text");
  return value_.get_ref<const std::string&>();
}

bool JsonNode::boolean() const {
  if (!value_.is_boolean()) refuse("is neither true nor false");
  return value_.get<bool>();
}

double JsonNode::number() const {
  if (!value_.is_number()) refuse("is not a number");
  const auto number = value_.get<double>();
  if (!std::isfinite(number)) refuse("is not finite");
  return number;
}

double JsonNode::number_or_infinity() const {
  return value_.is_null() ? std::numeric_limits<double>::infinity() : number();
}

Index JsonNode::count(Index most) const {
  if (!value_.is_number_unsigned()) refuse("is not a whole number");
  const auto number = value_.get<std::uint64_t>();
  if (number > static_cast<std::uint64_t>(most)) refuse("is too large");
  return static_cast<Index>(number);
}

}  // namespace switchyard
