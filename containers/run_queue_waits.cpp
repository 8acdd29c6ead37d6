// Reading /proc/self/task/*/schedstat.
#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <switchyard/containers/folder.hpp>
#include <switchyard/containers/run_queue_waits.hpp>

#include "small_reads.hpp"

namespace switchyard {
namespace {

constexpr auto thread_folder = "/proc/self/task";

unsigned long thread_links() noexcept {
  struct stat status {};
  return ::stat(thread_folder, &status) == 0 ? static_cast<unsigned long>(status.st_nlink) : 0;
}

double seconds_of(clockid_t clock) noexcept {
  timespec time{};
  if (::clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The clock of a thread's processor time, as Linux numbers them (linux/posix-timers.h). The clock
/// is exact while the thread runs, unlike the system's files.
clockid_t clock_of_thread(int thread) noexcept {
  constexpr unsigned of_one_thread = 4;
  constexpr unsigned exact = 2;
  return static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3U) | of_one_thread | exact);
}

int open_to_read(const std::filesystem::path& file) noexcept {
  return ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
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

bool parse_is_ready(std::string_view text) noexcept {
  // "TID (NAME) STATE ...", and the name may hold anything.
  const auto name_end = text.rfind(')');
  return name_end != std::string_view::npos && text.substr(name_end).starts_with(") R ");
}

void RunQueueWaits::open_all() noexcept try {
  links_ = thread_links();
  last_ = seconds_of(CLOCK_MONOTONIC);
  for (const std::string& name : names_in(thread_folder)) {
    const std::filesystem::path thread = std::filesystem::path(thread_folder) / name;
    const int waits = open_to_read(thread / "schedstat");
    const auto waited = waits >= 0 && counts(waits) ? read_wait(waits) : std::nullopt;
    if (!waited) {
      ::close(waits);
      continue;
    }
    const int clock = clock_of_thread(std::atoi(name.c_str()));
    threads_.push_back({waits, open_to_read(thread / "stat"), clock, *waited, seconds_of(clock)});
  }
} catch (const std::exception&) {
  // Out of memory: what was opened so far is what there is.
}

void RunQueueWaits::close_all() noexcept {
  for (const Thread& thread : threads_) {
    ::close(thread.waits);
    ::close(thread.state);
  }
  threads_.clear();
}

bool RunQueueWaits::waits_now(Thread& thread) noexcept {
  constexpr double nothing = 1e-7;
  const double computed = seconds_of(thread.clock);
  const bool has_run = computed - thread.computed > nothing;
  thread.computed = computed;
  if (has_run) return false;
  std::array<char, 96> buffer{};
  return parse_is_ready(read_beginning(thread.state, buffer));
}

double RunQueueWaits::longest_since_last() noexcept {
  double longest = 0;
  const double now = seconds_of(CLOCK_MONOTONIC);
  for (Thread& thread : threads_) {
    const auto waited = read_wait(thread.waits);  // nothing once the thread has ended
    if (!waited) continue;
    longest = std::max(longest, *waited - thread.waited);
    thread.waited = *waited;
    if (waits_now(thread)) longest = std::max(longest, now - last_);
  }
  last_ = now;
  if (known() && thread_links() != links_) {
    close_all();
    open_all();
  }
  return longest;
}

}  // namespace switchyard
