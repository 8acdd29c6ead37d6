// One case of this test program in a process of its own.
#pragma once

#include <filesystem>
#include <string>

namespace switchyard::testing {

/// The command for a shell that runs that case, disabled or not, and no other: what this process
/// has been told of shards is not for it.
inline std::string command_of_case(const std::string& name) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  return "env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX '" + self +
         "' --gtest_also_run_disabled_tests --gtest_filter=" + name;
}

}  // namespace switchyard::testing
