// What `bench decisions --json` recorded, as far as a report shows it.
#pragma once

#include <filesystem>

#include "../output.hpp"

namespace switchyard::command::report {

/// `file`, `machine`, `date`, `groups` (`hinted`, `unhinted`, `csr_host`: `count`,
/// `geometric_mean`, `p95`, `maximum` and the ascending `regrets`) and `worst`, the workloads
/// furthest from the best. Throws `Error`: IoError where the file cannot be read, DataCorrupt where
/// it is no such document.
[[nodiscard]] Json decisions_view(const std::filesystem::path& file);

}  // namespace switchyard::command::report
