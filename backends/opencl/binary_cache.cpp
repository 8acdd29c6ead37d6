// Compiled kernels on disk: a header line with a checksum, the key, the binary.
#include "binary_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace switchyard::opencl {
namespace {

namespace fs = std::filesystem;

/// Whether this user alone can write to what `status` describes.
bool ours_alone(const struct stat& status) {
  return status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool folder_is_safe(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder, ignored) && fault_of_folder(folder).empty();
}

/// The whole of a regular file that is ours alone. Checked on the open file, so that it cannot be
/// exchanged between the check and the reading.
std::optional<std::string> read_safely(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return std::nullopt;
  struct stat status {};
  std::optional<std::string> text;
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && ours_alone(status)) {
    text.emplace();
    char piece[1 << 16];
    ssize_t got = 0;
    while ((got = ::read(descriptor, piece, sizeof piece)) > 0) {
      text->append(piece, static_cast<std::size_t>(got));
    }
    if (got < 0) text.reset();
  }
  ::close(descriptor);
  return text;
}

/// The line by which an entry is known to be whole and to belong to the key.
std::string header_for(std::string_view key, std::string_view binary) {
  return fmt::format("switchyard-kernel {:016x} {} {}\n", hash(binary), binary.size(), key);
}

}  // namespace

std::uint64_t hash(std::string_view bytes) noexcept {
  std::uint64_t value = 0xcbf29ce484222325U;
  for (const char c : bytes) {
    value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return value;
}

std::string fault_of_folder(const fs::path& folder) {
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0) return {};
  if (!S_ISDIR(status.st_mode)) return "it is no folder";
  if (status.st_uid != ::geteuid()) return "it belongs to another user";
  return ours_alone(status) ? "" : "others may write to it";
}

fs::path BinaryCache::file_of(std::string_view key) const {
  return folder_ / fmt::format("{:016x}.bin", hash(key));
}

std::optional<Binary> BinaryCache::load(std::string_view key) const noexcept {
  try {
    if (folder_.empty() || !folder_is_safe(folder_)) return std::nullopt;
    const std::optional<std::string> text = read_safely(file_of(key));
    if (!text) return std::nullopt;
    const std::size_t line = text->find('\n');
    if (line == std::string::npos) return std::nullopt;
    const std::string_view binary = std::string_view(*text).substr(line + 1);
    if (std::string_view(*text).substr(0, line + 1) != header_for(key, binary)) {
      return std::nullopt;
    }
    return Binary(binary.begin(), binary.end());
  } catch (...) {
    return std::nullopt;
  }
}

void BinaryCache::store(std::string_view key, const Binary& binary) const noexcept {
  try {
    if (folder_.empty()) return;
    if (!fs::exists(folder_)) {
      fs::create_directories(folder_);
      fs::permissions(folder_, fs::perms::owner_all);
    }
    if (!folder_is_safe(folder_)) return;
    const fs::path file = file_of(key);
    std::string aside = file.string() + ".XXXXXX";
    const int descriptor = ::mkstemp(aside.data());  // made readable and writable by us alone
    if (descriptor < 0) return;
    ::close(descriptor);
    std::ofstream out(aside, std::ios::binary | std::ios::trunc);
    const std::string_view bytes(reinterpret_cast<const char*>(binary.data()), binary.size());
    out << header_for(key, bytes) << bytes;
    out.close();
    std::error_code failed;
    if (out) fs::rename(aside, file, failed);
    if (!out || failed) fs::remove(aside, failed);
  } catch (...) {
    return;  // the next process builds from source again
  }
}

fs::path default_kernel_cache_folder() {
  const auto absolute = [](const char* variable) -> fs::path {
    const char* value = std::getenv(variable);
    const fs::path path = value ? value : "";
    return path.is_absolute() ? path : fs::path{};
  };
  fs::path base = absolute("XDG_CACHE_HOME");
  if (base.empty()) {
    const fs::path home = absolute("HOME");
    if (!home.empty()) base = home / ".cache";
  }
  return base.empty() ? base : base / "switchyard" / "kernels";
}

}  // namespace switchyard::opencl
