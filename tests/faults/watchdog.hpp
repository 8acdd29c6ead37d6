// Ends the program where one run under a fault does not end, and tells where it hangs.
#pragma once

#include <execinfo.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <string_view>

namespace switchyard::testing {

/// While it lives, the program ends with status 1 after two minutes: a run takes milliseconds, and
/// some hundred times as long on a busy machine under a sanitizer. What it was doing and the stack
/// of the thread that hangs go to standard error first. One at a time.
class Watchdog {
 public:
  explicit Watchdog(std::string_view doing) {
    constexpr unsigned seconds = 120;
    std::array<void*, 1> none{};
    ::backtrace(none.data(), 1);  // loads what it needs, which a signal handler must not
    const std::size_t length = std::min(doing.size(), words().size() - 1);
    std::memcpy(words().data(), doing.data(), length);
    words()[length] = '\0';
    std::signal(SIGALRM, &bark);
    ::alarm(seconds);
  }
  ~Watchdog() { ::alarm(0); }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  static std::array<char, 256>& words() {
    static std::array<char, 256> text{};
    return text;
  }
  static void say(const char* text) {
    static_cast<void>(!::write(STDERR_FILENO, text, std::strlen(text)));
  }
  static void bark(int /*signal*/) {
    say("a run under a fault does not end: ");
    say(words().data());
    say("\n");
    std::array<void*, 64> frames{};
    const int depth = ::backtrace(frames.data(), static_cast<int>(frames.size()));
    ::backtrace_symbols_fd(frames.data(), depth, STDERR_FILENO);
    ::_exit(1);
  }
};

}  // namespace switchyard::testing
