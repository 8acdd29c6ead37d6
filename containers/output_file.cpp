// Writing a file aside, and compressing what is written.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <limits>
#include <new>
#include <switchyard/containers/error.hpp>
#include <switchyard/containers/output_file.hpp>
#include <system_error>

namespace switchyard {
namespace {

constexpr ::mode_t any_user = 0666;   // less what the process's umask takes away
constexpr int gzip_window = 15 + 16;  // zlib's way to ask for the gzip format
constexpr int gzip_level = 4;         // on matrices 3.5 times as fast as 6 and 5 % larger
constexpr int memory_level = 8;       // zlib's default

/// The file that a link leads to, so that the link stays.
std::filesystem::path followed(const std::filesystem::path& file) {
  std::error_code failure;
  auto target = std::filesystem::canonical(file, failure);
  return failure ? file : target;
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& file) : file_(followed(file)) {
  std::error_code failure;
  const auto status = std::filesystem::status(file_, failure);
  if (std::filesystem::is_directory(status)) fail("cannot write", EISDIR);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    open_aside();
  }
  if (descriptor_ < 0) fail("cannot write", errno);
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!aside_.empty()) ::unlink(aside_.c_str());
}

void OutputFile::open_aside() {
  constexpr int most_tries = 100;
  for (int i = 0; i < most_tries; ++i) {
    aside_ = file_;
    aside_ += fmt::format(".part-{}-{}", ::getpid(), i);
    descriptor_ = ::open(aside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, any_user);
    if (descriptor_ >= 0 || errno != EEXIST) break;
  }
  if (descriptor_ < 0) aside_.clear();
}

void OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) fail("cannot write", errno);
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OutputFile::commit() {
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) fail("cannot write", errno);
  if (aside_.empty()) return;
  if (::rename(aside_.c_str(), file_.c_str()) != 0) fail("cannot put the new file in place", errno);
  aside_.clear();
}

void OutputFile::fail(const char* what, int reason) const {
  throw Error(ErrorCode::IoError,
              fmt::format("{}: {}", what, std::generic_category().message(reason)), file_.string());
}

std::string gzip_member(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, gzip_level, Z_DEFLATED, gzip_window, memory_level,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string member;
  try {
    member.resize(deflateBound(&stream, bytes.size()));
  } catch (...) {
    deflateEnd(&stream);
    throw;
  }
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(member.data());
  stream.avail_out = static_cast<uInt>(member.size());
  const int state = deflate(&stream, Z_FINISH);
  member.resize(member.size() - stream.avail_out);
  deflateEnd(&stream);
  if (state != Z_STREAM_END) throw Error(ErrorCode::Internal, "compressing did not finish");
  return member;
}

}  // namespace switchyard
