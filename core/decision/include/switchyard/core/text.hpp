// Quantities and lines as text for people.
#pragma once

#include <string>
#include <string_view>
#include <switchyard/containers/numbers.hpp>

namespace switchyard {

/// The columns that a page of text has.
inline constexpr std::size_t page_width = 100;

/// What is written before words that stand out, and after them: nothing, unless somebody gives a
/// terminal's escape sequences.
struct TextStyle {
  std::string_view heading = {};  ///< before the titles of columns
  std::string_view chosen = {};   ///< before what was chosen
  std::string_view warning = {};  ///< before what deserves a second look
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

/// The places that UTF-8 text takes on a terminal, one for each character.
[[nodiscard]] std::size_t display_width(std::string_view text) noexcept;

/// The text in at most `width` places: what is too much is cut out of the middle, "..." in its
/// place.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t width);

/// `lead` and the words of `text` in lines of at most `page_width` places, each ended; those after
/// the first are indented by the width of `lead`. White space, and what would steer a terminal (a
/// file's name or a driver's message may hold anything), becomes one space; a word that is longer
/// than a line is `shortened`.
[[nodiscard]] std::string folded(std::string_view lead, std::string_view text);

}  // namespace switchyard
