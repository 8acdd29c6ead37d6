// Reading a folder by POSIX calls, which report that memory is short.
#include <dirent.h>

#include <memory>
#include <string_view>
#include <switchyard/containers/folder.hpp>

namespace switchyard {
namespace {

struct Close {
  void operator()(DIR* folder) const noexcept { ::closedir(folder); }
};

}  // namespace

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, Close> open(::opendir(folder.c_str()));
  if (!open) return names;
  while (const dirent* const entry = ::readdir(open.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

}  // namespace switchyard
