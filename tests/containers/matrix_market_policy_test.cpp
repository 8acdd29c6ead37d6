// What strict reading refuses and lenient reading takes, and what it makes of it.
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <switchyard/containers/log.hpp>

#include "containers/matrix_market_texts.hpp"

namespace switchyard {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Policy {
  std::string name;
  std::string text;  ///< after "%%MatrixMarket matrix "
  int strict_line;   ///< that strict reading refuses; 0 where it reads the same
  std::optional<ElementsByPlace> lenient;  ///< nothing where it is refused on that line as well
};

const std::vector<Policy>& policies() {
  static const std::string real = "coordinate real general\n";
  static const std::string symmetric = "coordinate real symmetric\n";
  static const std::string skew = "coordinate real skew-symmetric\n";
  static const std::vector<Policy> table{
      {"duplicates", real + "2 2 3\n1 1 1\n1 1 2\n1 1 4\n", 0, ElementsByPlace{{{0, 0}, 7}}},
      {"duplicates of a symmetric entry", symmetric + "2 2 2\n2 1 1\n2 1 2\n", 0,
       ElementsByPlace{{{0, 1}, 3}, {{1, 0}, 3}}},
      {"duplicates of a pattern", "coordinate pattern general\n1 1 2\n1 1\n1 1\n", 0,
       ElementsByPlace{{{0, 0}, 2}}},
      {"upper entry", symmetric + "2 2 1\n1 2 3\n", 0, ElementsByPlace{{{0, 1}, 3}, {{1, 0}, 3}}},
      {"upper entry after a good one", symmetric + "3 3 2\n1 1 1\n1 2 1\n", 0,
       ElementsByPlace{{{0, 0}, 1}, {{0, 1}, 1}, {{1, 0}, 1}}},
      {"both triangles", symmetric + "2 2 2\n1 2 3\n2 1 4\n", 4,
       ElementsByPlace{{{0, 1}, 7}, {{1, 0}, 7}}},
      {"upper entry of a pattern", "coordinate pattern symmetric\n2 2 1\n1 2\n", 0,
       ElementsByPlace{{{0, 1}, 1}, {{1, 0}, 1}}},
      {"upper skew entry", skew + "3 3 1\n1 2 1\n", 0, ElementsByPlace{{{0, 1}, 1}, {{1, 0}, -1}}},
      {"zero on a skew diagonal", skew + "3 3 1\n1 1 0\n", 3, ElementsByPlace{{{0, 0}, 0}}},
      {"skew diagonal", skew + "2 2 1\n1 1 1\n", 3, std::nullopt},
      {"1e999", real + "3 3 1\n1 1 1e999\n", 3, ElementsByPlace{{{0, 0}, infinity}}},
      {"-1e999...", real + "3 3 1\n1 1 -1e99999999999999999999999\n", 3,
       ElementsByPlace{{{0, 0}, -infinity}}},
      {"400 digits", "array real general\n1 1\n" + std::string(400, '9') + "\n", 3,
       ElementsByPlace{{{0, 0}, infinity}}},
      {"1e-999", real + "1 1 1\n1 1 1e-999\n", 0, ElementsByPlace{{{0, 0}, 0}}},
      {"hexadecimal", real + "1 1 1\n1 1 0x1p3\n", 3, std::nullopt},
      {"hexadecimal integer", "coordinate integer general\n1 1 1\n1 1 0x10\n", 3, std::nullopt},
      {"hexadecimal index", real + "1 1 1\n0x1 1 1\n", 3, std::nullopt},
      {"junk after the banner", "coordinate real general extra\n1 1 1\n1 1 1\n", 1,
       ElementsByPlace{{{0, 0}, 1}}},
      {"junk after the sizes", real + "1 1 1 1\n1 1 1\n", 2, ElementsByPlace{{{0, 0}, 1}}},
      {"entries of an array", "array real general\n1 1 1\n1\n", 2, ElementsByPlace{{{0, 0}, 1}}},
      {"a further number", real + "3 3 1\n1 1 1 1\n", 3, ElementsByPlace{{{0, 0}, 1}}},
      {"a further word", real + "3 3 1\n1 1 1 x\n", 3, ElementsByPlace{{{0, 0}, 1}}},
      {"words", real + "1 1 1\n1 1 2 and more\n", 3, ElementsByPlace{{{0, 0}, 2}}},
      {"a carriage return within", real + "3 3 1\n1 1 1\r2 2 2\n", 3, ElementsByPlace{{{0, 0}, 1}}},
      {"a late comment", real + "3 3 2\n1 1 1\n2 2 2 % note\n", 4,
       ElementsByPlace{{{0, 0}, 1}, {{1, 1}, 2}}},
      {"a value in a pattern", "coordinate pattern general\n3 3 1\n1 1 5\n", 3,
       ElementsByPlace{{{0, 0}, 1}}},
      {"two words in an array", "array real general\n1 2\n1 x\n2\n", 3,
       ElementsByPlace{{{0, 0}, 1}, {{0, 1}, 2}}},
      {"junk with a NUL", real + "1 1 1\n1 1 1 a" + std::string(1, '\0') + "\n", 3, std::nullopt},
      {"a comment between entries", real + "3 3 2\n1 1 1\n  % note\n2 2 2\n", 4,
       ElementsByPlace{{{0, 0}, 1}, {{1, 1}, 2}}},
      {"a comment after the sizes", real + "3 3 1\n%\n1 1 1\n", 3, ElementsByPlace{{{0, 0}, 1}}},
      {"a comment at the end", real + "3 3 1\n1 1 1\n% end", 4, ElementsByPlace{{{0, 0}, 1}}},
      {"a comment in an array", "array real general\n2 1\n1\n% note\n2\n", 4,
       ElementsByPlace{{{0, 0}, 1}, {{1, 0}, 2}}},
      {"Fortran's exponents", real + "3 3 1\n1 1 -1.5D+01\n", 3, ElementsByPlace{{{0, 0}, -15}}},
      {"Fortran's exponents in lower case", real + "3 3 1\n1 1 5d-1\n", 3,
       ElementsByPlace{{{0, 0}, 0.5}}},
      {"Fortran's exponents too large", real + "3 3 1\n1 1 1D999\n", 3,
       ElementsByPlace{{{0, 0}, infinity}}},
      {"a fraction in an integer file", "coordinate integer general\n3 3 1\n1 1 1.5\n", 3,
       ElementsByPlace{{{0, 0}, 1.5}}},
      {"an exponent in an integer file", "coordinate integer general\n3 3 1\n1 1 1e3\n", 3,
       ElementsByPlace{{{0, 0}, 1000}}},
      {"a point in an integer file", "array integer general\n1 1\n7.\n", 3,
       ElementsByPlace{{{0, 0}, 7}}},
      {"an integer of 65 bits", "coordinate integer general\n3 3 1\n1 1 9223372036854775808\n", 3,
       ElementsByPlace{{{0, 0}, 9223372036854775808.0}}},
      {"imaginary part", real + "1 1 1\n1 1 1 0\n", 3, ElementsByPlace{{{0, 0}, 1}}},
  };
  return table;
}

/// The elements, or the line that was refused.
std::pair<std::optional<ElementsByPlace>, std::string> read(const std::string& text, bool lenient) {
  try {
    return {elements_of(parse_matrix_market<double>(text, "text", {lenient})), {}};
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::ParseError) << error.what();
    return {std::nullopt, error.where()};
  }
}

TEST(MatrixMarketPolicy, IsWhatTheTableSays) {
  for (const Policy& policy : policies()) {
    SCOPED_TRACE(policy.name);
    const std::string text = "%%MatrixMarket matrix " + policy.text;
    const auto [strictly, strict_place] = read(text, false);
    const auto [leniently, lenient_place] = read(text, true);
    const std::string line = "text:" + std::to_string(policy.strict_line);
    if (policy.strict_line == 0) {
      EXPECT_EQ(strictly, policy.lenient);
    } else {
      EXPECT_FALSE(strictly);
      EXPECT_EQ(strict_place, line);
    }
    EXPECT_EQ(leniently, policy.lenient);
    EXPECT_EQ(lenient_place, policy.lenient ? "" : line);
  }
  RecordProperty("policies", static_cast<int>(policies().size()));
}

TEST(MatrixMarketPolicy, WhatIsTooLargeDependsOnTheElementType) {
  const std::string text = "%%MatrixMarket matrix array real general\n1 1\n-1e39\n";
  EXPECT_THROW((void)parse_matrix_market<float>(text, "text"), Error);
  EXPECT_EQ(elements_of(parse_matrix_market<float>(text, "text", {.lenient = true})),
            (ElementsByPlace{{{0, 0}, -infinity}}));
  EXPECT_EQ(elements_of(parse_matrix_market<double>(text, "text")),
            (ElementsByPlace{{{0, 0}, -1e39}}));
}

TEST(MatrixMarketPolicy, WhatFloatCannotHoldIsReadAsDouble) {
  const std::string text = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1e39\n";
  try {
    static_cast<void>(parse_matrix_market<float>(text, "text"));
    ADD_FAILURE() << "it was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("too large for float (text:3); read it as double"),
              std::string::npos)
        << error.what();
  }
}

// SciPy's mmwrite names elements of an unsigned type so.
TEST(MatrixMarketPolicy, UnsignedIntegersAreIntegers) {
  const std::string banner = "%%MatrixMarket matrix coordinate unsigned-integer ";
  EXPECT_EQ(
      elements_of(parse_matrix_market<float>(banner + "symmetric\n2 2 2\n1 1 7\n2 1 8\n", "t")),
      (ElementsByPlace{{{0, 0}, 7}, {{0, 1}, 8}, {{1, 0}, 8}}));
  EXPECT_THROW(
      static_cast<void>(parse_matrix_market<float>(banner + "general\n1 1 1\n1 1 0.5\n", "t")),
      Error);
}

TEST(MatrixMarketPolicy, FilesOfOtherKindsAreNamedWithWhatToDo) {
  const std::string nul(1, '\0');
  const std::vector<std::pair<std::string, std::string>> files{
      {std::string(257, 'x') + "ustar" + nul + "00", "tar xf"},
      {"PK\x03\x04" + std::string(30, '\0'), ".npz"},
      {"\x93NUMPY" + nul, ".npy"},
      {"\xfd"
       "7zXZ" +
           nul,
       "xz -d"},
      {"BZh91AY", "bzip2 -d"},
      {"\x28\xb5\x2f\xfd", "zstd -d"},
      {"\x89HDF\r\n\x1a\n", "HDF5"},
      {"MATLAB 5.0 MAT-file", "scipy.io.loadmat"}};
  for (const auto& [begin, part] : files) {
    SCOPED_TRACE(part);
    try {
      static_cast<void>(parse_matrix_market<float>(begin, "file"));
      ADD_FAILURE() << "it was read";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::Unsupported) << error.what();
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
}

TEST(MatrixMarketPolicy, WhatIsForgivenIsOneWarning) {
  std::vector<std::string> heard;
  set_log_level(LogLevel::Warning);
  set_log_sink([&](LogLevel, std::string_view message) { heard.emplace_back(message); });
  const std::string banner = "%%MatrixMarket matrix coordinate real ";
  const auto read_leniently = [&](const std::string& text) {
    static_cast<void>(parse_matrix_market<float>(banner + text, "a.mtx", {.lenient = true}));
  };
  read_leniently("general\n2 2 1\n1 1 1\n");
  EXPECT_TRUE(heard.empty());
  read_leniently("general x\n2 2 3 y\n% note\n1 1 1d0 z\n1 2 1e99\n2 1 2d0\n");
  read_leniently("symmetric\n2 2 2\n1 2 1\n2 1 1\n");
  set_log_sink({});
  set_log_level(LogLevel::Off);
  ASSERT_EQ(heard.size(), 2U);
  EXPECT_EQ(heard[0],
            "a.mtx: read leniently: further words on a line, ignored (3); comments between entries "
            "(1); numbers too large for the element type, now infinite (1); exponents written with "
            "D (2)");
  EXPECT_NE(heard[1].find("both triangles"), std::string::npos) << heard[1];
}

TEST(MatrixMarketPolicy, AnUpperTriangleIsToldAtInfoLevel) {
  std::vector<std::string> heard;
  set_log_level(LogLevel::Info);
  set_log_sink([&](LogLevel, std::string_view message) { heard.emplace_back(message); });
  static_cast<void>(parse_matrix_market<float>(
      "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 3\n", "up.mtx"));
  static_cast<void>(parse_matrix_market<float>(
      "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 3\n", "down.mtx"));
  set_log_sink({});
  set_log_level(LogLevel::Off);
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_NE(heard.front().find("up.mtx"), std::string::npos);
}

}  // namespace
}  // namespace switchyard
