// Colour on a terminal, and nowhere else.
#pragma once

#include <string>
#include <string_view>

namespace switchyard::command {

enum class Style { Plain, Bold, Dim, Red, Green, Yellow };

/// Whether text on that stream (STDOUT_FILENO, ...) may be coloured: it is a terminal that knows
/// colours, and NO_COLOR (no-color.org) is not set.
[[nodiscard]] bool colour_wanted(int stream);

/// The text in that style, or as it is where `coloured` is false.
[[nodiscard]] std::string styled(std::string_view text, Style style, bool coloured);

}  // namespace switchyard::command
