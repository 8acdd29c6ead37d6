// All that a report shows, as one JSON document.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <switchyard/models/profile.hpp>

#include "../output.hpp"

namespace switchyard::command::report {

/// `switchyard` (the version), `made` (UTC), `machine`, `map`, `turning_points`, `bytes`, `linear`,
/// `models`, and `decisions`, null where no file is given. Throws what `decisions_view` throws, and
/// `Error(Unsupported)` for a profile without any product.
[[nodiscard]] Json report_document(const Profile& profile,
                                   const std::optional<std::filesystem::path>& decisions);

}  // namespace switchyard::command::report
