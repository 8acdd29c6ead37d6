// The lock file, by flock: a process that dies gives it back.
#include "build_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <switchyard/containers/log.hpp>
#include <system_error>
#include <thread>

namespace switchyard::opencl {
namespace {

constexpr std::chrono::milliseconds between_attempts(5);

/// The process that holds the lock of an open file, by /proc/locks; nothing where it does not tell,
/// as of a process in another container.
std::optional<pid_t> holder_of(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return std::nullopt;
  std::ifstream locks("/proc/locks");
  // 1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, mode, access, file;
    long process = 0;
    if (!(words >> number >> kind >> mode >> access >> process >> file)) continue;
    // Devices are told differently on some file systems, so the number of the file has to do.
    const std::size_t colon = file.rfind(':');
    if (kind != "FLOCK" || process <= 0 || colon == file.npos) continue;
    if (file.substr(colon + 1) == std::to_string(status.st_ino)) return static_cast<pid_t>(process);
  }
  return std::nullopt;
}

/// Whether a process is stopped, or held by a debugger.
bool is_stopped(pid_t process) {
  std::ifstream stat(fmt::format("/proc/{}/stat", process));
  std::string line;
  std::getline(stat, line);
  const std::size_t name_end = line.rfind(')');  // the name may hold anything
  if (name_end == line.npos || name_end + 2 >= line.size()) return false;
  return line[name_end + 2] == 'T' || line[name_end + 2] == 't';
}

std::string words_of(std::optional<pid_t> holder) {
  return holder ? fmt::format("process {}", *holder) : std::string("another process");
}

}  // namespace

BuildLock::BuildLock(const std::filesystem::path& file, BuildPatience patience) noexcept {
  if (file.empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(file.parent_path(), ignored);
  descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  if (descriptor_ < 0) return;
  try {
    wait(file, patience);
  } catch (...) {
    return;  // no memory for a message: the build will tell
  }
}

void BuildLock::wait(const std::filesystem::path& file, BuildPatience patience) {
  const auto begin = std::chrono::steady_clock::now();
  bool told = false;
  while (!(held_ = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0)) {
    const auto waited = std::chrono::steady_clock::now() - begin;
    if (waited >= patience.silent && !told) {
      const std::optional<pid_t> holder = holder_of(descriptor_);
      if (holder && is_stopped(*holder)) {
        log(LogLevel::Warning, fmt::format("{} holds {} and is stopped; kernels are built without "
                                           "waiting for it",
                                           words_of(holder), file.string()));
        return;
      }
      log(LogLevel::Warning,
          fmt::format("waiting for {}, which builds kernels (lock {}), for up to {} s",
                      words_of(holder), file.string(),
                      std::chrono::duration_cast<std::chrono::seconds>(patience.most).count()));
      told = true;
    }
    if (waited >= patience.most) {
      log(LogLevel::Warning, fmt::format("{} still holds {}; kernels are built without the lock",
                                         words_of(holder_of(descriptor_)), file.string()));
      return;
    }
    std::this_thread::sleep_for(between_attempts);
  }
}

BuildLock::~BuildLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace switchyard::opencl
