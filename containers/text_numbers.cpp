// Numbers and words of one line of text: the rarer cases.
#include "text_numbers.hpp"

#include <algorithm>

namespace switchyard {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string_view Cursor::word() const noexcept {
  return {at, static_cast<std::size_t>(std::find_if(at, end, ends_word) - at)};
}

std::string shown(std::string_view word) {
  constexpr std::size_t longest = 24;
  std::string text(word.substr(0, longest));
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return "'" + text + (word.size() > longest ? "...'" : "'");
}

bool is_huge(std::string_view number) noexcept {
  const std::size_t digits_end = std::min(number.find_first_of("eE"), number.size());
  const std::string_view digits = number.substr(0, digits_end);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t leading = digits.find_first_of("123456789");
  if (leading == std::string_view::npos) return false;
  // The power of ten of the leading digit, the exponent aside.
  const auto power = static_cast<Index>(point) - static_cast<Index>(leading);
  if (digits_end == number.size()) return power > 0;
  std::string_view written = number.substr(digits_end + 1);
  const bool negative = written.starts_with('-');
  if (!written.empty() && !is_digit(written.front())) written.remove_prefix(1);
  Index exponent = 0;
  const auto failure =
      std::from_chars(written.data(), written.data() + written.size(), exponent).ec;
  if (failure == std::errc::result_out_of_range) return !negative;
  exponent = std::min(exponent, Index{1} << 40);  // more than any text could make up for
  return power + (negative ? -exponent : exponent) > 0;
}

}  // namespace switchyard
