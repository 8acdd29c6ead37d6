// Writing quantities, and folding lines.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <switchyard/core/text.hpp>

namespace switchyard {
namespace {

constexpr std::string_view ellipsis = "...";

bool goes_on(char c) noexcept { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }
bool separates(char c) noexcept { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; }

/// How many bytes the first `places` characters of UTF-8 text take.
std::size_t bytes_of_places(std::string_view text, std::size_t places) noexcept {
  std::size_t at = 0;
  for (std::size_t seen = 0; at < text.size(); ++at) {
    if (!goes_on(text[at]) && ++seen > places) break;
  }
  return at;
}

}  // namespace

std::string format_count(Index count) {
  if (count < 1000) return fmt::format("{}", count);
  constexpr std::string_view units = "kMGTPE";
  auto value = static_cast<double>(count);
  std::size_t unit = 0;
  for (value /= 1000; value >= 999.5 && unit + 1 < units.size(); value /= 1000) ++unit;
  const int digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return fmt::format("{:.{}f}{}", value, digits, units[unit]);
}

std::string format_seconds(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  const double magnitude = std::abs(seconds);
  if (magnitude >= 1e5) return fmt::format("{:.2e}s", seconds);
  const auto [scale, unit] = magnitude >= 1 || magnitude == 0 ? std::pair(1.0, "s")
                             : magnitude >= 1e-3              ? std::pair(1e3, "ms")
                             : magnitude >= 1e-6              ? std::pair(1e6, "us")
                                                              : std::pair(1e9, "ns");
  const double value = seconds * scale;
  const int digits = std::abs(value) >= 100 ? 0 : std::abs(value) >= 10 ? 1 : 2;
  return fmt::format("{:.{}f}{}", value, digits, unit);
}

std::string format_bytes(double bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  while (bytes >= 1023.5 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  if (!(bytes < 1e4)) return fmt::format("{:.0e} {}", bytes, units[unit]);
  const int digits = unit == 0 || bytes >= 99.95 ? 0 : 1;
  return fmt::format("{:.{}f} {}", bytes, digits, units[unit]);
}

std::string format_ratio(double ratio) {
  if (!std::isfinite(ratio)) return "?";
  if (ratio >= 1e5) return fmt::format("{:.1e}x", ratio);
  return fmt::format("{:.{}f}x", ratio, ratio < 100 ? 2 : 0);
}

std::size_t display_width(std::string_view text) noexcept {
  // Every byte of a UTF-8 character but its first has the form 10xxxxxx.
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return !goes_on(c); }));
}

std::string shortened(std::string_view text, std::size_t width) {
  const std::size_t places = display_width(text);
  if (places <= width) return std::string(text);
  if (width <= ellipsis.size()) return std::string(text.substr(0, bytes_of_places(text, width)));
  const std::size_t kept = width - ellipsis.size();
  const std::size_t ahead = kept / 2;
  std::string result(text.substr(0, bytes_of_places(text, ahead)));
  result += ellipsis;
  return result += text.substr(bytes_of_places(text, places - (kept - ahead)));
}

std::string folded(std::string_view lead, std::string_view text) {
  const std::size_t indent = std::min(display_width(lead), page_width / 2);
  std::string lines(lead);
  std::size_t column = display_width(lead);
  bool begins = true;
  for (auto begin = text.begin(); begin != text.end();) {
    begin = std::find_if_not(begin, text.end(), separates);
    const auto end = std::find_if(begin, text.end(), separates);
    if (begin == end) break;
    const std::string word = shortened({begin, end}, page_width - indent);
    const std::size_t width = display_width(word);
    if (column + (begins ? 0 : 1) + width > page_width) {
      lines += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!begins) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += width;
    begins = false;
    begin = end;
  }
  lines.erase(lines.find_last_not_of(' ') + 1);
  return lines + '\n';
}

}  // namespace switchyard
