// What the doctor says, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "../output.hpp"
#include "check.hpp"

namespace switchyard::command::doctor {

/// A finding and the check that made it.
struct Entry {
  std::string check;
  Finding finding;
};

/// "ok", "warning", "problem".
[[nodiscard]] std::string_view name(Health health);
[[nodiscard]] Health worst(const std::vector<Entry>& entries);

/// A line for each finding, folded at 100 columns, then what to do.
[[nodiscard]] std::string report_text(const std::vector<Entry>& entries, bool coloured);
/// `status`, and `checks` with `name`, `status`, `message` and `remedy` (null where there is none).
[[nodiscard]] Json report_document(const std::vector<Entry>& entries);

}  // namespace switchyard::command::doctor
