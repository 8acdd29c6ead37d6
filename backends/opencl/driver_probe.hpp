// Which OpenCL drivers may be used: tried in another process first, since a driver that crashes or
// hangs takes the whole process with it (docs/decisions/0014).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "driver_needs.hpp"
#include "probe_process.hpp"

namespace switchyard::opencl {

/// A platform that is not used.
struct LeftOut {
  std::string platform;  ///< its name; empty: all of OpenCL
  std::string reason;
};

/// What became of the drivers.
struct DriverVerdict {
  std::vector<LeftOut> left_out;

  /// Whether the drivers may be loaded at all.
  [[nodiscard]] bool usable() const noexcept;
  /// Whether the platform of that name may be asked for its devices.
  [[nodiscard]] bool usable(std::string_view platform) const noexcept;
};

/// What the verdict depends on.
struct ProbeSetup {
  std::filesystem::path program;  ///< the probe; empty: known needs alone decide
  std::filesystem::path memory;   ///< a folder for what survived; empty: nothing is remembered
  ProbePatience patience = {};
  Surroundings here = {};
};

/// The probe that belongs to this library, the kernel cache's folder, and this process.
[[nodiscard]] ProbeSetup probe_setup();

/// Tries the drivers, unless they are known to have survived in the same surroundings: the same
/// files, environment and start of the system. REQUIRES that this process has not loaded them: then
/// there is nothing left to be saved. Throws nothing but std::bad_alloc.
[[nodiscard]] DriverVerdict try_drivers(const ProbeSetup& setup);

/// Why a program is not run: it is missing, or somebody else may write to it. Empty where it may
/// be.
[[nodiscard]] std::string fault_of_program(const std::filesystem::path& program);

}  // namespace switchyard::opencl
