// Which devices a user means by a few words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace switchyard::opencl {

/// By what a device can be named.
struct DeviceNames {
  std::string device;
  std::string vendor;
  std::string platform;
};

/// The positions in `devices`, ascending and each once, that `selection` names: see
/// `open_opencl_devices`. Case and blanks around words do not matter. Throws
/// `Error(InvalidArgument)` for a word that names no device, and for "none" among other words.
[[nodiscard]] std::vector<std::size_t> selected(std::string_view selection,
                                                const std::vector<DeviceNames>& devices);

}  // namespace switchyard::opencl
