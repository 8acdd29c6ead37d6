// Reading /proc/loadavg, /proc/stat and getrusage(2).
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <switchyard/containers/machine_load.hpp>

#include "small_reads.hpp"

namespace switchyard {
namespace {

/// Takes the next word off the text; empty at its end.
std::string_view next_word(std::string_view& text) {
  const auto begin = std::min(text.find_first_not_of(' '), text.size());
  const auto end = std::min(text.find(' ', begin), text.size());
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

template <class Number>
std::optional<Number> number(std::string_view word) {
  Number value{};
  const char* const last = word.data() + word.size();
  const auto [end, error] = std::from_chars(word.data(), last, value);
  if (error != std::errc{} || end != last || !(value >= 0)) return std::nullopt;
  return value;
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double processor_seconds(int who) {
  rusage usage{};
  if (::getrusage(who, &usage) != 0) return 0;
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

}  // namespace

std::optional<LoadAverage> parse_load_average(std::string_view text) noexcept {
  std::string_view rest = first_line(text);
  const auto one_minute = number<double>(next_word(rest));
  next_word(rest);
  next_word(rest);
  const std::string_view threads = next_word(rest);  // "running/all"
  const auto running = number<Index>(threads.substr(0, threads.find('/')));
  if (!one_minute || !running) return std::nullopt;
  return LoadAverage{*one_minute, *running};
}

std::optional<ProcessorTimes> parse_processor_times(std::string_view text,
                                                    double ticks_per_second) noexcept {
  std::string_view rest = first_line(text);
  if (next_word(rest) != "cpu" || !(ticks_per_second > 0)) return std::nullopt;
  // user, nice, system, idle, iowait, irq, softirq, steal. Guests' times, which follow, are part of
  // the first two.
  std::array<double, 8> seconds{};
  std::size_t count = 0;
  for (double& value : seconds) {
    const std::string_view word = next_word(rest);
    if (word.empty()) break;
    const auto ticks = number<double>(word);
    if (!ticks) return std::nullopt;
    value = *ticks / ticks_per_second;
    ++count;
  }
  if (count < 4) return std::nullopt;
  const auto [user, nice, system, idle, iowait, irq, softirq, steal] = seconds;
  return ProcessorTimes{user + nice + system + irq + softirq, idle + iowait, steal};
}

MachineLoad read_machine_load() noexcept {
  MachineLoad load;
  std::array<char, 4096> buffer{};  // the lines that count come first
  load.average = parse_load_average(read_beginning("/proc/loadavg", buffer));
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  load.processors = parse_processor_times(read_beginning("/proc/stat", buffer), ticks);
  load.own_seconds = processor_seconds(RUSAGE_SELF) + processor_seconds(RUSAGE_CHILDREN);
  load.involuntary_switches = involuntary_switches();
  return load;
}

std::optional<LoadInterval> load_between(const MachineLoad& before,
                                         const MachineLoad& after) noexcept {
  if (!before.processors || !after.processors) return std::nullopt;
  const double busy = after.processors->busy - before.processors->busy;
  const double steal = after.processors->steal - before.processors->steal;
  const double all = busy + steal + after.processors->idle - before.processors->idle;
  const auto processors = static_cast<double>(std::max(::sysconf(_SC_NPROCESSORS_ONLN), 1L));
  const double seconds = all / processors;
  if (!(seconds > 0)) return std::nullopt;
  // The counters advance in ticks of 10 ms, those of the process continuously.
  const double own = after.own_seconds - before.own_seconds;
  return LoadInterval{std::clamp((busy - own) / seconds, 0.0, processors),
                      std::clamp(steal / seconds, 0.0, processors)};
}

Index involuntary_switches() noexcept {
  rusage usage{};
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? Index{usage.ru_nivcsw} : 0;
}

}  // namespace switchyard
