// Formatting of quantities and text lines for people.
#pragma once

#include <string>
#include <string_view>
#include <switchyard/containers/numbers.hpp>

namespace switchyard {

/// The width of a page in columns.
inline constexpr std::size_t page_width = 100;

/// The text before and after highlighted words, such as a terminal's escape sequences. Empty by
/// default.
struct TextStyle {
  std::string_view heading = {};  ///< before column titles
  std::string_view chosen = {};   ///< before the chosen step
  std::string_view warning = {};  ///< before warnings
  std::string_view faint = {};    ///< before details
  std::string_view end = {};      ///< after any of them
};

/// A count in three digits with its unit: "9.80M".
[[nodiscard]] std::string format_count(Index count);

/// A time in three digits with its unit: "12.1ms".
[[nodiscard]] std::string format_seconds(double seconds);

/// "61.0 MiB".
[[nodiscard]] std::string format_bytes(double bytes);

/// "3.64x".
[[nodiscard]] std::string format_ratio(double ratio);

/// The width of UTF-8 text on a terminal: one column for each character.
[[nodiscard]] std::size_t display_width(std::string_view text) noexcept;

/// The text in at most `width` columns. If it is longer, "..." replaces its middle.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t width);

/// `lead` and the words of `text` in lines of at most `page_width` columns, each with a line end.
/// Lines after the first are indented by the width of `lead`. White space and control characters
/// become one space, since a file's name or a driver's message may hold anything. A word that is
/// longer than a line is `shortened`.
[[nodiscard]] std::string folded(std::string_view lead, std::string_view text);

}  // namespace switchyard
