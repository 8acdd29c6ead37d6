// What a busy machine means for a profile, in words.
#pragma once

#include <string>
#include <switchyard/models/profile.hpp>

namespace switchyard {

/// "load 4.3 on 2 processors": the threads of other programs that ran or were ready to run before
/// the calibration, or the processors that they kept busy during it if that is more.
[[nodiscard]] std::string load_text(const CalibrationLoad& load);

/// The error that a typical prediction of a multiplication may have: the median over the models'
/// p95 errors. 0 without such models.
[[nodiscard]] double typical_error(const Profile& profile);

/// "load 4.3 on 2 processors: predictions may be off by 63 %" for a profile that was measured on a
/// busy machine; empty if the machine was quiet, or it is unknown.
[[nodiscard]] std::string busy_text(const Profile& profile);

}  // namespace switchyard
