// The programs that kernels are built from.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "opencl/kernel_sources.hpp"

namespace switchyard::opencl::testing {

/// Every program: those of files of their own, and those of files that need definitions.
inline std::vector<std::string> all_programs() {
  std::vector<std::string> all;
  for (const KernelSource& source : kernel_sources()) {
    const bool needs_definitions =
        std::ranges::any_of(defined_programs, [&](const DefinedProgram& program) {
          return program.stem == source.stem || std::ranges::count(program.more, source.stem) > 0;
        });
    const bool is_common = std::ranges::count(common_stems, source.stem) > 0 ||
                           std::ranges::count(skeleton_stems, source.stem) > 0;
    if (!is_common && !needs_definitions) all.emplace_back(source.stem);
  }
  for (const DefinedProgram& program : defined_programs) all.emplace_back(program.name);
  return all;
}
}  // namespace switchyard::opencl::testing
