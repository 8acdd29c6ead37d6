// Writing an explanation.
#include "explain_report.hpp"

#include <fmt/format.h>

#include "machine.hpp"
#include "outcome_text.hpp"
#include "plan_json.hpp"
#include "table.hpp"

namespace switchyard::command {
namespace {

std::string joined_names(const std::vector<State>& states) {
  std::string names;
  for (const State state : states) names += (names.empty() ? "" : ", ") + name(state);
  return names;
}

}  // namespace

std::string report_text(const ExplainRequest& request, const Explanation& explanation) {
  std::string text = folded(
      "matrix     ",
      fmt::format("{}: {}, {}, in {}", request.matrix.text, format_shape(explanation.structure),
                  name(request.precision), joined_names(explanation.plan.yard.valid)));
  if (explanation.elsewhere) {
    text += folded("machine    ", machine_text(explanation.profile->fingerprint()) +
                                      " (the machine of the profile, not this one)");
  }
  text += folded("profile    ", profile_text(*explanation.profile, explanation.profile_problem));
  text += "\n" + explain_plan(explanation.plan, page_style());
  if (const std::string words = far_off_text(explanation.plan); !words.empty()) {
    text += folded("note       ", words);
  }
  if (explanation.counters) text += folded("done       ", counters_text(*explanation.counters));
  return text;
}

Json report_document(const ExplainRequest& request, const Explanation& explanation) {
  Json document;
  document["matrix"] = matrix_json(explanation.structure);
  add_decision(document, explanation.plan, request.precision);
  add_request(document, request.product);  // of a symmetric matrix another is planned
  document["profile"] = profile_json(*explanation.profile, explanation.profile_problem);
  document["machine"] = machine_json(explanation.profile->fingerprint());
  document["machine"]["elsewhere"] = explanation.elsewhere;
  if (explanation.counters) document["counters"] = counters_json(*explanation.counters);
  return document;
}

}  // namespace switchyard::command
