// The layer stands before every entry point of OpenCL that the library uses.
#include <cctype>
#include <cstdio>
#include <set>

#include "faults/faulty_device.hpp"

namespace switchyard::testing {
namespace {

class EntryPoints : public OnFaultyDevice {};

/// What `nm` says of the library: the names of the functions that it forwards to the loader.
std::set<std::string> used_by_the_library() {
  std::set<std::string> used;
  std::FILE* const nm = ::popen("nm --defined-only " SWITCHYARD_LIBRARY, "r");
  char line[4096];
  while (nm && std::fgets(line, sizeof line, nm)) {
    const std::string text(line);
    const std::size_t start = text.find(" cl");
    if (start == std::string::npos || !std::isupper(text[start + 3])) continue;
    const std::string name = text.substr(start + 1);
    used.insert(name.substr(0, name.find_first_of(".\n")));
  }
  if (nm) ::pclose(nm);
  return used;
}

TEST_F(EntryPoints, AreAllWrapped) {
  std::set<std::string> wrapped;
  for (const char* const* entry = fault_layer()->entry_points(); *entry; ++entry) {
    wrapped.insert(*entry);
  }
  const std::set<std::string> used = used_by_the_library();
  EXPECT_GT(used.size(), 30U) << "nm tells nothing of the library";
  for (const std::string& name : used) EXPECT_TRUE(wrapped.contains(name)) << name;
}

}  // namespace
}  // namespace switchyard::testing
