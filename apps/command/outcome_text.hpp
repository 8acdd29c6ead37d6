// What a run of calls came to, in words: where it computed, why it moved, and what that brought.
#pragma once

#include <string>
#include <switchyard/core/plan.hpp>

#include "run.hpp"

namespace switchyard::command {

/// The states that computed, in order. With more than one, each with its number of calls and its
/// measured and predicted time for each: "csr@host (12 calls, 3.20ms each, predicted 1.00ms) ->
/// ...".
[[nodiscard]] std::string visits_text(const Run& run, const Plan& plan);

/// Why the calls did not stay in one state; empty where they did. `hinted`: the number of calls was
/// known from the beginning.
[[nodiscard]] std::string why_it_moved(const Run& run, const Plan& plan, bool hinted);

/// Where measured times are far from the predicted ones: by how much, and what to do. Empty where
/// they are not, or too little was measured.
[[nodiscard]] std::string far_off_text(const Plan& plan);

/// The closing sentence: what the calls took, and how that compares with leaving the matrix where
/// it was, or with the next best state.
[[nodiscard]] std::string closing_text(const Plan& plan, const Run& run);

}  // namespace switchyard::command
