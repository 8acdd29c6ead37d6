// Reading cpu.max and memory.max (control groups version 2; version 1's root where there is none).
#include "limits.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace switchyard::command::doctor {
namespace {

namespace fs = std::filesystem;

constexpr auto root = "/sys/fs/cgroup";

std::string first_line(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value > 0)) return {};
  return value;
}

std::optional<double> smaller(std::optional<double> one, std::optional<double> other) {
  if (!one || !other) return one ? one : other;
  return std::min(*one, *other);
}

/// The smallest limit in a file of that name, from this process's group up to the root.
std::optional<double> along_the_groups(const char* name,
                                       std::optional<double> (*parse)(const std::string&)) {
  std::string group;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (line.starts_with("0::")) group = line.substr(3);
  }
  fs::path folder = fs::path(root) / fs::path(group).relative_path();
  std::optional<double> least;
  for (; folder.string().size() >= std::string_view(root).size(); folder = folder.parent_path()) {
    least = smaller(least, parse(first_line(folder / name)));
  }
  return least;
}

}  // namespace

std::optional<double> parse_quota(const std::string& line) {
  std::istringstream words(line);
  std::string quota;
  std::string period;
  words >> quota >> period;
  const auto share = parse_number(quota);
  const auto whole = parse_number(period);
  if (!share || !whole) return {};
  return *share / *whole;
}

std::optional<double> processor_quota() {
  const auto version_two = along_the_groups("cpu.max", &parse_quota);
  const fs::path old = fs::path(root) / "cpu";
  return smaller(version_two, parse_quota(first_line(old / "cpu.cfs_quota_us") + " " +
                                          first_line(old / "cpu.cfs_period_us")));
}

std::optional<double> memory_limit() {
  const auto version_two =
      along_the_groups("memory.max", [](const std::string& line) { return parse_number(line); });
  const auto version_one =
      parse_number(first_line(fs::path(root) / "memory/memory.limit_in_bytes"));
  return smaller(version_two, version_one);
}

}  // namespace switchyard::command::doctor
