// Writing the report of a solve.
#include "solve_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "machine.hpp"
#include "outcome_text.hpp"
#include "plan_json.hpp"
#include "table.hpp"

namespace switchyard::command {
namespace {

double per_iteration(const SolveReport& report) {
  return report.iterations > 0 ? report.seconds / static_cast<double>(report.iterations) : 0;
}

/// JSON has no words for what is not finite.
Json number_or_null(std::optional<double> number) {
  return number && std::isfinite(*number) ? Json(*number) : Json(nullptr);
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

std::string ending(const SolveReport& report) {
  const double residual = report.residual;
  if (report.converged) return fmt::format("yes (relative residual {:.3g})", residual);
  if (!report.breakdown.empty()) return "NO: " + report.breakdown;
  return fmt::format("NO (relative residual {:.3g}, goal {:.3g})", residual, report.request.goal());
}

}  // namespace

std::string report_text(const SolveReport& report) {
  const std::string& why = report.choice.why;
  std::string text = folded(
      "matrix     ", fmt::format("{}: {}, {}", report.request.matrix.text,
                                 format_shape(report.structure), name(report.request.precision)));
  text += folded("profile    ", profile_text(*report.profile, report.profile_problem));
  text += folded("method     ", fmt::format("{}{}", name(report.choice.method),
                                            why.empty() ? "" : ", because " + why));
  text += "\n" + explain_plan(report.plan, page_style()) + "\n";
  text += fmt::format("converged  {}\n", ending(report));
  if (report.error)
    text += fmt::format("error      {:.3g} (the solution is a vector of ones)\n", *report.error);
  if (report.eigenvalue) text += fmt::format("eigenvalue {:.10g}\n", *report.eigenvalue);
  text += fmt::format("iterations {}\n", report.iterations);
  text += fmt::format("time       {} in total, {} per iteration\n", format_seconds(report.seconds),
                      format_seconds(per_iteration(report)));
  text += folded("states     ", visits_text(report.run, report.plan));
  const std::string moved = why_it_moved(report.run, report.plan, false);
  if (!moved.empty()) text += folded("moved      ", moved);
  return text + folded("counters   ", counters_text(report.counters));
}

Json report_document(const SolveReport& report) {
  Json document;
  document["matrix"] = matrix_json(report.structure);
  document["method"] = name(report.choice.method);
  document["chosen_because"] = text_or_null(report.choice.why);
  document["rtol"] = report.request.goal();
  document["max_iterations"] = report.request.max_iterations;
  document["iterations"] = report.iterations;
  document["residual"] = number_or_null(report.residual);
  document["converged"] = report.converged;
  document["breakdown"] = text_or_null(report.breakdown);
  document["error"] = number_or_null(report.error);
  document["eigenvalue"] = number_or_null(report.eigenvalue);
  document["seconds"] = {{"total", report.seconds}, {"per_iteration", per_iteration(report)}};
  document["states_visited"] = state_names(report.run.states_visited());
  document["states_held"] = state_names(report.states);
  document["counters"] = counters_json(report.counters);
  document["profile"] = profile_json(*report.profile, report.profile_problem);
  add_decision(document, report.plan, report.request.precision);
  return document;
}

/// What to do about equations that were not solved.
const char* remedy_for(const SolveReport& report) {
  if (!std::isfinite(report.residual)) {
    return "look for infinite or NaN elements in the matrix and the right-hand side";
  }
  return report.choice.method == Method::Gmres
             ? "allow more --max-iterations or a larger --restart"
             : "allow more --max-iterations, or try --method gmres";
}

std::string failure_of(const SolveReport& report) {
  if (report.converged) return {};
  const auto method = name(report.choice.method);
  const std::string& where = report.request.matrix.text;
  const bool linear = solves_equations(report.choice.method);
  const char* const other = remedy_for(report);
  if (!report.breakdown.empty()) {
    return fmt::format("{} broke down after {} iterations: {} ({}){}{}", method, report.iterations,
                       report.breakdown, where, linear ? "; " : "", linear ? other : "");
  }
  return fmt::format(
      "{} did not converge in {} iterations: relative residual {:.3g}, goal {:.3g} "
      "({}); {}",
      method, report.iterations, report.residual, report.request.goal(), where,
      linear ? other : "allow more --max-iterations");
}

}  // namespace switchyard::command
