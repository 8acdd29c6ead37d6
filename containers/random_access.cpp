// Reading a file at any place.
#include "random_access.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <system_error>

namespace switchyard {
namespace {

class Descriptor {
 public:
  explicit Descriptor(const std::filesystem::path& file)
      : name_(file.string()), number_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (number_ < 0) fail(errno);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  [[nodiscard]] Index size() const {
    struct stat facts {};
    if (::fstat(number_, &facts) != 0) fail(errno);
    return facts.st_size;
  }

  void read(Index offset, char* to, std::size_t size) const {
    while (size > 0) {
      const auto got = ::pread(number_, to, size, offset);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(errno);
      if (got == 0) {
        throw Error(ErrorCode::IoError, "cannot read: the file became shorter", name_);
      }
      to += got;
      offset += got;
      size -= static_cast<std::size_t>(got);
    }
  }

 private:
  [[noreturn]] void fail(int reason) const {
    throw Error(ErrorCode::IoError,
                "cannot read: " + std::error_code(reason, std::generic_category()).message(),
                name_);
  }

  std::string name_;
  int number_;
};

}  // namespace

RandomAccess open_random_access(const std::filesystem::path& file) {
  auto descriptor = std::make_shared<const Descriptor>(file);
  const Index size = descriptor->size();
  return {size, file.string(), [descriptor](Index offset, char* to, std::size_t bytes) {
            descriptor->read(offset, to, bytes);
          }};
}

RandomAccess random_access_to(std::string_view bytes, const std::string& name) {
  return {std::ssize(bytes), name, [bytes](Index offset, char* to, std::size_t size) {
            bytes.copy(to, size, static_cast<std::size_t>(offset));
          }};
}

}  // namespace switchyard
