// Starting busy processes, and ending them.
#include "load.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <switchyard/containers/error.hpp>

namespace switchyard::command::bench {
namespace {

/// What a busy process does. After a fork only what is safe in a signal handler may be called.
[[noreturn]] void keep_busy(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);  // it ended before it was asked to send a signal
  for (volatile unsigned turns = 0;;) turns = turns + 1;
}

}  // namespace

BusyProcesses::BusyProcesses(Index count) {
  processes_.reserve(static_cast<std::size_t>(count));
  const pid_t parent = ::getpid();
  for (Index i = 0; i < count; ++i) {
    const pid_t child = ::fork();
    if (child == 0) keep_busy(parent);
    if (child < 0) {
      const std::string why = std::strerror(errno);
      end();
      throw Error(ErrorCode::Unsupported, "no busy process could be started: " + why);
    }
    processes_.push_back(child);
  }
}

BusyProcesses::~BusyProcesses() { end(); }

void BusyProcesses::end() noexcept {
  for (const pid_t process : processes_) ::kill(process, SIGKILL);
  for (const pid_t process : processes_) {
    while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

}  // namespace switchyard::command::bench
