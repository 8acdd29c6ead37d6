// ANSI escape sequences (ECMA-48, select graphic rendition).
#include "colour.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>

namespace switchyard::command {
namespace {

constexpr std::array sequences{"", "\033[1m", "\033[2m", "\033[31m", "\033[32m", "\033[33m"};
constexpr std::string_view back_to_normal = "\033[0m";

/// A variable that is set and not empty.
std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

bool colour_wanted(int stream) {
  return isatty(stream) == 1 && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

std::string styled(std::string_view text, Style style, bool coloured) {
  if (!coloured || style == Style::Plain) return std::string(text);
  std::string result = sequences[static_cast<std::size_t>(style)];
  return result.append(text).append(back_to_normal);
}

}  // namespace switchyard::command
