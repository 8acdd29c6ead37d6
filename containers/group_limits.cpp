// Reading the limits of control groups, along the groups from this process's own up to the root.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <switchyard/containers/group_limits.hpp>

namespace switchyard {
namespace {

namespace fs = std::filesystem;

using Limit = std::optional<double>;

std::string first_line(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

Limit parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value > 0)) return {};
  return value;
}

Limit smaller(Limit one, Limit other) {
  if (!one || !other) return one ? one : other;
  return std::min(*one, *other);
}

/// Of "200000 100000", its share; nothing of "max 100000", of "-1 100000" and of what is no such
/// line.
Limit parse_share(const std::string& line) {
  std::istringstream words(line);
  std::string quota;
  std::string period;
  words >> quota >> period;
  const auto share = parse_number(quota);
  const auto whole = parse_number(period);
  if (!share || !whole) return {};
  return *share / *whole;
}

bool is_in_list(const std::string& list, std::string_view word) {
  std::istringstream words(list);
  for (std::string each; std::getline(words, each, ',');) {
    if (each == word) return true;
  }
  return false;
}

/// This process's group of a controller; of version 2 if that is empty.
fs::path group_of(const std::string& root, std::string_view controller) {
  std::ifstream groups(root + "/proc/self/cgroup");
  // Lines are number:controllers:path, without controllers in version 2.
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':');
    const auto second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool is_it =
        controller.empty() ? controllers.empty() : is_in_list(controllers, controller);
    if (is_it) return fs::path(line.substr(second + 1)).relative_path();
  }
  return {};
}

/// The least limit that `read(folder)` finds from that group up to the root. A container may see
/// its own group as the root, under the name that it has outside.
Limit along_the_groups(const fs::path& mount, fs::path group,
                       const std::function<Limit(const fs::path&)>& read) {
  Limit least = read(mount);
  for (; !group.empty(); group = group.parent_path()) least = smaller(least, read(mount / group));
  return least;
}

}  // namespace

Limit processor_limit(const std::string& root) {
  const auto version_two = [](const fs::path& group) {
    return parse_share(first_line(group / "cpu.max"));
  };
  const auto version_one = [](const fs::path& group) {
    return parse_share(first_line(group / "cpu.cfs_quota_us") + " " +
                       first_line(group / "cpu.cfs_period_us"));
  };
  const fs::path mount = root + "/sys/fs/cgroup";
  return smaller(along_the_groups(mount, group_of(root, ""), version_two),
                 along_the_groups(mount / "cpu", group_of(root, "cpu"), version_one));
}

Limit memory_limit(const std::string& root) {
  const auto version_two = [](const fs::path& group) {
    return parse_number(first_line(group / "memory.max"));
  };
  const auto version_one = [](const fs::path& group) {
    return parse_number(first_line(group / "memory.limit_in_bytes"));
  };
  const fs::path mount = root + "/sys/fs/cgroup";
  return smaller(along_the_groups(mount, group_of(root, ""), version_two),
                 along_the_groups(mount / "memory", group_of(root, "memory"), version_one));
}

}  // namespace switchyard
