// Waking up when nothing was said for too long.
#include "activity.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <switchyard/containers/log.hpp>
#include <switchyard/core/text.hpp>
#include <system_error>

#include "progress.hpp"

namespace switchyard::command {
namespace {

using std::chrono::seconds;

constexpr std::size_t terminal_width = 79;

}  // namespace

std::string activity_words(const std::string& what, Index done, Index all) {
  if (all > 0) return fmt::format("{}: {} of {}", what, done, all);
  return done > 0 ? fmt::format("{}: {}", what, done) : what;
}

Activity::Activity(bool wanted) : on_terminal_(isatty(STDERR_FILENO) == 1) {
  if (!wanted) return;
  try {
    watcher_ = std::thread([this] { watch(); });
  } catch (const std::system_error&) {
    return;  // where there is no memory for a thread, the command does its work silently
  }
  if (on_terminal_) log_over_line();
}

Activity::~Activity() {
  if (!watcher_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  watcher_.join();
  if (drawn_) wipe_line();
  if (on_terminal_) set_log_sink({});
}

void Activity::now(std::string what) {
  const std::scoped_lock lock(mutex_);
  what_ = std::move(what);
  // A file's name may hold what steers a terminal.
  std::ranges::replace_if(
      what_, [](unsigned char c) { return c < ' ' || c == 0x7F; }, '?');
  done_ = all_ = 0;
}

void Activity::count(Index done, Index all) {
  const std::scoped_lock lock(mutex_);
  done_ = done;
  all_ = all;
}

seconds Activity::next_after(seconds elapsed) const {
  if (on_terminal_) return elapsed + seconds(1);
  for (const seconds due : {seconds(10), seconds(30)}) {
    if (elapsed < due) return due;
  }
  return seconds(60) * (elapsed / seconds(60) + 1);
}

void Activity::watch() {
  std::unique_lock lock(mutex_);
  while (!ended_) {
    if (changed_.wait_until(lock, begin_ + next_, [this] { return ended_; })) return;
    const auto elapsed =
        std::chrono::duration_cast<seconds>(std::chrono::steady_clock::now() - begin_);
    if (!what_.empty()) say(activity_words(what_, done_, all_), elapsed);
    next_ = next_after(elapsed);
  }
}

void Activity::say(const std::string& line, seconds elapsed) {
  const std::string time = fmt::format(" ({} s)", elapsed.count());
  if (!on_terminal_) {
    std::fputs(fmt::format("switchyard: working: {}{}\n", line, time).c_str(), stderr);
    return;
  }
  drawn_ = true;
  wipe_line();
  std::fputs((shortened(line, terminal_width - time.size()) + time).c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace switchyard::command
