// All checks of the doctor.
#pragma once

#include <string>
#include <switchyard/containers/function_ref.hpp>
#include <vector>

#include "report.hpp"

namespace switchyard::command::doctor {

/// Opens the machine and makes every check. `doing` is told what is done next. A check that fails
/// is a finding too.
[[nodiscard]] std::vector<Entry> check_all(FunctionRef<void(const std::string&)> doing);

}  // namespace switchyard::command::doctor
