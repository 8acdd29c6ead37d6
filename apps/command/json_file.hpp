// JSON documents that a command is given as files.
#pragma once

#include <filesystem>
#include <string>

#include "output.hpp"

namespace switchyard::command {

/// The document in that file. `what` names it in errors ("the recorded decisions"). Throws `Error`:
/// IoError where it cannot be read, DataCorrupt where it is not JSON, or nested more deeply than
/// any document of ours, which would exhaust the stack.
[[nodiscard]] Json read_json_file(const std::filesystem::path& file, const std::string& what);

}  // namespace switchyard::command
