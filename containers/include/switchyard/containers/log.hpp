// The library's log: silent unless somebody asks for it.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

namespace switchyard {

/// From the most talkative to silence.
enum class LogLevel { Trace, Debug, Info, Warning, Error, Off };

/// "off", "error", "warning", "info", "debug", "trace"; nothing for any other word.
[[nodiscard]] std::optional<LogLevel> parse_log_level(std::string_view text) noexcept;

/// Messages below `level` are dropped. `Off` to begin with: a library prints nothing by itself.
void set_log_level(LogLevel level) noexcept;
/// The level set last.
[[nodiscard]] LogLevel log_level() noexcept;
/// Whether a message at `level` would be written: ask before composing a long one.
[[nodiscard]] inline bool log_enabled(LogLevel level) noexcept { return level >= log_level(); }

/// Where messages go: standard error, unless a sink is set. An empty function restores that.
/// The sink may be called from any thread, one call at a time.
void set_log_sink(std::function<void(LogLevel, std::string_view)> sink);

/// Writes one line at `level`. May be called from any thread.
void log(LogLevel level, std::string_view message);

}  // namespace switchyard
