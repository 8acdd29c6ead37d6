// Whether every kernel compiles on every device, and whether the binaries are cached.
#include <fmt/format.h>

#include <set>
#include <switchyard/backends/opencl.hpp>
#include <switchyard/backends/operations.hpp>
#include <switchyard/backends/vector_operations.hpp>
#include <switchyard/containers/error.hpp>

#include "check.hpp"

namespace switchyard::command::doctor {
namespace {

template <Element T>
std::set<std::string_view> programs_of(Backend backend) {
  std::set<std::string_view> programs;
  const auto add = [&](const auto& operations) {
    for (const auto& operation : operations) {
      if (operation.backend == backend && !operation.program.empty()) {
        programs.insert(operation.program);
      }
    }
  };
  add(multiply_operations<T>());
  add(convert_operations<T>());
  add(elementwise_operations<T>());
  add(reduce_operations<T>());
  return programs;
}

/// Builds them all; returns how many there are.
template <Element T>
Index build_all(Executor& device, Findings& findings) {
  if (!device.supports(precision_of<T>)) return 0;
  const auto programs = programs_of<T>(device.backend());
  for (const std::string_view program : programs) {
    try {
      device.build(program, precision_of<T>);
    } catch (const Error& error) {
      findings.push_back(
          {Health::Problem,
           fmt::format("{} cannot compile {} for {}: {}", name(device.space()), program,
                       name(precision_of<T>), error.what()),
           fmt::format("update the driver of {}, or exclude the device with SWITCHYARD_DEVICES",
                       name(device.space()))});
    }
  }
  return static_cast<Index>(programs.size());
}

Finding cache_finding() {
  const KernelCache cache = kernel_cache();
  const std::string where = cache.folder.string();
  if (cache.fault.empty()) return {Health::Ok, "compiled kernels are cached in " + where};
  return {Health::Warning,
          fmt::format("compiled kernels are not cached: {}{}", where,
                      where.empty() ? cache.fault : " cannot be trusted, " + cache.fault),
          where.empty() ? "export XDG_CACHE_HOME=/an/absolute/path"
                        : fmt::format("rm -rf '{}'; it will be created again", where)};
}

}  // namespace

Findings check_kernels(const Patient& patient) {
  Findings findings;
  for (const auto& executor : patient.runtime.executors()) {
    if (executor->space().is_host()) continue;
    const std::size_t before = findings.size();
    const Index built =
        build_all<float>(*executor, findings) + build_all<double>(*executor, findings);
    if (findings.size() > before) continue;
    findings.push_back({Health::Ok, fmt::format("all {} kernel programs of {} compile", built,
                                                name(executor->space()))});
  }
  if (findings.empty()) return {{Health::Ok, "no device, so no kernels are needed"}};
  findings.push_back(cache_finding());
  return findings;
}

}  // namespace switchyard::command::doctor
