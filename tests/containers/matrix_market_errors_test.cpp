// Malformed Matrix Market files: each class with its code and the line it is found on.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "containers/malformed_texts.hpp"
#include "containers/matrix_market_texts.hpp"

namespace switchyard {
namespace {

/// What became of reading a text.
struct Outcome {
  bool read = false;
  ErrorCode code = ErrorCode::Internal;
  std::string where = {};
  std::string what = {};
};

template <Element T>
Outcome outcome_of(std::string_view text, bool lenient) {
  try {
    (void)parse_matrix_market<T>(text, "file.mtx", {lenient});
  } catch (const Error& error) {
    return {false, error.code(), error.where(), error.what()};
  }
  return {.read = true};
}

void expect_refused(const std::string& text, int line, ErrorCode code, bool lenient) {
  for (const auto& outcome :
       {outcome_of<float>(text, lenient), outcome_of<double>(text, lenient)}) {
    const std::string trace = text.substr(0, 200) + (lenient ? " (lenient)" : " (strict)");
    ASSERT_FALSE(outcome.read) << trace;
    EXPECT_EQ(name(outcome.code), name(code)) << trace << ": " << outcome.what;
    EXPECT_EQ(outcome.where, "file.mtx:" + std::to_string(line)) << trace << ": " << outcome.what;
    EXPECT_EQ(outcome.what.find('\n'), std::string::npos) << trace;
  }
}

TEST(MatrixMarketErrors, EveryMalformedTextIsRefusedWithItsCodeAndLine) {
  std::size_t tried = 0;
  for (const auto& [name, texts] : malformed_classes()) {
    SCOPED_TRACE(name);
    EXPECT_GE(texts.size(), 20u);
    for (const auto& [text, line, code] : texts) {
      for (const bool lenient : {false, true}) expect_refused(text, line, code, lenient);
    }
    tried += texts.size();
  }
  RecordProperty("malformed_texts", static_cast<int>(tried));
  EXPECT_GE(tried, 200u);
}

TEST(MatrixMarketErrors, LongFilesNameTheLine) {
  // Several blocks of a megabyte, so that lines of earlier blocks are counted by other threads.
  const int count = 400000;
  std::string text = "%%MatrixMarket matrix coordinate real general\n% comment\n1000 1000 400000\n";
  std::vector<std::size_t> begins;
  for (int k = 0; k < count; ++k) {
    begins.push_back(text.size());
    text += std::to_string(k % 1000 + 1) + " " + std::to_string(k % 997 + 1) + " 1.25\n";
    if (k % 100000 == 0) text += "\n";
  }
  EXPECT_TRUE(outcome_of<double>(text, false).read);
  const auto line_of = [](int k) { return 4 + k + (k + 99999) / 100000; };
  for (const int k : {0, 1, 100000, 100001, 250000, 399999}) {
    std::string bad = text;
    bad[begins[static_cast<std::size_t>(k)]] = 'x';
    if (k < 300000) bad[begins[350000]] = 'y';  // a later one, which must not be the one reported
    expect_refused(bad, line_of(k), ErrorCode::ParseError, false);
  }
  const std::string fewer = text;
  const std::string announced = "1000 1000 400000";
  auto replaced = [&](const std::string& sizes) {
    std::string other = fewer;
    return other.replace(other.find(announced), announced.size(), sizes);
  };
  expect_refused(replaced("1000 1000 399999"), line_of(399999), ErrorCode::ParseError, false);
  expect_refused(replaced("1000 1000 123456"), line_of(123456), ErrorCode::ParseError, false);
  expect_refused(replaced("1000 1000 400001"), line_of(399999), ErrorCode::ParseError, false);
}

TEST(MatrixMarketErrors, LongCommentsAreNone) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n";
  for (int k = 0; k < 50000; ++k) text += "% a comment of some forty characters or so\n";
  EXPECT_TRUE(outcome_of<float>(text + "1 1 1\n1 1 1\n", false).read);
  expect_refused(text + "1 1 1\n1 1 x\n", 50003, ErrorCode::ParseError, false);
  expect_refused(text + "1 x 1\n1 1 1\n", 50002, ErrorCode::ParseError, false);
}

TEST(MatrixMarketErrors, EveryValidTextCutAtEveryByteIsReadOrRefused) {
  int cuts = 0;
  for (const auto& valid : valid_texts) {
    for (std::size_t size = 0; size < valid.text.size(); ++size) {
      for (const bool lenient : {false, true}) {
        const auto text = valid.text.substr(0, size);
        const auto outcome = outcome_of<double>(text, lenient);
        ++cuts;
        if (outcome.read) {  // the last number may have lost digits, but no entry is lost
          const auto matrix = parse_matrix_market<double>(text, "text", {lenient});
          EXPECT_EQ(elements_of(matrix).size(), valid.elements.size()) << text;
          continue;
        }
        EXPECT_TRUE(outcome.code == ErrorCode::ParseError || outcome.code == ErrorCode::OutOfRange)
            << outcome.what;
        EXPECT_EQ(outcome.where.rfind("file.mtx:", 0), 0u) << outcome.what;
      }
    }
  }
  RecordProperty("cuts", cuts);
}

TEST(MatrixMarketErrors, EveryValidTextWithOneByteChangedIsReadOrRefused) {
  for (const auto& valid : valid_texts) {
    for (std::size_t k = 0; k < valid.text.size(); ++k) {
      for (const char c : {'\0', '\n', '\r', ' ', '-', '+', '.', '0', '9', 'e', '%', '\xff'}) {
        std::string text(valid.text);
        text[k] = c;
        for (const bool lenient : {false, true}) {
          const auto outcome = outcome_of<float>(text, lenient);
          if (outcome.read) continue;
          EXPECT_TRUE(outcome.code == ErrorCode::ParseError ||
                      outcome.code == ErrorCode::OutOfRange)
              << outcome.what;
        }
      }
    }
  }
}

}  // namespace
}  // namespace switchyard
