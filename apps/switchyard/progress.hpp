// A bar that shows how far a long piece of work is, for whoever watches a terminal.
#pragma once

#include <chrono>
#include <string>

namespace switchyard::command {

/// Redraws one line on standard error, at most ten times a second; does nothing where that is no
/// terminal. Gives way to the log's messages while it is there, and is wiped when it goes. At most
/// one at a time.
class ProgressBar {
 public:
  explicit ProgressBar(bool wanted);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// `share` in [0, 1].
  void show(double share, const std::string& what, double seconds_left);

 private:
  bool shown_;
  std::chrono::steady_clock::time_point last_{};
};

/// The line itself, 80 places at most: "[#####-----]  50%  1 min 20 s left  multiply csr@host".
[[nodiscard]] std::string progress_line(double share, const std::string& what, double seconds_left);

}  // namespace switchyard::command
