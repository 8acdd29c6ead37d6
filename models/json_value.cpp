// Strict parsing of JSON: duplicate keys and depth are watched.
#include "json_value.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "json_node.hpp"

namespace switchyard {

namespace {

using Json = nlohmann::json;

/// Deeper than models[i].tiers[j].terms[k].powers.bytes, the deepest value of a profile.
constexpr std::size_t deepest = 12;

/// Takes what the parser meets, one thing after another, and puts it where it belongs.
class DocumentBuilder final : public nlohmann::json_sax<Json> {
 public:
  explicit DocumentBuilder(std::string_view origin) : origin_(origin) {}

  [[nodiscard]] JsonValue take() { return std::move(root_); }

  bool null() override { return put({}); }
  bool boolean(bool value) override { return put({value}); }
  bool number_integer(std::int64_t value) override { return put({static_cast<double>(value)}); }
  bool number_unsigned(std::uint64_t value) override { return put({value}); }
  bool number_float(double value, const std::string& /*text*/) override { return put({value}); }
  bool string(std::string& value) override { return put({std::move(value)}); }
  bool binary(Json::binary_t& /*value*/) override { return false; }
  bool start_array(std::size_t /*size*/) override { return open({JsonValue::Array()}); }
  bool start_object(std::size_t /*size*/) override { return open({JsonValue::Object()}); }
  bool end_array() override { return close(); }
  bool end_object() override { return close(); }

  bool key(std::string& name) override {
    auto& members = std::get<JsonValue::Object>(open_.back()->value);
    const auto [member, is_new] = members.try_emplace(std::move(name));
    if (!is_new) throw corrupt_profile("a key stands twice in one object", origin_);
    member_ = &member->second;
    return true;
  }
  bool parse_error(std::size_t byte, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    constexpr int number_out_of_range = 406;
    if (error.id == number_out_of_range) {
      throw corrupt_profile("it holds a number that is out of range", origin_);
    }
    throw corrupt_profile(fmt::format("it is not JSON at byte {}", byte), origin_);
  }

 private:
  JsonValue& place() {
    if (open_.empty()) return root_;
    auto* const array = std::get_if<JsonValue::Array>(&open_.back()->value);
    return array ? array->emplace_back() : *member_;
  }
  bool put(JsonValue value) {
    place() = std::move(value);
    return true;
  }
  bool open(JsonValue value) {
    if (open_.size() == deepest) throw corrupt_profile("it is nested too deeply", origin_);
    open_.push_back(&(place() = std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view origin_;
  JsonValue root_;
  std::vector<JsonValue*> open_;  // arrays and objects that have not ended, the outermost first
  JsonValue* member_ = nullptr;   // the place of the value that follows a key
};

}  // namespace

JsonValue parse_json_strictly(std::string_view text, std::string_view origin) {
  DocumentBuilder builder(origin);
  Json::sax_parse(text, &builder);
  return builder.take();
}

}  // namespace switchyard
