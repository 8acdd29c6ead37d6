// What a container or a batch system leaves this process of the machine (Linux control groups).
#pragma once

#include <optional>
#include <string>

namespace switchyard {

/// The processors' time that the control groups of this process leave to it, in processors: the
/// least of its own group's limit and those above it. Nothing where there is no limit, or where
/// none can be read. Versions 2 (cpu.max) and 1 (cpu.cfs_quota_us). `root` is put before /proc and
/// /sys, for tests.
[[nodiscard]] std::optional<double> processor_limit(const std::string& root = {});
/// Likewise for bytes of memory (memory.max, memory.limit_in_bytes).
[[nodiscard]] std::optional<double> memory_limit(const std::string& root = {});

}  // namespace switchyard
