// What `switchyard solve` was asked and what came out, as text and as JSON.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <switchyard/models/profile.hpp>

#include "matrix_argument.hpp"
#include "output.hpp"
#include "run.hpp"
#include "solve_method.hpp"

namespace switchyard::command {

struct SolveRequest {
  MatrixArgument matrix;
  std::optional<Method> method;  ///< absent: chosen for the matrix
  std::optional<double> rtol;    ///< absent: what the precision allows
  Index max_iterations = 10'000;
  Index restart = 30;
  std::string rhs;                               ///< a file; empty: A times ones
  std::string output;                            ///< a file for x, "-" or empty
  std::optional<State> state;                    ///< absent: the planner chooses
  std::optional<Space> device;                   ///< absent: all
  std::optional<std::filesystem::path> profile;  ///< absent: the one that fits, if any
  std::optional<std::filesystem::path> trace;
  Precision precision = Precision::Double;

  [[nodiscard]] double goal() const {
    return rtol.value_or(precision == Precision::Double ? 1e-8 : 1e-4);
  }
};

struct SolveReport {
  const SolveRequest& request;
  MethodChoice choice = {};  ///< `why` is empty where the method was asked for
  Structure structure = {};
  std::shared_ptr<const Profile> profile = {};
  std::string profile_problem = {};
  Index iterations = 0;
  double residual = 0;  ///< the true one, relative; see solve_check.hpp
  bool converged = false;
  std::string breakdown = {};
  std::optional<double> error = {};       ///< the largest |x_i - 1|, where x should be ones
  std::optional<double> eigenvalue = {};  ///< of `power`
  double seconds = 0;
  Plan plan = {};  ///< as it was at the end, with what was measured
  Run run = {};
  std::vector<State> states = {};  ///< that held a copy at the end
  Counters counters = {};
  std::string x = {};              ///< as text, where it is for standard output
  std::string trace_failure = {};  ///< why there is no trace though one was asked for
};

[[nodiscard]] std::string report_text(const SolveReport& report);
[[nodiscard]] Json report_document(const SolveReport& report);

/// `WHAT (WHERE); HINT` where the method has not converged, or an empty text.
[[nodiscard]] std::string failure_of(const SolveReport& report);

}  // namespace switchyard::command
