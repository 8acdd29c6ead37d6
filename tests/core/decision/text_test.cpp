// Quantities and folded lines.
#include <gtest/gtest.h>

#include "core/decision/pages.hpp"

namespace switchyard {
namespace {

using testing::expect_fits;

TEST(Text, FoldsAtWordsAndShortensWhatIsTooLong) {
  EXPECT_EQ(folded("a  ", "b  c\nd\x1b[2J"), "a  b c d [2J\n");
  EXPECT_EQ(folded("a", ""), "a\n");
  const std::string text = folded("lead ", std::string(60, 'x') + " " + std::string(60, 'y'));
  EXPECT_EQ(text, "lead " + std::string(60, 'x') + "\n     " + std::string(60, 'y') + "\n");
  expect_fits(folded("lead ", std::string(10'000, 'z')));
  EXPECT_EQ(shortened("0123456789", 9), "012...789");
  EXPECT_EQ(shortened("0123456789", 10), "0123456789");
  EXPECT_EQ(shortened("0123456789", 2), "01");
  EXPECT_EQ(shortened("äöüäöüäöüäöü", 9), "äöü...äöü");
}

TEST(Text, CountsHaveThreeDigitsAndAUnit) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1.00k");
  EXPECT_EQ(format_count(1'234'567), "1.23M");
  EXPECT_EQ(format_count(12'345'678'900), "12.3G");
  EXPECT_EQ(format_count(999'499), "999k");
  EXPECT_EQ(format_count(999'500), "1.00M");
  EXPECT_EQ(format_count(999'000'000'000'000'000), "999P");
  EXPECT_EQ(format_count(9'000'000'000'000'000'000), "9.00E");
}

TEST(Text, QuantitiesStayShort) {
  for (double value = 1e-300; value < 1e300; value *= 3.7) {
    EXPECT_LE(format_seconds(value).size(), 10U) << value;
    EXPECT_LE(format_bytes(value).size(), 11U) << value;
    EXPECT_LE(format_ratio(value).size(), 9U) << value;
  }
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_seconds(1.5e6), "1.50e+06s");
  EXPECT_EQ(format_ratio(3.14159), "3.14x");
  EXPECT_EQ(format_ratio(1234.5), "1234x");
}

}  // namespace
}  // namespace switchyard
