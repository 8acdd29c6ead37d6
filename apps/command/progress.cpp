// Drawing the bar.
#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <switchyard/containers/log.hpp>

namespace switchyard::command {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto wiping = "\r\033[K";

/// Messages look as they do without a bar.
void log_over_bar(LogLevel level, std::string_view message) {
  constexpr std::array names{"trace", "debug", "info", "warning", "error"};
  const auto line = fmt::format("{}switchyard: {}: {}\n", wiping,
                                names[static_cast<std::size_t>(level)], message);
  std::fputs(line.c_str(), stderr);
}

std::string time_left(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0 || seconds > 1e6) return "";
  const auto whole = static_cast<int>(std::lround(seconds));
  if (whole < 60) return fmt::format("{} s left", whole);
  return fmt::format("{} min {} s left", whole / 60, whole % 60);
}

}  // namespace

void wipe_line() { std::fputs(wiping, stderr); }

void log_over_line() { set_log_sink(&log_over_bar); }

std::string progress_line(double share, const std::string& what, double seconds_left) {
  constexpr int width = 20;
  constexpr std::size_t terminal = 79;
  share = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0.0;
  const auto full = static_cast<std::size_t>(std::lround(share * width));
  const std::string bar = std::string(full, '#') + std::string(width - full, '-');
  return fmt::format("[{}] {:3.0f}%  {}  {}", bar, 100 * share, time_left(seconds_left), what)
      .substr(0, terminal);
}

std::string progress_words(double share, const std::string& what, double seconds_left) {
  const std::string left = time_left(seconds_left);
  return fmt::format("switchyard: {:.0f} %{}: {}", 100 * share, left.empty() ? "" : ", " + left,
                     what);
}

ProgressBar::ProgressBar(bool wanted, Elsewhere elsewhere)
    : drawn_(wanted && isatty(STDERR_FILENO) == 1),
      told_(wanted && !drawn_ && elsewhere == Elsewhere::Lines) {
  if (drawn_) log_over_line();
}

ProgressBar::~ProgressBar() {
  if (!drawn_) return;
  set_log_sink({});
  wipe_line();
}

void ProgressBar::show(double share, const std::string& what, double seconds_left) {
  share = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0.0;
  if (drawn_) draw(share, what, seconds_left);
  if (told_) tell(share, what, seconds_left);
}

void ProgressBar::draw(double share, const std::string& what, double seconds_left) {
  const auto now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  std::fputs((wiping + progress_line(share, what, seconds_left)).c_str(), stderr);
  std::fflush(stderr);
}

void ProgressBar::tell(double share, const std::string& what, double seconds_left) {
  const auto tenths = static_cast<int>(10 * share);
  if (tenths <= tenths_) return;
  tenths_ = tenths;
  std::fputs((progress_words(share, what, seconds_left) + '\n').c_str(), stderr);
}

}  // namespace switchyard::command
