// What `switchyard explain` was asked and what came out, as text and as JSON.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <switchyard/core/counters.hpp>
#include <switchyard/core/plan.hpp>
#include <switchyard/models/profile.hpp>
#include <vector>

#include "matrix_argument.hpp"
#include "output.hpp"

namespace switchyard::command {

struct ExplainRequest {
  MatrixArgument matrix;
  Index calls = 1;
  Request product;          ///< what each call computes
  std::vector<State> from;  ///< empty: the file's format, on the host
  Space x;
  std::optional<State> state;  ///< absent: the planner chooses
  std::optional<std::filesystem::path> profile;
  bool analyze = false;
  std::optional<std::filesystem::path> trace;
  Precision precision = Precision::Float;
  std::optional<Space> device;
};

/// A plan, and the models that it was made with.
struct Explanation {
  Structure structure;
  Plan plan;
  std::shared_ptr<const Profile> profile;
  std::string profile_problem = {};
  bool elsewhere = false;                 ///< for the machine of the profile, not for this one
  std::optional<Counters> counters = {};  ///< of the products made
  std::string trace_failure = {};         ///< why there is no trace though one was asked for
};

[[nodiscard]] std::string report_text(const ExplainRequest& request,
                                      const Explanation& explanation);
[[nodiscard]] Json report_document(const ExplainRequest& request, const Explanation& explanation);

}  // namespace switchyard::command
