// Counting forks.
#include "process.hpp"

#include <pthread.h>

namespace switchyard::opencl {

std::atomic<unsigned> OwningProcess::forks{0};

OwningProcess::OwningProcess() noexcept {
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
  static_cast<void>(registered);
  forks_then_ = forks.load(std::memory_order_relaxed);
}

}  // namespace switchyard::opencl
