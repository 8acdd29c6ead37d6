// The library's log. It is off by default.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <switchyard/containers/out_of_memory.hpp>
#include <type_traits>

namespace switchyard {

/// Levels from the most messages to none.
enum class LogLevel { Trace, Debug, Info, Warning, Error, Off };

/// "off", "error", "warning", "info", "debug", "trace". Returns nothing for any other
/// word.
[[nodiscard]] std::optional<LogLevel> parse_log_level(std::string_view text) noexcept;

/// Messages below `level` are dropped. The initial level is `Off`: the library prints nothing by
/// itself.
void set_log_level(LogLevel level) noexcept;
/// The level set last.
[[nodiscard]] LogLevel log_level() noexcept;
/// Whether a message at `level` would be written. Check it before composing a long message.
[[nodiscard]] inline bool log_enabled(LogLevel level) noexcept { return level >= log_level(); }

/// Writes one message of the log. `sink` is what it was set with.
using LogWriter = void (*)(void* sink, LogLevel level, std::string_view message);
/// Sets where messages go, and keeps `sink` for as long as they go there. A null `write` restores
/// the default, standard error. Threads: `write` may be called from any thread, one call at a time.
void set_log_sink(std::shared_ptr<void> sink, LogWriter write);
/// Restores the default.
inline void set_log_sink(std::nullptr_t) { set_log_sink(nullptr, nullptr); }
/// The same with any callable. An empty std::function restores the default.
template <class Sink>
requires std::is_invocable_v<Sink&, LogLevel, std::string_view>
void set_log_sink(Sink sink) {
  if constexpr (requires { sink.operator bool(); }) {
    if (!sink) return set_log_sink(nullptr);
  }
  auto kept = with_enough_memory([&] { return std::make_shared<Sink>(std::move(sink)); });
  set_log_sink(std::move(kept), [](void* to, LogLevel level, std::string_view message) {
    (*static_cast<Sink*>(to))(level, message);
  });
}

/// Writes one line at `level`. May be called from any thread.
void log(LogLevel level, std::string_view message);

}  // namespace switchyard
