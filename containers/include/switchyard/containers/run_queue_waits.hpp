// How long the threads of this process waited for a processor that another program had.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace switchyard {

/// Parses the text of /proc/PID/task/TID/schedstat: the seconds that the thread was ready to run
/// but waited for a processor. Nothing where it is not such a text.
[[nodiscard]] std::optional<double> parse_run_queue_wait(std::string_view text) noexcept;

/// Whether the text of /proc/PID/task/TID/stat is that of a thread that runs or is ready to run.
[[nodiscard]] bool parse_is_ready(std::string_view text) noexcept;

/// The waiting times of this process's threads. Threads: one thread at a time uses an object.
class RunQueueWaits {
 public:
  /// Opens two files for each thread. Never fails: without such files `known` is false.
  RunQueueWaits() noexcept { open_all(); }
  RunQueueWaits(const RunQueueWaits&) = delete;
  RunQueueWaits& operator=(const RunQueueWaits&) = delete;
  ~RunQueueWaits() { close_all(); }

  /// Whether the system counts waiting times. Not all kernels and containers do.
  [[nodiscard]] bool known() const noexcept { return !threads_.empty(); }

  /// The longest time that one of the threads has waited since the last call, or since the object
  /// was made, in seconds; 0 where that is not known. The system counts a wait when it has ended;
  /// one that goes on counts here if the thread has not run at all since the last call. Threads
  /// that began meanwhile count from the next call on. Takes about 3 us for each thread. An
  /// operation whose threads wait for each other would have been faster by about this time on a
  /// machine of its own.
  [[nodiscard]] double longest_since_last() noexcept;

 private:
  struct Thread {
    int waits = -1;       ///< the open file of waiting times
    int state = -1;       ///< the open file of the thread's state
    int clock = 0;        ///< of the thread's processor time
    double waited = 0;    ///< seconds, at the last call
    double computed = 0;  ///< seconds of processor time, at the last call
  };
  void open_all() noexcept;
  void close_all() noexcept;
  [[nodiscard]] static bool waits_now(Thread& thread) noexcept;

  std::vector<Thread> threads_;
  unsigned long links_ = 0;  ///< of the folder of threads, which has one for each
  double last_ = 0;          ///< when the last call was, in seconds
};

}  // namespace switchyard
