// Reading through zlib, which also reads what is not compressed.
#include "byte_source.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <memory>
#include <new>
#include <switchyard/containers/error.hpp>
#include <system_error>

namespace switchyard {
namespace {

/// zlib's reader, straight into the caller's buffer.
class GzipInput {
 public:
  explicit GzipInput(const std::filesystem::path& file) : name_(file.string()) {
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored)) {
      throw Error(ErrorCode::IoError, "a directory is not a matrix file", name_);
    }
    errno = 0;
    open(gzopen(file.c_str(), "rbe"));
  }

  GzipInput(int descriptor, std::string name) : name_(std::move(name)) {
    errno = 0;
    // zlib closes what it is given.
    const int own = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (own < 0) fail_reading();
    const gzFile file = gzdopen(own, "rb");
    if (file == nullptr) ::close(own);
    open(file);
  }

  std::size_t operator()(char* to, std::size_t size) {
    errno = 0;
    const int got = gzread(file_.get(), to, static_cast<unsigned>(size));
    int state = Z_OK;
    gzerror(file_.get(), &state);
    if (state == Z_ERRNO) fail_reading();
    if (state == Z_MEM_ERROR) throw std::bad_alloc();
    if (got < 0 || state == Z_BUF_ERROR) {
      throw Error(ErrorCode::DataCorrupt, "the gzip stream is damaged or cut short", name_);
    }
    return static_cast<std::size_t>(got);
  }

 private:
  struct Close {
    void operator()(gzFile file) const noexcept { gzclose(file); }
  };

  void open(gzFile file) {
    file_.reset(file);
    if (!file_) fail_reading();
    gzbuffer(file_.get(), 1 << 18);
  }

  [[noreturn]] void fail_reading() const {
    const int reason = errno;
    if (reason == 0 || reason == ENOMEM) throw std::bad_alloc();
    throw Error(ErrorCode::IoError,
                "cannot read: " + std::error_code(reason, std::generic_category()).message(),
                name_);
  }

  std::string name_;
  std::unique_ptr<gzFile_s, Close> file_;
};

}  // namespace

ByteSource open_bytes(const std::filesystem::path& file) {
  return [input = std::make_shared<GzipInput>(file)](char* to, std::size_t size) {
    return (*input)(to, size);
  };
}

ByteSource open_bytes(int descriptor, const std::string& name) {
  return [input = std::make_shared<GzipInput>(descriptor, name)](char* to, std::size_t size) {
    return (*input)(to, size);
  };
}

ByteSource bytes_of(std::string_view bytes) {
  return [rest = bytes](char* to, std::size_t size) mutable {
    const std::size_t got = rest.copy(to, size);
    rest.remove_prefix(got);
    return got;
  };
}

ByteSource joined(std::string begin, ByteSource rest) {
  return [begin = std::move(begin), at = std::size_t{0}, rest = std::move(rest)](
             char* to, std::size_t size) mutable {
    const std::size_t first = begin.copy(to, size, at);
    at += first;
    return first == size ? first : first + rest(to + first, size - first);
  };
}

}  // namespace switchyard
