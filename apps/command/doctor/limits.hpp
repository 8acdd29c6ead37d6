// What a container or a batch system leaves this process of the machine (control groups).
#pragma once

#include <optional>
#include <string>

namespace switchyard::command::doctor {

/// Processors' worth of time; nothing where there is no limit.
[[nodiscard]] std::optional<double> processor_quota();
/// Bytes of memory; nothing where there is no limit.
[[nodiscard]] std::optional<double> memory_limit();

/// The share that "200000 100000" in cpu.max means, or nothing for "max 100000" and for what is no
/// such line.
[[nodiscard]] std::optional<double> parse_quota(const std::string& line);

}  // namespace switchyard::command::doctor
