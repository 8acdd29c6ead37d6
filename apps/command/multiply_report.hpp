// What `switchyard multiply` was asked and what came out, as text and as JSON.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <switchyard/models/profile.hpp>
#include <utility>
#include <vector>

#include "matrix_argument.hpp"
#include "output.hpp"
#include "run.hpp"

namespace switchyard::command {

struct MultiplyRequest {
  MatrixArgument matrix;
  Index calls = 1;
  Request product;                               ///< what each call computes
  std::string x;                                 ///< a file; empty: numbers of our own
  std::string output;                            ///< a file for y, "-" or empty
  std::optional<State> state;                    ///< absent: the planner chooses
  std::vector<State> from;                       ///< empty: the file's format, on the host
  std::optional<std::filesystem::path> profile;  ///< absent: the one that fits, if any
  bool verify = false;
  bool timing = false;
  Index iterations = 1;
  std::optional<Space> device;
  std::optional<std::filesystem::path> trace;
  Precision precision = Precision::Float;
};

/// All the calls once, on the matrix as it was read.
struct Repetition {
  Plan plan;  ///< as it was before the first call, with what was measured since
  Run run;
  std::vector<State> states;  ///< that held a copy at the end
  Counters counters;
};

struct MultiplyReport {
  const MultiplyRequest& request;
  Structure structure = {};
  std::vector<std::pair<Space, std::string>> devices = {};
  std::shared_ptr<const Profile> profile = {};
  std::string profile_problem = {};
  double load_seconds = 0;
  double open_seconds = 0;
  std::vector<Repetition> repetitions = {};
  Index not_finite = 0;  ///< results that are NaN or infinite, as the matrix and x make them
  std::string y = {};    ///< as text, where it is for standard output
  std::string trace_failure = {};          ///< why there is no trace though one was asked for
  std::optional<double> worst_error = {};  ///< in units of what rounding allows; absent: unchecked

  [[nodiscard]] bool verified() const { return !worst_error || *worst_error <= 1; }
  /// The repetition whose total time is the (lower) median.
  [[nodiscard]] const Repetition& median_repetition() const;
};

[[nodiscard]] std::string report_text(const MultiplyReport& report);
[[nodiscard]] Json report_document(const MultiplyReport& report);

}  // namespace switchyard::command
