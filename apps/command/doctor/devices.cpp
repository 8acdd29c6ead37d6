// OpenCL: whether there is a driver, whether it finds a device, and which.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <switchyard/backends/opencl.hpp>

#include "check.hpp"

namespace switchyard::command::doctor {
namespace {

namespace fs = std::filesystem;

/// Where the OpenCL loader looks for drivers.
fs::path driver_folder() {
  const char* const named = std::getenv("OCL_ICD_VENDORS");
  return named && *named ? named : "/etc/OpenCL/vendors";
}

Index registered_drivers(const fs::path& folder) {
  std::error_code ignored;
  Index count = 0;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".icd") ++count;
  }
  return count;
}

/// The device file of a GPU; empty where there is none.
std::string gpu_of_the_kernel() {
  std::error_code ignored;
  for (const char* node : {"/dev/nvidia0", "/dev/kfd", "/dev/dri/renderD128"}) {
    if (fs::exists(node, ignored)) return node;
  }
  return {};
}

constexpr auto install_a_driver =
    "install the OpenCL driver of the device; for the processor: apt-get install pocl-opencl-icd";

Finding no_device() {
  if (const std::string fault = opencl_loader_fault(); !fault.empty()) {
    return {Health::Warning, "no OpenCL device, everything runs on the host; " + fault,
            "install the OpenCL loader: apt-get install ocl-icd-libopencl1; then the driver of the "
            "device, for the processor pocl-opencl-icd"};
  }
  const fs::path folder = driver_folder();
  const Index drivers = registered_drivers(folder);
  const std::string found = drivers == 0 ? fmt::format("no driver in {}", folder.string())
                                         : fmt::format("{} drivers in {}, but they find no device",
                                                       drivers, folder.string());
  if (gpu_of_the_kernel().empty()) {
    return {Health::Warning, "no OpenCL device, everything runs on the host; " + found,
            install_a_driver};
  }
  return {Health::Warning,
          fmt::format("no OpenCL device, everything runs on the host, although {} exists; {}",
                      gpu_of_the_kernel(), found),
          drivers == 0
              ? install_a_driver
              : "check the output of 'clinfo'; this user may lack permission to open the device: "
                "sudo usermod -a -G render,video $USER"};
}

bool any_gpu(const Runtime& runtime) {
  return std::ranges::any_of(runtime.executors(),
                             [](const auto& executor) { return executor->facts().is_gpu; });
}

/// What one device is, and what it cannot do.
Finding describe(const Executor& executor) {
  const ExecutorFacts& facts = executor.facts();
  std::string words = fmt::format("{} is {}", name(executor.space()), facts.name);
  if (!facts.is_gpu) words += ", OpenCL on the processor";
  if (!facts.supports_double) words += "; it has no double precision, which is computed elsewhere";
  return {Health::Ok, words};
}

}  // namespace

Findings check_devices(const Patient& patient) {
  Findings findings;
  if (!patient.selection_fault.empty()) {
    return {{Health::Problem, patient.selection_fault,
             "set SWITCHYARD_DEVICES to devices that 'SWITCHYARD_DEVICES=all switchyard devices' "
             "lists, or unset it"}};
  }
  for (const std::string& fault : patient.opening_faults) {
    findings.push_back({Health::Problem, fault, "check the output of 'clinfo' for this device"});
  }
  for (const auto& executor : patient.runtime.executors()) {
    if (!executor->space().is_host()) findings.push_back(describe(*executor));
  }
  if (patient.options.devices == "none") {
    findings.push_back({Health::Ok, "OpenCL devices are disabled (SWITCHYARD_DEVICES=none)"});
  } else if (patient.runtime.executors().size() == 1) {
    findings.push_back(no_device());
  } else if (patient.options.devices == "all" && !any_gpu(patient.runtime) &&
             !gpu_of_the_kernel().empty()) {
    findings.push_back({Health::Warning,
                        gpu_of_the_kernel() + " exists, but no OpenCL driver finds a GPU",
                        install_a_driver});
  }
  return findings;
}

}  // namespace switchyard::command::doctor
