// Parsing of a device selection.
#include "selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>
#include <set>
#include <switchyard/containers/error.hpp>

namespace switchyard::opencl {
namespace {

std::string lowered(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

/// The words between commas, in lower case, without blanks around them.
std::vector<std::string> words_of(std::string_view selection) {
  std::vector<std::string> words;
  for (;;) {
    const std::size_t comma = selection.find(',');
    std::string_view word = selection.substr(0, comma);
    const std::size_t first = word.find_first_not_of(" \t");
    const std::size_t last = word.find_last_not_of(" \t");
    word = first == word.npos ? std::string_view{} : word.substr(first, last - first + 1);
    words.push_back(lowered(word));
    if (comma == selection.npos) return words;
    selection.remove_prefix(comma + 1);
  }
}

[[noreturn]] void refuse(std::string_view word, std::size_t devices) {
  throw Error(ErrorCode::InvalidArgument, fmt::format("'{}' names no OpenCL device", word),
              "device selection",
              fmt::format("there are {}; give positions from 0, words from their names, 'all' or "
                          "'none'",
                          devices));
}

bool answers_to(const DeviceNames& device, std::string_view word) {
  for (const std::string* name : {&device.device, &device.vendor, &device.platform}) {
    if (lowered(*name).find(word) != std::string::npos) return true;
  }
  return false;
}

/// What a word of digits alone says; nothing for any other. Beyond every device where too large.
std::optional<std::size_t> position_in(std::string_view word) {
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  if (word.empty() || !std::ranges::all_of(word, is_digit)) return std::nullopt;
  std::size_t position = 0;
  const auto parsed = std::from_chars(word.data(), word.data() + word.size(), position);
  return parsed.ec == std::errc{} ? position : std::numeric_limits<std::size_t>::max();
}

/// The devices that one word names.
std::vector<std::size_t> named_by(std::string_view word, const std::vector<DeviceNames>& devices) {
  const std::optional<std::size_t> position = position_in(word);
  std::vector<std::size_t> named;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const bool meant = position ? *position == i : !word.empty() && answers_to(devices[i], word);
    if (meant || word == "all") named.push_back(i);
  }
  // "all" of none is none; any other word was meant for something.
  if (named.empty() && word != "all") refuse(word, devices.size());
  return named;
}

}  // namespace

std::vector<std::size_t> selected(std::string_view selection,
                                  const std::vector<DeviceNames>& devices) {
  const std::vector<std::string> words = words_of(selection);
  if (words.size() == 1 && words[0] == "none") return {};
  std::set<std::size_t> chosen;
  for (const std::string& word : words) {
    const bool nothing_said = word.empty() && words.size() == 1;
    for (const std::size_t i : named_by(nothing_said ? "all" : word, devices)) chosen.insert(i);
  }
  return {chosen.begin(), chosen.end()};
}

}  // namespace switchyard::opencl
