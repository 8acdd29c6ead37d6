// Reading JSON strictly: every value is of the type it must be, and what is not says where it is.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <switchyard/containers/numbers.hpp>

#include "json_value.hpp"

namespace switchyard {

/// A value inside a document, and the way to it. Points at its parent, which must outlive it: the
/// path is put together only where something is wrong. All members throw `Error(DataCorrupt)` with
/// that path.
class JsonNode {
 public:
  /// The whole document, `origin` being where it came from; both must outlive the node.
  JsonNode(const JsonValue& document, std::string_view origin)
      : value_(document), origin_(origin) {}

  [[nodiscard]] std::string_view origin() const { return origin_; }
  [[noreturn]] void refuse(std::string_view why) const;

  /// An object with these members and no others.
  void expect_members(std::initializer_list<std::string_view> keys) const;
  [[nodiscard]] std::size_t object_size() const;
  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] JsonNode operator[](std::string_view key) const;

  [[nodiscard]] std::size_t array_size() const;
  [[nodiscard]] JsonNode operator[](std::size_t index) const;

  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] bool boolean() const;
  /// Finite, as JSON knows nothing else.
  [[nodiscard]] double number() const;
  /// Infinite where the document says null.
  [[nodiscard]] double number_or_infinity() const;
  /// A whole number from 0 to `most`.
  [[nodiscard]] Index count(Index most) const;

 private:
  JsonNode(const JsonValue& value, const JsonNode& parent, std::string_view key, std::size_t index)
      : value_(value), parent_(&parent), origin_(parent.origin_), key_(key), index_(index) {}
  [[nodiscard]] std::string path() const;
  /// The value, if it is of that kind, or null.
  template <class Kind>
  [[nodiscard]] const Kind* get() const {
    return std::get_if<Kind>(&value_.value);
  }

  const JsonValue& value_;
  const JsonNode* parent_ = nullptr;
  std::string_view origin_;
  std::string_view key_;  // empty for an element of an array
  std::size_t index_ = 0;
};

/// An `Error(DataCorrupt)` about the profile at `origin`.
[[nodiscard]] Error corrupt_profile(std::string_view what, std::string_view origin);

}  // namespace switchyard
