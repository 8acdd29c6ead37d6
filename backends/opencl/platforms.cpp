// Finding, ordering and opening of OpenCL devices.
#include "platforms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <switchyard/backends/opencl.hpp>
#include <switchyard/containers/log.hpp>

#include "device.hpp"
#include "driver_probe.hpp"
#include "errors.hpp"
#include "loader/loader.hpp"
#include "process.hpp"
#include "selection.hpp"

namespace switchyard {
namespace opencl {
namespace {

/// Why a device is of no use here; empty where it is.
std::string_view fault_of(const cl::Device& device) {
  if (!device.getInfo<CL_DEVICE_AVAILABLE>()) return "it is not available";
  if (!device.getInfo<CL_DEVICE_COMPILER_AVAILABLE>()) return "it has no compiler";
  if (!device.getInfo<CL_DEVICE_ENDIAN_LITTLE>()) return "its byte order is not the host's";
  const std::string version = device.getInfo<CL_DEVICE_VERSION>();
  if (version.starts_with("OpenCL 1.0") || version.starts_with("OpenCL 1.1")) {
    return "it is older than OpenCL 1.2";
  }
  return {};
}

FoundDevice describe(const cl::Device& device, const std::string& platform) {
  FoundDevice found{device, platform, facts_of(device)};
  found.discrete = found.facts.is_gpu && !found.facts.shares_host_memory;
  found.is_processor = (device.getInfo<CL_DEVICE_TYPE>() & CL_DEVICE_TYPE_CPU) != 0;
  found.capability = static_cast<double>(device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>()) *
                     static_cast<double>(device.getInfo<CL_DEVICE_MAX_CLOCK_FREQUENCY>());
  return found;
}

void add_devices_of(const cl::Platform& platform, std::vector<FoundDevice>& found) {
  const std::string platform_name = platform.getInfo<CL_PLATFORM_NAME>();
  std::vector<cl::Device> devices;
  platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
  for (const cl::Device& device : devices) {
    try {
      const std::string_view fault = fault_of(device);
      if (fault.empty()) {
        found.push_back(describe(device, platform_name));
      } else {
        log(LogLevel::Warning, fmt::format("OpenCL device {} is left out: {}",
                                           device.getInfo<CL_DEVICE_NAME>(), fault));
      }
    } catch (const cl::Error& error) {
      log(LogLevel::Warning,
          fmt::format("an OpenCL device is left out: {}", translated(error, platform_name).what()));
    }
  }
}

/// Set once the drivers have been tried, and never destroyed.
std::atomic<const DriverVerdict*> tried_drivers{nullptr};

std::string words_of(const LeftOut& one) {
  if (one.platform.empty()) return "OpenCL is left out: " + one.reason;
  return fmt::format("OpenCL platform {} is left out: {}", one.platform, one.reason);
}

DriverVerdict without_loader() {
  return {{{"", loader_fault() + "; to install a loader: apt-get install ocl-icd-libopencl1"}}};
}

/// The drivers are tried when this process first wants to load them.
const DriverVerdict& drivers() {
  static const DriverVerdict* const verdict = [] {
    const auto* const made =
        new DriverVerdict(loader_fault().empty() ? try_drivers(probe_setup()) : without_loader());
    // A machine without OpenCL is no fault, and nothing to warn every program of.
    const LogLevel level = loader_fault().empty() ? LogLevel::Warning : LogLevel::Info;
    for (const LeftOut& one : made->left_out) log(level, words_of(one));
    tried_drivers = made;
    return made;
  }();
  return *verdict;
}

/// Smaller comes first.
int rank(const FoundDevice& found) {
  if (found.discrete) return 0;
  if (found.facts.is_gpu) return 1;
  return found.is_processor ? 3 : 2;
}

}  // namespace

std::vector<FoundDevice> find_devices() {
  if (!drivers().usable()) return {};
  std::vector<cl::Platform> platforms;
  try {
    cl::Platform::get(&platforms);
  } catch (const cl::Error&) {
    return {};  // the loader's way of saying that there is none
  }
  std::vector<FoundDevice> found;
  for (const cl::Platform& platform : platforms) {
    try {
      if (!drivers().usable(platform.getInfo<CL_PLATFORM_NAME>())) continue;
      add_devices_of(platform, found);
    } catch (const cl::Error& error) {
      // A platform without a device is no trouble worth a word.
      if (error.err() == CL_DEVICE_NOT_FOUND) continue;
      log(LogLevel::Warning,
          fmt::format("an OpenCL platform is left out: {}", translated(error, "").what()));
    }
  }
  std::ranges::stable_sort(found, [](const FoundDevice& a, const FoundDevice& b) {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    return a.capability > b.capability;
  });
  return found;
}

BuildFiles build_files_for(const std::string& platform) {
  if (platform.starts_with("NVIDIA")) return {};  // it keeps binaries in ~/.nv/ComputeCache
  const std::filesystem::path folder = default_kernel_cache_folder();
  if (folder.empty()) return {};
  // PoCL keeps binaries in ~/.cache/pocl.
  if (platform.starts_with("Portable Computing Language")) return {{}, folder / "build.lock"};
  return {folder, {}};
}

}  // namespace opencl

namespace {

/// Whether drivers were made ready by the process that this one was forked from.
bool drivers_are_of_parent() {
  static const opencl::OwningProcess process;
  return process.is_child();
}

}  // namespace

KernelCache kernel_cache() {
  const std::filesystem::path folder = opencl::default_kernel_cache_folder();
  if (folder.empty()) return {folder, "neither HOME nor XDG_CACHE_HOME names a place"};
  return {folder, opencl::fault_of_folder(folder)};
}

std::string opencl_loader_fault() { return opencl::loader_fault(); }

std::vector<std::string> opencl_left_out() {
  std::vector<std::string> lines;
  const opencl::DriverVerdict* const verdict = opencl::tried_drivers;
  if (!verdict) return lines;
  for (const opencl::LeftOut& one : verdict->left_out) lines.push_back(opencl::words_of(one));
  return lines;
}

std::vector<std::shared_ptr<Executor>> open_opencl_devices(const std::string& selection) {
  // Drivers make themselves ready for the whole process when they are first asked, and PoCL 3.1
  // shows another thread its devices half made meanwhile.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  if (selection == "none") return {};  // the drivers are not even loaded
  if (drivers_are_of_parent()) {
    log(LogLevel::Warning, "OpenCL is left to the process that this was forked from");
    return {};
  }
  if (opencl::exit_guard::has_ended()) return {};  // the process is ending
  const std::vector<opencl::FoundDevice> found = opencl::find_devices();
  std::vector<opencl::DeviceNames> names;
  for (const auto& device : found) {
    names.push_back({device.facts.name, device.facts.vendor, device.platform});
  }
  std::vector<std::shared_ptr<Executor>> opened;
  for (const std::size_t i : opencl::selected(selection, names)) {
    if (std::ssize(opened) == Space::most_devices) {
      log(LogLevel::Warning, fmt::format("OpenCL device {} is left out: there are {} already", i,
                                         Space::most_devices));
      continue;
    }
    try {
      const Space space = Space::device(static_cast<int>(opened.size()));
      opened.push_back(
          opencl::Device::open(found[i].device, space, opencl::build_files_for(found[i].platform)));
    } catch (const Error& error) {
      log(LogLevel::Warning, fmt::format("OpenCL device {} is left out: {}", i, error.what()));
    }
  }
  return opened;
}

}  // namespace switchyard
