// The signal handler.
#include "interruption.hpp"

namespace switchyard::command {
namespace {

// What a signal handler may touch.
volatile std::sig_atomic_t interrupted = 0;

}  // namespace

InterruptionGuard::InterruptionGuard() {
  struct sigaction action {};
  action.sa_handler = [](int) {
    interrupted = 1;
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
  };
  sigaction(SIGINT, &action, &old_interrupt_);
  sigaction(SIGTERM, &action, &old_terminate_);
}

InterruptionGuard::~InterruptionGuard() {
  sigaction(SIGINT, &old_interrupt_, nullptr);
  sigaction(SIGTERM, &old_terminate_, nullptr);
}

bool is_interrupted() noexcept { return interrupted != 0; }

}  // namespace switchyard::command
