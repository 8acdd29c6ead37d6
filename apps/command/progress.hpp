// A bar that shows how far a long piece of work is, for whoever watches a terminal.
#pragma once

#include <chrono>
#include <string>

namespace switchyard::command {

/// What to do where standard error is no terminal.
enum class Elsewhere { Silent, Lines };

/// Redraws one line on standard error, at most ten times a second; where that is no terminal, it
/// writes a line for each tenth of the way, or nothing. Gives way to the log's messages while it is
/// there, and is wiped when it goes. At most one at a time.
class ProgressBar {
 public:
  explicit ProgressBar(bool wanted, Elsewhere elsewhere = Elsewhere::Silent);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// `share` in [0, 1].
  void show(double share, const std::string& what, double seconds_left);

 private:
  void draw(double share, const std::string& what, double seconds_left);
  void tell(double share, const std::string& what, double seconds_left);

  bool drawn_;
  bool told_;
  std::chrono::steady_clock::time_point last_{};
  int tenths_ = -1;  ///< that were told
};

/// Wipes the line on which a bar or an activity is drawn.
void wipe_line();
/// From now on the log's messages replace that line; they look as they do without it. The caller
/// takes the sink back with `set_log_sink({})`.
void log_over_line();

/// The bar itself, 80 places at most: "[#####-----]  50%  1 min 20 s left  multiply csr@host".
[[nodiscard]] std::string progress_line(double share, const std::string& what, double seconds_left);

/// The line instead of it: "switchyard: 50 %, 1 min 20 s left: multiply csr@host".
[[nodiscard]] std::string progress_words(double share, const std::string& what,
                                         double seconds_left);

}  // namespace switchyard::command
