// The library's log. It is off by default.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

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

/// Sets where messages go. An empty function restores the default, standard error.
/// Threads: the sink may be called from any thread, one call at a time.
void set_log_sink(std::function<void(LogLevel, std::string_view)> sink);

/// Writes one line at `level`. May be called from any thread.
void log(LogLevel level, std::string_view message);

}  // namespace switchyard
