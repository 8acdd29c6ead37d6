// Numbers and words of one line of text.
#pragma once

#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <switchyard/containers/numbers.hpp>

namespace switchyard {

[[nodiscard]] constexpr bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\r';
}
[[nodiscard]] constexpr bool ends_word(char c) noexcept { return is_blank(c) || c == '\n'; }

/// A place in text of whole lines, each ending in '\n': nothing here reads beyond one.
struct Cursor {
  const char* at;
  const char* end;

  void skip_blanks() noexcept {
    while (is_blank(*at)) ++at;
  }
  [[nodiscard]] bool at_line_end() const noexcept { return *at == '\n'; }
  /// The word here, empty at the end of the line.
  [[nodiscard]] std::string_view word() const noexcept;
};

/// The word for a message: short and printable.
[[nodiscard]] std::string shown(std::string_view word);

/// How a number was read.
enum class Scan { Good, Missing, NotANumber, TooLarge };

/// A whole number that fills a word, with an optional sign.
inline Scan scan_integer(Cursor& cursor, Index& value) noexcept {
  cursor.skip_blanks();
  if (cursor.at_line_end()) return Scan::Missing;
  const char* first = cursor.at;
  // from_chars takes no plus sign, and scanf, after which the format was made, does.
  if (*first == '+' && first[1] != '-') ++first;
  const auto [last, failure] = std::from_chars(first, cursor.end, value);
  if (failure == std::errc::invalid_argument || !ends_word(*last)) return Scan::NotANumber;
  if (failure == std::errc::result_out_of_range) return Scan::TooLarge;
  cursor.at = last;
  return Scan::Good;
}

/// A whole number without a sign and of at most 18 digits, as nearly all indices are; false, and
/// nothing moved, for all else.
inline bool scan_short_integer(Cursor& cursor, Index& value) noexcept {
  cursor.skip_blanks();
  const char* at = cursor.at;
  Index sum = 0;
  while (*at >= '0' && *at <= '9' && at - cursor.at < 18) sum = sum * 10 + (*at++ - '0');
  if (at == cursor.at || !ends_word(*at)) return false;
  cursor.at = at;
  value = sum;
  return true;
}

/// Whether a decimal number that fits no floating type is too large, and not too small.
[[nodiscard]] bool is_huge(std::string_view number) noexcept;

/// A real number that fills a word, correctly rounded: decimal, "inf", "infinity" or "nan" in any
/// case, with an optional sign. Too small a one is zero; `TooLarge` leaves an infinity.
template <Element T>
Scan scan_real(Cursor& cursor, T& value) noexcept {
  cursor.skip_blanks();
  if (cursor.at_line_end()) return Scan::Missing;
  const char* first = cursor.at;
  if (*first == '+' && first[1] != '-') ++first;
  const auto [last, failure] = std::from_chars(first, cursor.end, value);
  if (failure == std::errc::invalid_argument || !ends_word(*last)) return Scan::NotANumber;
  if (last[-1] == ')') return Scan::NotANumber;  // "nan(text)", of which no other reader knows
  cursor.at = last;
  if (failure != std::errc::result_out_of_range) return Scan::Good;
  const bool huge = is_huge({first, last});
  value =
      std::copysign(huge ? std::numeric_limits<T>::infinity() : T{0}, *first == '-' ? T{-1} : T{1});
  return huge ? Scan::TooLarge : Scan::Good;
}

}  // namespace switchyard
