// What a driver needs of the system to survive, as far as that is known.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace switchyard::opencl {

/// PoCL's name of its platform.
inline constexpr std::string_view pocl_platform = "Portable Computing Language";

/// What drivers may need.
struct Surroundings {
  bool has_processors_in_sysfs = true;            ///< /sys/devices/system/cpu is there
  std::optional<std::size_t> address_space = {};  ///< bytes still free; nothing where unlimited
  std::size_t processors = 1;                     ///< that are online
};

/// Those of this process as of now.
[[nodiscard]] Surroundings surroundings();

/// What is missing for a platform to work, with what to do about it; empty where nothing is known
/// to be missing. PoCL aborts the process without /sys and where it runs out of address space.
[[nodiscard]] std::string missing_for(std::string_view platform, const Surroundings& here);

}  // namespace switchyard::opencl
