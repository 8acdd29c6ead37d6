// Appending with POSIX calls, since a stream can neither lock a file nor take back half a line.
#include "checkpoint.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <switchyard/containers/error.hpp>
#include <switchyard/containers/log.hpp>
#include <system_error>

namespace switchyard {
namespace {

/// Whether the name still leads to the open file: its last user may have removed it meanwhile.
bool is_at(const std::filesystem::path& file, const struct stat& opened) {
  struct stat named {};
  return ::stat(file.c_str(), &named) == 0 && named.st_dev == opened.st_dev &&
         named.st_ino == opened.st_ino;
}

}  // namespace

Checkpoint::Checkpoint(std::filesystem::path file, const Fingerprint& fingerprint, bool resume)
    : file_(std::move(file)) {
  if (file_.empty()) return;
  std::error_code ignored;
  if (file_.has_parent_path()) std::filesystem::create_directories(file_.parent_path(), ignored);
  open_locked();
  try {
    shorten_to(resume ? take_over(fingerprint) : 0);
    if (size_ == 0) append(machine_line(fingerprint));
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

Checkpoint::~Checkpoint() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Checkpoint::open_locked() {
  for (;;) {
    descriptor_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (descriptor_ < 0) fail("cannot write", errno);
    struct stat status {};
    const bool ordinary = ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
    // Where a file system knows no locks, two processes at once are the caller's to avoid.
    const bool taken = ordinary && ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 &&
                       (errno == EWOULDBLOCK || errno == EINTR);
    if (ordinary && !taken && is_at(file_, status)) return;
    ::close(descriptor_);
    descriptor_ = -1;
    if (!ordinary) throw Error(ErrorCode::IoError, "no ordinary file", file_.string());
    if (taken) {
      throw Error(ErrorCode::IoError, "another process is calibrating for the same profile",
                  file_.string(), "wait until it has ended");
    }
  }
}

std::string Checkpoint::contents() const {
  std::string text;
  char piece[1 << 16];
  for (;;) {
    const ssize_t got = ::pread(descriptor_, piece, sizeof piece, static_cast<off_t>(text.size()));
    if (got == 0) return text;
    if (got > 0) {
      text.append(piece, static_cast<std::size_t>(got));
    } else if (errno != EINTR) {
      fail("cannot read", errno);
    }
  }
}

std::size_t Checkpoint::take_over(const Fingerprint& fingerprint) {
  const std::string text = contents();
  const std::size_t whole = text.rfind('\n') + 1;  // npos + 1 is 0
  if (whole == 0) {
    log(LogLevel::Warning,
        "there is nothing to continue in " + file_.string() + ": everything is measured anew");
  }
  std::string_view rest = std::string_view(text).substr(0, whole);
  bool first = true;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (!first) {
      read_experiment_line(line, finished_);
    } else if (!is_machine_line(line, fingerprint)) {
      log(LogLevel::Warning,
          file_.string() + " is of another machine or damaged: everything is measured anew");
      return 0;
    }
    first = false;
  }
  return whole;
}

void Checkpoint::add(const std::string& experiment, const std::vector<KeyedSample>& samples) {
  if (!file_.empty()) append(experiment_line(experiment, samples));
}

void Checkpoint::append(std::string_view text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t more = ::write(descriptor_, text.data() + written, text.size() - written);
    if (more >= 0) {
      written += static_cast<std::size_t>(more);
    } else if (errno != EINTR) {
      const int error = errno;
      // Half a line would be left out anyway; without it the next one begins where it should.
      static_cast<void>(::ftruncate(descriptor_, static_cast<off_t>(size_)) == 0);
      fail("cannot write", error);
    }
  }
  size_ += text.size();
}

void Checkpoint::shorten_to(std::size_t size) {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) fail("cannot write", errno);
  size_ = size;
}

void Checkpoint::remove() {
  if (descriptor_ < 0) return;
  std::error_code ignored;
  // Before the lock goes, so that no other process begins with a file that is about to vanish.
  std::filesystem::remove(file_, ignored);
  ::close(descriptor_);
  descriptor_ = -1;
}

void Checkpoint::fail(std::string_view what, int error) const {
  throw Error(ErrorCode::IoError, std::string(what) + ": " + std::generic_category().message(error),
              file_.string());
}

}  // namespace switchyard
