// Reading /proc/self/task/*/schedstat.
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <filesystem>
#include <switchyard/containers/run_queue_waits.hpp>

#include "small_reads.hpp"

namespace switchyard {
namespace {

constexpr auto thread_folder = "/proc/self/task";

unsigned long thread_links() noexcept {
  struct stat status {};
  return ::stat(thread_folder, &status) == 0 ? static_cast<unsigned long>(status.st_nlink) : 0;
}

std::optional<double> read_wait(int descriptor) noexcept {
  std::array<char, 96> buffer{};
  return parse_run_queue_wait(read_beginning(descriptor, buffer));
}

/// Whether the kernel fills in these files: one without the accounting writes "0 0 0".
bool counts(int descriptor) noexcept {
  std::array<char, 96> buffer{};
  return !read_beginning(descriptor, buffer).starts_with("0 0 0");
}

}  // namespace

std::optional<double> parse_run_queue_wait(std::string_view text) noexcept {
  // Nanoseconds running, nanoseconds waiting, number of times that it ran.
  const auto first = text.find(' ');
  if (first == std::string_view::npos) return std::nullopt;
  text.remove_prefix(first + 1);
  double nanoseconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), nanoseconds);
  const bool is_whole = error == std::errc{} && end != text.data() + text.size() && *end == ' ';
  if (!is_whole || !(nanoseconds >= 0)) return std::nullopt;
  return nanoseconds * 1e-9;
}

void RunQueueWaits::open_all() noexcept try {
  links_ = thread_links();
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(thread_folder, ignored)) {
    const int descriptor = ::open((entry.path() / "schedstat").c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) continue;
    const auto waited = counts(descriptor) ? read_wait(descriptor) : std::nullopt;
    if (waited) {
      threads_.push_back({descriptor, *waited});
    } else {
      ::close(descriptor);
    }
  }
} catch (const std::exception&) {
  // Out of memory: what was opened so far is what there is.
}

void RunQueueWaits::close_all() noexcept {
  for (const Thread& thread : threads_) ::close(thread.descriptor);
  threads_.clear();
}

double RunQueueWaits::longest_since_last() noexcept {
  double longest = 0;
  for (Thread& thread : threads_) {
    const auto waited = read_wait(thread.descriptor);  // nothing once the thread has ended
    if (!waited) continue;
    longest = std::max(longest, *waited - thread.waited);
    thread.waited = *waited;
  }
  if (known() && thread_links() != links_) {
    close_all();
    open_all();
  }
  return longest;
}

}  // namespace switchyard
