// PoCL's needs.
#include "driver_needs.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace switchyard::opencl {
namespace {

constexpr std::size_t megabyte = std::size_t{1} << 20U;
/// PoCL 3.1 with LLVM 15 builds the kernels here in 1000 MB of address space and crashes in 800
/// (two processors). This leaves as much again for the program's own memory.
constexpr std::size_t address_space_for_pocl = 2048 * megabyte;
/// A thread for each processor, with its stack and malloc's arena.
constexpr std::size_t address_space_for_thread = 128 * megabyte;

/// Bytes of address space that the process takes; 0 where /proc does not tell.
std::size_t address_space_taken() {
  std::ifstream statm("/proc/self/statm");
  std::size_t pages = 0;
  statm >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

Surroundings surroundings() {
  Surroundings here;
  std::error_code failed;
  here.has_processors_in_sysfs = std::filesystem::exists("/sys/devices/system/cpu", failed);
  here.processors = static_cast<std::size_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    const std::size_t taken = address_space_taken();
    here.address_space = limit.rlim_cur > taken ? limit.rlim_cur - taken : 0;
  }
  return here;
}

std::string missing_for(std::string_view platform, const Surroundings& here) {
  if (!platform.starts_with(pocl_platform)) return {};
  if (!here.has_processors_in_sysfs) {
    return "it needs /sys/devices/system/cpu, which is missing here; mount sysfs on /sys";
  }
  const std::size_t needed = address_space_for_pocl + here.processors * address_space_for_thread;
  if (here.address_space && *here.address_space < needed) {
    return fmt::format(
        "it needs {} MB of address space, and the limit leaves {} MB; raise it by 'ulimit -v'",
        needed / megabyte, *here.address_space / megabyte);
  }
  return {};
}

}  // namespace switchyard::opencl
