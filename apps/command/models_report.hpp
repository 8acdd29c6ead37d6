// The models of a calibration, as a table and as JSON.
#pragma once

#include <filesystem>
#include <string>
#include <switchyard/tuning/calibrate.hpp>
#include <vector>

#include "output.hpp"

namespace switchyard::command {

/// Why plans should not lean on this model; empty where they may: a held-out error above 10 % in
/// the median or 40 % at the 95th percentile, or a transfer that is not a line (R² below 0.99).
[[nodiscard]] std::string weakness(const CostModel& model);
/// What to do about a weak model; empty for any other.
[[nodiscard]] std::string remedy_for(const CostModel& model);
/// How many of the models are weak and what to do, some lines; empty where none is.
[[nodiscard]] std::string weak_models_text(const std::vector<CostModel>& models);

/// What the model is of: "csr@host", "dense@host -> csr", "host -> device0",
/// "csr_merge@device0".
[[nodiscard]] std::string subject(const ModelKey& key);

/// One model as `calibrate --json` has it.
[[nodiscard]] Json model_json(const CostModel& model);

[[nodiscard]] std::string models_text(const CalibrationResult& result,
                                      const std::filesystem::path& file);
[[nodiscard]] Json models_document(const CalibrationResult& result,
                                   const std::filesystem::path& file);

}  // namespace switchyard::command
