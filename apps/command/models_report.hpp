// The models of a calibration, as a table and as JSON.
#pragma once

#include <filesystem>
#include <string>
#include <switchyard/tuning/calibrate.hpp>
#include <vector>

#include "output.hpp"

namespace switchyard::command {

/// Why decisions should not depend on this model; empty where they may. A model is inaccurate with
/// a held-out error above 10 % in the median or 40 % at the 95th percentile, or with an R² below
/// 0.99 for a transfer.
[[nodiscard]] std::string weakness(const CostModel& model);
/// What to do about an inaccurate model; empty for any other.
[[nodiscard]] std::string remedy_for(const CostModel& model);
/// How many of the models are inaccurate and what to do, some lines; empty where none is.
[[nodiscard]] std::string weak_models_text(const std::vector<CostModel>& models);

/// The states, with their precision, of which a calibrated profile has only built-in models:
/// "csr@host (float)". Ascending; none for a profile that is built in as a whole.
[[nodiscard]] std::vector<std::string> built_in_states(const Profile& profile);
/// The first of them, what that means and what to do, on some lines; empty where there are none.
[[nodiscard]] std::string built_in_text(const std::vector<std::string>& states);

/// What the model is of: "csr@host", "dense@host -> csr", "host -> device0",
/// "csr_merge@device0".
[[nodiscard]] std::string subject(const ModelKey& key);

/// One model as `calibrate --json` has it.
[[nodiscard]] Json model_json(const CostModel& model);

/// A line for each model.
[[nodiscard]] std::string model_table(const std::vector<CostModel>& models);
/// How many models could not be fitted, and the first of them, in one line. REQUIRES: not empty.
[[nodiscard]] std::string unfitted_line(const std::vector<UnfittedModel>& unfitted);
/// How many models could not be fitted and have rough estimates instead, of each of the states that
/// have most of them, and what to do; empty where nothing.
[[nodiscard]] std::string unfitted_text(const std::vector<UnfittedModel>& unfitted);
/// A line for each operation (for each model where `verbose`), the profile's place, and what to do.
[[nodiscard]] std::string models_text(const CalibrationResult& result,
                                      const std::filesystem::path& file, bool verbose);
[[nodiscard]] Json models_document(const CalibrationResult& result,
                                   const std::filesystem::path& file);

}  // namespace switchyard::command
