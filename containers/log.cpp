// The log's level and sink; spdlog formats what goes to standard error.
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <atomic>
#include <mutex>
#include <string>
#include <switchyard/containers/log.hpp>

namespace switchyard {
namespace {

constexpr std::array<std::string_view, 6> level_names{"trace",   "debug", "info",
                                                      "warning", "error", "off"};

std::atomic<LogLevel> current_level{LogLevel::Off};

struct Sink {
  std::mutex mutex;
  std::shared_ptr<void> target;
  LogWriter write = nullptr;
};

// Never destroyed: threads may still log while the program ends.
Sink& sink() {
  static Sink* const instance = new Sink;
  return *instance;
}

spdlog::logger& stderr_logger() {
  static const std::shared_ptr<spdlog::logger> logger = [] {
    auto made = std::make_shared<spdlog::logger>("switchyard",
                                                 std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("switchyard: %l: %v");
    made->set_level(spdlog::level::trace);
    made->flush_on(spdlog::level::trace);
    return made;
  }();
  return *logger;
}

}  // namespace

std::optional<LogLevel> parse_log_level(std::string_view text) noexcept {
  for (std::size_t i = 0; i < level_names.size(); ++i) {
    if (level_names[i] == text) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

void set_log_level(LogLevel level) noexcept { current_level = level; }

LogLevel log_level() noexcept { return current_level; }

void set_log_sink(std::shared_ptr<void> target, LogWriter write) {
  const std::lock_guard lock(sink().mutex);
  sink().target.swap(target);
  sink().write = write;
}

void log(LogLevel level, std::string_view message) {
  if (level == LogLevel::Off || !log_enabled(level)) return;
  const std::lock_guard lock(sink().mutex);
  if (sink().write) return sink().write(sink().target.get(), level, message);
  stderr_logger().log(static_cast<spdlog::level::level_enum>(level), "{}", message);
}

}  // namespace switchyard
