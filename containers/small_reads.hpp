// Reading the beginning of a file of the system without allocating.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <span>
#include <string_view>

namespace switchyard {

/// The bytes at the beginning of the file of that descriptor, as many as fit into `buffer`; empty
/// where it cannot be read.
[[nodiscard]] inline std::string_view read_beginning(int descriptor,
                                                     std::span<char> buffer) noexcept {
  const ssize_t got = ::pread(descriptor, buffer.data(), buffer.size(), 0);
  return {buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
}

/// The same by name.
[[nodiscard]] inline std::string_view read_beginning(const char* file,
                                                     std::span<char> buffer) noexcept {
  const int descriptor = ::open(file, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  const std::string_view text = read_beginning(descriptor, buffer);
  ::close(descriptor);
  return text;
}

}  // namespace switchyard
