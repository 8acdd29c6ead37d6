// Strict reading of JSON: what is of another type, missing, unknown or too deep is refused.
#include "json_node.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <switchyard/containers/error.hpp>

namespace switchyard {
namespace {

/// Why `read` refuses the document; empty if it does not.
std::string refusal(std::string_view text, const std::function<void(const JsonNode&)>& read) {
  try {
    const JsonValue value = parse_json_strictly(text, "here");
    read(JsonNode(value, "here"));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::DataCorrupt);
    EXPECT_EQ(error.where(), "here");
    return error.what();
  }
  return {};
}

std::string parse_refusal(std::string_view text) {
  return refusal(text, [](const JsonNode&) {});
}

::testing::AssertionResult says(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "\"" << text << "\" does not say \"" << part << "\"";
}

/// Arrays inside each other.
std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(JsonNode, ValuesAreReadAsWhatTheyAre) {
  const std::string text = R"({"t":"word","b":true,"n":-1.5,"w":7,"none":null,"a":[1,2]})";
  EXPECT_EQ(refusal(text,
                    [](const JsonNode& node) {
                      node.expect_members({"t", "b", "n", "w", "none", "a"});
                      EXPECT_EQ(node.object_size(), 6U);
                      EXPECT_EQ(node["t"].text(), "word");
                      EXPECT_TRUE(node["b"].boolean());
                      EXPECT_EQ(node["n"].number(), -1.5);
                      EXPECT_EQ(node["w"].number(), 7);
                      EXPECT_EQ(node["w"].number_or_infinity(), 7);
                      EXPECT_EQ(node["none"].number_or_infinity(),
                                std::numeric_limits<double>::infinity());
                      EXPECT_EQ(node["a"].array_size(), 2U);
                      EXPECT_EQ(node["a"][std::size_t{1}].number(), 2);
                    }),
            "");
}

TEST(JsonNode, AnotherTypeIsRefusedWithItsPlace) {
  const std::string text = R"({"a":[{"t":1,"n":"1","b":0,"none":null}]})";
  const auto in_element = [&](auto read) {
    return refusal(text, [&](const JsonNode& node) { read(node["a"][std::size_t{0}]); });
  };
  EXPECT_TRUE(
      says(in_element([](const JsonNode& e) { (void)e["t"].text(); }), "a[0].t is not a text"));
  EXPECT_TRUE(
      says(in_element([](const JsonNode& e) { (void)e["n"].number(); }), "a[0].n is not a number"));
  EXPECT_TRUE(says(in_element([](const JsonNode& e) { (void)e["none"].number(); }),
                   "a[0].none is not a number"));
  EXPECT_TRUE(
      says(in_element([](const JsonNode& e) { (void)e["b"].boolean(); }), "a[0].b is neither"));
  EXPECT_TRUE(says(in_element([](const JsonNode& e) { (void)e["n"].array_size(); }),
                   "a[0].n is not an array"));
  EXPECT_TRUE(says(in_element([](const JsonNode& e) { (void)e["n"].object_size(); }),
                   "a[0].n is not an object"));
  EXPECT_TRUE(says(in_element([](const JsonNode& e) { (void)e["x"]; }), "a[0] lacks \"x\""));
  EXPECT_TRUE(says(parse_refusal("["), "not JSON"));
  EXPECT_TRUE(says(refusal("1", [](const JsonNode& node) { (void)node.text(); }),
                   "the document is not a text"));
}

TEST(JsonNode, NothingIsReadBeyondTheEndOfAnArray) {
  for (const char* const text : {"[1,2]", "[]"}) {
    const std::string said =
        refusal(text, [](const JsonNode& node) { (void)node[node.array_size()]; });
    EXPECT_TRUE(says(said, "is too short")) << text;
  }
}

TEST(JsonNode, MembersAreExactlyThoseExpected) {
  const auto expect_two = [](const JsonNode& node) { node.expect_members({"a", "b"}); };
  EXPECT_EQ(refusal(R"({"a":1,"b":2})", expect_two), "");
  EXPECT_TRUE(says(refusal(R"({"a":1})", expect_two), "lacks \"b\""));
  EXPECT_TRUE(says(refusal(R"({"a":1,"b":2,"c":3})", expect_two), "has an unknown member"));
  EXPECT_TRUE(says(refusal("{}", expect_two), "is empty"));
  EXPECT_TRUE(says(parse_refusal(R"({"a":1,"a":2})"), "twice"));
}

TEST(JsonNode, CountsAreWholeAndBounded) {
  const auto count = [](const JsonNode& node) { (void)node.count(10); };
  EXPECT_EQ(refusal("0", count), "");
  EXPECT_EQ(refusal("10", count), "");
  EXPECT_TRUE(says(refusal("11", count), "is too large"));
  EXPECT_TRUE(says(refusal("18446744073709551615", count), "is too large"));
  for (const char* const text : {"-1", "1.0", "\"1\"", "null", "1e1"}) {
    EXPECT_TRUE(says(refusal(text, count), "is not a whole number")) << text;
  }
}

TEST(JsonNode, DepthIsBounded) {
  EXPECT_EQ(parse_refusal(nested(12)), "");
  EXPECT_TRUE(says(parse_refusal(nested(13)), "nested too deeply"));
  EXPECT_TRUE(says(parse_refusal(std::string(100000, '[')), "nested too deeply"));
  // What is beside each other is not inside each other.
  EXPECT_EQ(parse_refusal("[[],[],[],[],[],[],[],[],[],[],[],[],[],[]]"), "");
}

TEST(JsonNode, NumbersThatNoDoubleHoldsAreRefused) {
  EXPECT_TRUE(says(parse_refusal("1e999"), "out of range"));
  EXPECT_TRUE(says(parse_refusal("nan"), "not JSON"));
}

}  // namespace
}  // namespace switchyard
