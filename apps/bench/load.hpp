// Work beside what is measured: a machine that others use.
#pragma once

#include <sys/types.h>

#include <switchyard/containers/numbers.hpp>
#include <vector>

namespace switchyard::command::bench {

/// Processes that keep one processor busy each for as long as this object lives. They end with the
/// process that made them, however that ends.
class BusyProcesses {
 public:
  /// Throws `Error(Unsupported)` if the system starts no more processes.
  explicit BusyProcesses(Index count);
  BusyProcesses(const BusyProcesses&) = delete;
  BusyProcesses& operator=(const BusyProcesses&) = delete;
  ~BusyProcesses();

 private:
  void end() noexcept;
  std::vector<pid_t> processes_;
};

}  // namespace switchyard::command::bench
