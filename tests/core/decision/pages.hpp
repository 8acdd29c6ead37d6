// Pages of text, for the tests of what is printed about plans.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <switchyard/core/text.hpp>
#include <vector>

namespace switchyard::testing {

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The words of a page with one space between them, wherever its lines break.
inline std::string unfolded(const std::string& text) {
  std::istringstream in(text);
  std::string words;
  for (std::string word; in >> word;) words += (words.empty() ? "" : " ") + word;
  return words;
}

inline void expect_fits(const std::string& text) {
  for (const std::string& line : lines_of(text)) {
    EXPECT_LE(display_width(line), page_width) << line;
    EXPECT_FALSE(line.ends_with(' ')) << '"' << line << '"';
    for (const char c : line) EXPECT_GE(static_cast<unsigned char>(c), ' ') << line;
  }
  EXPECT_TRUE(text.ends_with('\n'));
}

}  // namespace switchyard::testing
