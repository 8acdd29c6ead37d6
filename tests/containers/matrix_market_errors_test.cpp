// Malformed Matrix Market files: each class with its code and the line it is found on.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <string>
#include <vector>

#include "containers/matrix_market_texts.hpp"

namespace switchyard {
namespace {

using namespace std::string_literals;

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

struct BadText {
  std::string text;  ///< after "%%MatrixMarket matrix "
  int line;
  ErrorCode code = ErrorCode::ParseError;
};

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

/// Refused in both ways of reading.
void expect_all_refused(const std::vector<BadText>& table) {
  for (const auto& [text, line, code] : table) {
    for (const bool lenient : {false, true}) {
      expect_refused("%%MatrixMarket matrix " + text, line, code, lenient);
    }
  }
}

const std::string real = "coordinate real general\n";
const std::string integer = "coordinate integer general\n";
const std::string pattern = "coordinate pattern general\n";
const std::string symmetric = "coordinate real symmetric\n";
const std::string skew = "coordinate real skew-symmetric\n";
const std::string array = "array real general\n";

TEST(MatrixMarketErrors, Banner) {
  const std::vector<std::string> texts{
      "",
      "\n",
      "1 1 1\n1 1 1\n",
      "%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n",
      "MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n",
      " %%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n",
      "\n%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n",
      "\xef\xbb\xbf%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n",
      "%%MatrixMarketmatrix coordinate real general\n1 1 1\n1 1 1\n",
      "%% MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n",
      "%%MatrixMarket",
      "%%MatrixMarket\n1 1 1\n1 1 1\n",
      "%%MatrixMarket vector coordinate real general\n1 1 1\n1 1 1\n",
      "%%MatrixMarket matrix, coordinate real general\n1 1 1\n1 1 1\n",
      "%%MatrixMarket matrix coordinate real general\0\n1 1 1\n1 1 1\n"s,
      "\x89PNG\r\n\x1a\n",
  };
  for (const auto& text : texts) {
    for (const bool lenient : {false, true}) {
      expect_refused(text, 1, ErrorCode::ParseError, lenient);
    }
  }
}

TEST(MatrixMarketErrors, FormatFieldAndSymmetry) {
  expect_all_refused({
      {"\n1 1 1\n1 1 1\n", 1},
      {"coordinate\n1 1 1\n1 1 1\n", 1},
      {"coordinate real\n1 1 1\n1 1 1\n", 1},
      {"sparse real general\n1 1 1\n1 1 1\n", 1},
      {"coordinate double general\n1 1 1\n1 1 1\n", 1},
      {"coordinate unsigned-integer general\n1 1 1\n1 1 1\n", 1},
      {"coordinate general real\n1 1 1\n1 1 1\n", 1},
      {"coordinate real diagonal\n1 1 1\n1 1 1\n", 1},
      {"coordinate real hermitian\n1 1 1\n1 1 1\n", 1},
      {"coordinate real skew\n1 1 1\n1 1 1\n", 1},
      {"array pattern general\n1 1\n1\n", 1},
      {"coordinate pattern skew-symmetric\n1 1 0\n", 1},
      {"coordinate complex general\n1 1 1\n1 1 1 0\n", 1, ErrorCode::Unsupported},
      {"coordinate complex hermitian\n1 1 1\n1 1 1 0\n", 1, ErrorCode::Unsupported},
      {"array Complex general\n1 1\n1 0\n", 1, ErrorCode::Unsupported},
  });
}

TEST(MatrixMarketErrors, Sizes) {
  expect_all_refused({
      {"coordinate real general", 1},
      {real, 1},
      {real + "% only\n\n%comments\n", 4},
      {real + "3\n", 2},
      {real + "3 3\n1 1 1\n", 2},
      {real + "a 3 1\n1 1 1\n", 2},
      {real + "3 b 1\n1 1 1\n", 2},
      {real + "3 3 c\n1 1 1\n", 2},
      {real + "3, 3, 1\n1 1 1\n", 2},
      {real + "% c\n\n3.0 3 1\n1 1 1\n", 4},
      {real + "3 3e0 1\n1 1 1\n", 2},
      {real + "0x3 3 1\n1 1 1\n", 2},
      {real + "-3 3 1\n1 1 1\n", 2},
      {real + "3 -3 1\n1 1 1\n", 2},
      {real + "3 3 -1\n1 1 1\n", 2},
      {real + "+-3 3 1\n1 1 1\n", 2},
      {real + "99999999999999999999 3 1\n1 1 1\n", 2},
      {real + "3 99999999999999999999 1\n1 1 1\n", 2},
      {real + "3 3 9223372036854775808\n1 1 1\n", 2},
      {real + "3 3 1\0\n1 1 1\n"s, 2},
      {real + "% \0\n3 3 1\n1 1 1\n"s, 2},
      {symmetric + "3 4 1\n1 1 1\n", 2},
      {skew + "4 3 1\n2 1 1\n", 2},
      {"coordinate pattern symmetric\n1 2 1\n1 1\n", 2},
      {"array real symmetric\n2 3\n1\n2\n3\n", 2},
      {array + "3\n1\n2\n3\n", 2},
      {array + "\n", 2},
  });
}

TEST(MatrixMarketErrors, Indices) {
  expect_all_refused({
      {real + "3 3 1\n0 1 1\n", 3},
      {real + "3 3 1\n1 0 1\n", 3},
      {real + "3 3 2\n1 1 1\n-1 1 1\n", 4},
      {real + "3 3 1\n1 -1 1\n", 3},
      {real + "3 3 1\n4 1 1\n", 3},
      {real + "3 3 1\n1 4 1\n", 3},
      {real + "3 3 1\n1.5 1 1\n", 3},
      {real + "3 3 1\n1 1.0 1\n", 3},
      {real + "3 3 1\n1e0 1 1\n", 3},
      {real + "3 3 1\n0x1 1 1\n", 3},
      {real + "3 3 1\n1,1,1\n", 3},
      {real + "3 3 1\nx 1 1\n", 3},
      {real + "3 3 1\n1 x 1\n", 3},
      {real + "3 3 1\n+ 1 1\n", 3},
      {real + "3 3 1\n1\n", 3},
      {real + "3 3 1\n\n\n99999999999999999999 1 1\n", 5},
      {real + "3 3 1\n1 18446744073709551617 1\n", 3},
      {real + "3 3 1\n9223372036854775807 1 1\n", 3},
      {real + "3 3 1\n4294967297 1 1\n", 3},
      {real + "3 3 1\n% late comment\n1 1 1\n", 3},
      {real + "3 3 1\n1\0 1 1\n"s, 3},
      {real + "0 3 1\n1 1 1\n", 3},
      {real + "3 0 1\n1 1 1\n", 3},
      {pattern + "3 3 1\n1\n", 3},
      {pattern + "3 3 1\n1 \xff\n", 3},
      {symmetric + "3 3 1\n4 1 1\n", 3},
  });
}

TEST(MatrixMarketErrors, Values) {
  expect_all_refused({
      {real + "3 3 1\n1 1\n", 3},
      {real + "3 3 2\n1 1 1\n2 2 \n", 4},
      {real + "3 3 1\n1 1 abc\n", 3},
      {real + "3 3 1\n1 1 1.5x\n", 3},
      {real + "3 3 1\n1 1 0x1p3\n", 3},
      {real + "3 3 1\n1 1 1,5\n", 3},
      {real + "3 3 1\n1 1 1.0d0\n", 3},
      {real + "3 3 1\n1 1 --1\n", 3},
      {real + "3 3 1\n1 1 +-1\n", 3},
      {real + "3 3 1\n1 1 .\n", 3},
      {real + "3 3 1\n1 1 e5\n", 3},
      {real + "3 3 1\n1 1 1e\n", 3},
      {real + "3 3 1\n1 1 infinit\n", 3},
      {real + "3 3 1\n1 1 nano\n", 3},
      {real + "3 3 1\n1 1 %\n", 3},
      {real + "3 3 1\n1 1 1\0\n"s, 3},
      {real + "3 3 1\n1 1 1 \0\n"s, 3},
      {integer + "3 3 1\n1 1 1.5\n", 3},
      {integer + "3 3 1\n1 1 1e3\n", 3},
      {integer + "3 3 1\n1 1 0x10\n", 3},
      {integer + "3 3 1\n1 1 9223372036854775808\n", 3},
      {integer + "3 3 1\n1 1 -9223372036854775809\n", 3},
      {integer + "3 3 1\n1 1 nan\n", 3},
      {integer + "3 3 1\n1 1\n", 3},
      {array + "2 1\n1\nx\n", 4},
      {"array integer general\n2 1\n1\n1.5\n", 4},
  });
}

TEST(MatrixMarketErrors, CountOfEntries) {
  expect_all_refused({
      {real + "3 3 2\n1 1 1\n", 3},
      {real + "3 3 2\n", 2},
      {real + "3 3 2\n1 1 1\n\n\n", 5},
      {real + "3 3 2\n1 1 1\n2 2", 4},
      {real + "3 3 1\n1 1 1\n2 2 2\n", 4},
      {real + "3 3 1\n\n1 1 1\n\n\n2 2 2\n3 3 3\n", 7},
      {real + "3 3 0\n1 1 1\n", 3},
      {real + "3 3 1\n1 1 1\n2 2 oops\n", 4},
      {array + "2 2\n1\n2\n3\n", 5},
      {array + "2 2\n1\n2\n3\n4\n5\n", 7},
      {array + "0 2\n1\n", 3},
      {"array real symmetric\n2 2\n1\n2\n", 4},
      {"array real symmetric\n2 2\n1\n2\n3\n4\n", 6},
      {"array real skew-symmetric\n2 2\n1\n2\n", 4},
      {"array real skew-symmetric\n2 2\n", 2},
      {skew + "2 2 1\n1 1 1\n", 3},
      {skew + "2 2 1\n1 1 nan\n", 3},
  });
}

TEST(MatrixMarketErrors, OnlyStrictReading) {
  const std::vector<BadText> table{
      {"coordinate real general extra\n1 1 1\n1 1 1\n", 1},
      {real + "1 1 1 1\n1 1 1\n", 2},
      {array + "1 1 1\n1\n", 2},
      {real + "3 3 1\n1 1 1 1\n", 3},
      {real + "3 3 1\n1 1 1 x\n", 3},
      {real + "3 3 1\n1 1 1\r2 2 2\n", 3},
      {real + "3 3 2\n1 1 1\n2 2 2 % note\n", 4},
      {pattern + "3 3 1\n1 1 1\n", 3},
      {array + "1 2\n1 x\n2\n", 3},
      {symmetric + "3 3 2\n1 1 1\n1 2 1\n", 4},
      {skew + "3 3 1\n1 2 1\n", 3},
      {skew + "3 3 1\n1 1 0\n", 3},
      {real + "3 3 1\n1 1 1e999\n", 3},
      {real + "3 3 1\n1 1 -1e99999999999999999999999\n", 3},
      {array + "1 1\n" + std::string(400, '9') + "\n", 3},
  };
  for (const auto& [text, line, code] : table) {
    const std::string whole = "%%MatrixMarket matrix " + text;
    expect_refused(whole, line, code, false);
    EXPECT_TRUE(outcome_of<double>(whole, true).read) << whole;
  }
  // Too large for the element type, and not for the other.
  const auto large = "%%MatrixMarket matrix " + real + "3 3 1\n1 1 1e39\n";
  EXPECT_EQ(outcome_of<float>(large, false).where, "file.mtx:3");
  EXPECT_TRUE(outcome_of<float>(large, true).read);
  EXPECT_TRUE(outcome_of<double>(large, false).read);
}

long peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(MatrixMarketErrors, HeaderBombsTakeNoMemory) {
  const long before = peak_kilobytes();
  const auto range = ErrorCode::OutOfRange;
  expect_all_refused({
      {real + "100 100 1000000000000\n1 1 1\n", 2, range},
      {real + "100 100 9223372036854775807\n1 1 1\n", 2, range},
      {real + "100 100 100000000\n", 2, range},
      {real + "1000000000000 100 1\n1 1 1\n", 2, range},
      {real + "9223372036854775807 100 1\n1 1 1\n", 2, range},
      {real + "2147483647 2147483647 1\n1 1 1\n", 2, range},
      {real + "100 1000000000000 1\n1 1 1\n", 2, range},
      {real + "100 2147483648 1\n1 1 1\n", 2, range},
      {real + "4294967296 4294967296 1\n1 1 1\n", 2, range},
      {pattern + "1000000000 1 1\n1 1\n", 2, range},
      {symmetric + "2000000000 2000000000 1\n1 1 1\n", 2, range},
      {symmetric + "1000000000000 1000000000000 1\n1 1 1\n", 2, range},
      {array + "4294967296 4294967296\n1\n", 2, range},
      {array + "4294967296 2147483647\n1\n", 2, range},
      {array + "9223372036854775807 2\n1\n", 2, range},
      {array + "1000000 1000000\n1\n", 2, range},
      {array + "10000 10000\n1\n", 2, range},
      {array + "0 9223372036854775807\n", 2, range},
      {"array real symmetric\n2147483647 2147483647\n1\n", 2, range},
      {"array real skew-symmetric\n2000000000 2000000000\n1\n", 2, range},
  });
  EXPECT_LT(peak_kilobytes() - before, 16 * 1024);
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

TEST(MatrixMarketErrors, EndlessLines) {
  const std::string blanks(3 << 20, ' ');
  expect_refused("%%MatrixMarket" + blanks, 1, ErrorCode::ParseError, false);
  expect_all_refused({
      {real + "%" + blanks + "\n1 1 1\n1 1 1\n", 2},
      {real + "1 1 1\n1 1 " + blanks + "1\n", 3},
      {array + "1 1\n" + std::string(2 << 20, '1') + "\n", 3},
  });
}

TEST(MatrixMarketErrors, LongCommentsAreNone) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n";
  for (int k = 0; k < 50000; ++k) text += "% a comment of some forty characters or so\n";
  EXPECT_TRUE(outcome_of<float>(text + "1 1 1\n1 1 1\n", false).read);
  expect_refused(text + "1 1 1\n1 1 x\n", 50003, ErrorCode::ParseError, false);
  expect_refused(text + "1 x 1\n1 1 1\n", 50002, ErrorCode::ParseError, false);
}

TEST(MatrixMarketErrors, EveryValidTextCutAtEveryByteIsReadOrRefused) {
  for (const auto& valid : valid_texts) {
    for (std::size_t size = 0; size < valid.text.size(); ++size) {
      for (const bool lenient : {false, true}) {
        const auto outcome = outcome_of<double>(valid.text.substr(0, size), lenient);
        if (outcome.read) continue;
        EXPECT_TRUE(outcome.code == ErrorCode::ParseError || outcome.code == ErrorCode::OutOfRange)
            << outcome.what;
        EXPECT_EQ(outcome.where.rfind("file.mtx:", 0), 0u) << outcome.what;
      }
    }
  }
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
