// The kernel files, as embedded into the library by cmake/EmbedFiles.cmake.
#pragma once

#include <span>
#include <string_view>

namespace switchyard::opencl {

/// One file of kernels/: its name without ".cl", and its text.
struct KernelSource {
  std::string_view stem;
  std::string_view text;
};

/// All of them.
[[nodiscard]] std::span<const KernelSource> kernel_sources() noexcept;

/// The file of that stem, or null. What it points to lives as long as the program.
[[nodiscard]] inline const KernelSource* find_kernel_source(std::string_view stem) noexcept {
  for (const KernelSource& source : kernel_sources()) {
    if (source.stem == stem) return &source;
  }
  return nullptr;
}

}  // namespace switchyard::opencl
