// The kernel of a CSR multiplication for the width of the matrix's offsets.
#pragma once

#include <string_view>
#include <switchyard/backends/operations.hpp>

#include "device.hpp"

namespace switchyard::opencl {

/// A kernel of a program.
struct KernelName {
  std::string_view program;
  std::string_view kernel;
};

/// Hands `launch` the matrix, or its transpose where it is in CSC, its offsets in their own width,
/// and the kernel for that width.
template <Element T, class Launch>
void with_csr_kernel(const MultiplyArguments<T>& arguments, KernelName name, const Launch& launch) {
  Device& device = device_of(arguments.executor);
  const Csr<T>& a = compressed_rows(arguments.matrix);
  if (a.rows == 0) return;
  const auto launch_with = [&](const auto& offsets) {
    const ProgramKey key{name.program, precision_of<T>, width_of(offsets)};
    launch(device, device.kernel(key, name.kernel), a, offsets);
  };
  std::visit(launch_with, a.offsets);
}

}  // namespace switchyard::opencl
