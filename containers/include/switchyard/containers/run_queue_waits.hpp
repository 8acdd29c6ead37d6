// How long the threads of this process waited for a processor that another program had.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace switchyard {

/// Parses the text of /proc/PID/task/TID/schedstat: the seconds that the thread was ready to run
/// but waited for a processor. Nothing where it is not such a text.
[[nodiscard]] std::optional<double> parse_run_queue_wait(std::string_view text) noexcept;

/// The waiting times of this process's threads. A wait counts when it has ended. Threads: one
/// thread at a time uses an object.
class RunQueueWaits {
 public:
  /// Opens a file for each thread. Never fails: without such files `known` is false.
  RunQueueWaits() noexcept { open_all(); }
  RunQueueWaits(const RunQueueWaits&) = delete;
  RunQueueWaits& operator=(const RunQueueWaits&) = delete;
  ~RunQueueWaits() { close_all(); }

  /// Whether the system counts waiting times. Not all kernels and containers do.
  [[nodiscard]] bool known() const noexcept { return !threads_.empty(); }

  /// The longest time that one of the threads has waited since the last call, or since the object
  /// was made, in seconds; 0 where that is not known. Threads that began meanwhile count from the
  /// next call on. Takes a microsecond and about 0.3 us for each thread. An operation whose threads
  /// wait for each other would have been faster by about this time on a machine of its own.
  [[nodiscard]] double longest_since_last() noexcept;

 private:
  struct Thread {
    int descriptor = -1;
    double waited = 0;  ///< seconds, at the last call
  };
  void open_all() noexcept;
  void close_all() noexcept;

  std::vector<Thread> threads_;
  unsigned long links_ = 0;  ///< of the folder of threads, which has one for each
};

}  // namespace switchyard
