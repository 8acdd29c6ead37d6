// What a command is doing, for whoever waits for it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <switchyard/containers/numbers.hpp>
#include <thread>

namespace switchyard::command {

/// Says on standard error what the command is doing once it has said nothing for two seconds: on a
/// terminal on one line that is redrawn and wiped in the end, elsewhere a line after 2, 10, 30 and
/// 60 seconds and each minute from then on. Its functions are for one thread; it has another of its
/// own, which sleeps until there is something to say. At most one at a time, and not beside a
/// `ProgressBar`.
class Activity {
 public:
  /// Says nothing where it is not `wanted`.
  explicit Activity(bool wanted);
  ~Activity();
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;

  /// What is being done from now on, as in "reading a.mtx".
  void now(std::string what);
  /// How much of it is done; `all` is 0 where that is unknown.
  void count(Index done, Index all);

 private:
  void watch();
  void say(const std::string& line, std::chrono::seconds elapsed);
  [[nodiscard]] std::chrono::seconds next_after(std::chrono::seconds elapsed) const;

  const bool on_terminal_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::seconds next_{2};  ///< since the beginning, when a line is due
  std::string what_;
  Index done_ = 0;
  Index all_ = 0;
  std::thread watcher_;
};

/// "reading a.mtx", "multiplying: 12 of 100" or "iterating: 12".
[[nodiscard]] std::string activity_words(const std::string& what, Index done, Index all);

}  // namespace switchyard::command
