// The program's standard streams.
#pragma once

#include <string>
#include <string_view>
#include <switchyard/core/text.hpp>

#include "json_document.hpp"

namespace switchyard::command {

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
