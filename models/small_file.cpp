// Reading and replacing whole files, with POSIX calls because a replacement must be synced.
#include "small_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <switchyard/containers/error.hpp>
#include <system_error>

namespace switchyard {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(std::string_view what, std::string_view why, const fs::path& file) {
  throw Error(ErrorCode::IoError, fmt::format("{}: {}", what, why), file.string());
}

[[noreturn]] void fail(std::string_view what, int error, const fs::path& file) {
  fail(what, std::generic_category().message(error), file);
}

/// A file that is open for writing and vanishes unless it is renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& directory) {
    // The number tells threads apart, the process id processes, and the flag those that share a
    // directory over a network or left one behind.
    static std::atomic<unsigned> counter{0};
    for (int attempt = 0; attempt < 1000; ++attempt) {
      path_ = directory / fmt::format(".switchyard-{}-{}.tmp", ::getpid(), counter++);
      descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
      if (descriptor_ >= 0) return;
      if (errno != EEXIST) break;
    }
    path_.clear();
  }
  ~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }

  /// All following return 0 or the error's number.
  [[nodiscard]] int write(std::string_view contents) const {
    while (!contents.empty()) {
      const ssize_t written = ::write(descriptor_, contents.data(), contents.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return errno;
      contents.remove_prefix(static_cast<std::size_t>(written));
    }
    return ::fsync(descriptor_) == 0 ? 0 : errno;
  }
  [[nodiscard]] int close() {
    const int result = ::close(descriptor_);
    descriptor_ = -1;
    return result == 0 ? 0 : errno;
  }
  [[nodiscard]] int rename_to(const fs::path& file) {
    if (::rename(path_.c_str(), file.c_str()) != 0) return errno;
    path_.clear();
    return 0;
  }

 private:
  fs::path path_;
  int descriptor_ = -1;
};

/// A rename would put an ordinary file in the place of a device or a pipe.
void refuse_special(const fs::path& file, std::string_view what) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::none) fail(what, error.message(), file);
  if (fs::exists(status) && !fs::is_regular_file(status)) fail(what, "no ordinary file", file);
}

}  // namespace

std::string read_small_file(const fs::path& file, std::size_t limit) {
  constexpr std::string_view what = "cannot read";
  refuse_special(file, what);
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) fail(what, error.message(), file);
  if (size > limit) {
    throw Error(ErrorCode::DataCorrupt,
                fmt::format("a file of {} bytes is too large to be what it should be", size),
                file.string());
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) fail(what, errno, file);
  std::string contents(static_cast<std::size_t>(size), '\0');
  stream.read(contents.data(), static_cast<std::streamsize>(contents.size()));
  if (stream.bad()) fail(what, "input error", file);
  contents.resize(static_cast<std::size_t>(stream.gcount()));
  return contents;
}

void replace_file(const fs::path& file, std::string_view contents) {
  constexpr std::string_view what = "cannot write";
  const fs::path directory = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) fail(what, error.message(), file);
  refuse_special(file, what);
  TemporaryFile temporary(directory);
  if (!temporary.is_open()) fail(what, errno, file);
  int failure = temporary.write(contents);
  if (failure == 0) failure = temporary.close();
  if (failure == 0) failure = temporary.rename_to(file);
  if (failure != 0) fail(what, failure, file);
}

}  // namespace switchyard
