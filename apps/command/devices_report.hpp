// What there is to compute with, for people and for programs.
#pragma once

#include <string>
#include <switchyard/core/options.hpp>
#include <switchyard/core/runtime.hpp>

#include "output.hpp"

namespace switchyard::command {

/// Where the profile is that fits, or where the one that does not was looked for.
[[nodiscard]] std::string profile_place(const Runtime& runtime, const RuntimeOptions& options);

/// `host`, `devices`, `left_out` and `profile`.
[[nodiscard]] Json devices_document(const Runtime& runtime, const std::string& place);
/// A line for each of them.
[[nodiscard]] std::string devices_text(const Runtime& runtime, const std::string& place);

}  // namespace switchyard::command
