// The lock file, by flock: a process that dies gives it back.
#include "build_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <system_error>
#include <thread>

namespace switchyard::opencl {
namespace {

constexpr std::chrono::milliseconds between_attempts(5);

}  // namespace

BuildLock::BuildLock(const std::filesystem::path& file,
                     std::chrono::milliseconds patience) noexcept {
  if (file.empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(file.parent_path(), ignored);
  descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  if (descriptor_ < 0) return;
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!(held_ = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0)) {
    if (std::chrono::steady_clock::now() >= deadline) return;
    std::this_thread::sleep_for(between_attempts);
  }
}

BuildLock::~BuildLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace switchyard::opencl
