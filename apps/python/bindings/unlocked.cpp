// Letting go of the lock, and not taking it back once the interpreter ends.
#include "unlocked.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <switchyard/backends/opencl.hpp>
#include <thread>

namespace switchyard::python {
namespace {

/// Threads that are between `closing` being looked at and the lock being held.
std::atomic<int> returning{0};
std::atomic<bool> closing{false};
std::atomic<std::thread::id> closer{};

/// Until the process ends.
[[noreturn]] void wait_for_end() {
  for (;;) ::pause();
}

}  // namespace

Unlocked::Unlocked(Forks forks) : thread_(PyEval_SaveThread()) {
  if (forks == Forks::Wait) no_fork_.emplace();
}

Unlocked::~Unlocked() {
  no_fork_.reset();
  ++returning;
  if (closing && closer.load() != std::this_thread::get_id()) {
    --returning;
    wait_for_end();
  }
  PyEval_RestoreThread(thread_);
  --returning;
}

void stop_other_threads() {
  closer = std::this_thread::get_id();
  closing = true;
  PyThreadState* const thread = PyEval_SaveThread();
  // The exit takes the compilers of drivers down before it waits for a thread in its first build.
  end_opencl_work();
  while (returning > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  PyEval_RestoreThread(thread);
}

void forget_other_threads() noexcept { returning = 0; }

}  // namespace switchyard::python
