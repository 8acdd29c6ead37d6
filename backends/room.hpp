// Refusing what cannot fit before any of it is allocated.
#pragma once

#include <algorithm>
#include <string>
#include <switchyard/backends/executor.hpp>

namespace switchyard {

/// Throws `Error(OutOfMemory)`, or DeviceOutOfMemory, where `rows` x `width` slots of so many bytes
/// are more than the executor's memory or its budget: padding can ask for any multiple of a
/// matrix's own size, and a system may promise memory that it does not have.
inline void require_room(const Executor& executor, Index rows, Index width, Index slot_bytes) {
  const double bytes =
      static_cast<double>(rows) * static_cast<double>(width) * static_cast<double>(slot_bytes);
  auto room = static_cast<double>(executor.memory()->available());
  const auto installed = static_cast<double>(executor.facts().memory_bytes);
  if (installed > 0) room = std::min(room, installed);
  if (bytes <= room) return;
  throw Error(executor.space().is_host() ? ErrorCode::OutOfMemory : ErrorCode::DeviceOutOfMemory,
              "the padded rows of this format would take " +
                  std::to_string(static_cast<Index>(bytes / (1 << 20))) + " MiB",
              name(executor.space()));
}

}  // namespace switchyard
