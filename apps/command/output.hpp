// The program's standard streams.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <switchyard/core/text.hpp>

namespace switchyard::command {

/// Keys stay in the order in which they were written, as the documentation shows them.
using Json = nlohmann::ordered_json;

/// Counts up whenever a key changes its meaning or goes; keys are added without it.
inline constexpr int schema_version = 1;

/// The document with `schema_version` as its first key. REQUIRES: an object.
[[nodiscard]] Json with_schema(const Json& document);

/// A number of bytes, as an integer; null where it is not finite.
[[nodiscard]] Json whole(double amount);

/// The document as it is printed, its `schema_version` first. Doubles are written so that reading
/// them restores every bit; bytes that are no UTF-8 (a file's name may hold any) become replacement
/// characters.
[[nodiscard]] std::string json_text(const Json& document);

/// Makes sure that the three standard streams are open, so that no file that is opened later takes
/// the place of one that the caller closed, and that a closed pipe and a file that may not grow
/// are errors and not signals.
void prepare_streams();

/// Colours where standard output is a terminal that may have them (see `colour_wanted`), none
/// anywhere else.
[[nodiscard]] TextStyle page_style();

/// The text with each word that is wider than `width` cut in its middle.
[[nodiscard]] std::string with_short_words(std::string_view text, std::size_t width);

/// Writes everything to standard output. Returns false, `errno` being set, where that fails.
[[nodiscard]] bool write_output(std::string_view text);

/// Writes text to standard error as it is.
void write_diagnostic(std::string_view text);

/// Writes `switchyard: error: MESSAGE`, on one line whatever the message holds, long names in it
/// shortened.
void write_error(std::string_view message);

}  // namespace switchyard::command
