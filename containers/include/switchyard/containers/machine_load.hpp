// How busy the machine is, as the system's counters say.
#pragma once

#include <optional>
#include <string_view>
#include <switchyard/containers/numbers.hpp>

namespace switchyard {

/// The first line of /proc/loadavg.
struct LoadAverage {
  double one_minute = 0;  ///< threads that ran or were ready to run, averaged over about a minute
  Index running = 0;      ///< threads that run or are ready to run now, the reader's included
};

/// What the processors have done since the system started, in seconds, summed over processors.
struct ProcessorTimes {
  double busy = 0;   ///< in programs, the kernel and interrupts
  double idle = 0;   ///< nothing to do, or waiting for a disk
  double steal = 0;  ///< taken by the hypervisor for other virtual machines
};

/// One reading of the counters. A counter that the system does not have is absent.
struct MachineLoad {
  std::optional<LoadAverage> average;        ///< of /proc/loadavg
  std::optional<ProcessorTimes> processors;  ///< of /proc/stat
  double own_seconds = 0;          ///< processor time of this process and its ended children
  Index involuntary_switches = 0;  ///< times that a thread of this process lost its processor
};

/// What happened between two readings.
struct LoadInterval {
  /// Processors that other processes kept busy, on average: 2 is two whole processors.
  double others = 0;
  double steal = 0;  ///< processors' worth of time that the hypervisor took, on average
};

/// Parses the text of /proc/loadavg. Nothing where it is not such a text.
[[nodiscard]] std::optional<LoadAverage> parse_load_average(std::string_view text) noexcept;

/// Parses the text of /proc/stat, of which only the line "cpu" counts. Fields that an old kernel
/// does not have are 0. Nothing where it is not such a text.
[[nodiscard]] std::optional<ProcessorTimes> parse_processor_times(std::string_view text,
                                                                  double ticks_per_second) noexcept;

/// Reads the counters. Takes about 50 us. Never fails: what cannot be read is absent.
[[nodiscard]] MachineLoad read_machine_load() noexcept;

/// Compares two readings, the earlier one first. Nothing where the processors' times are absent or
/// did not advance.
[[nodiscard]] std::optional<LoadInterval> load_between(const MachineLoad& before,
                                                       const MachineLoad& after) noexcept;

/// The involuntary context switches of all threads of this process since it started. 0 where the
/// system does not count them. Takes less than a microsecond.
[[nodiscard]] Index involuntary_switches() noexcept;

}  // namespace switchyard
