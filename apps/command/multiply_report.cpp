// Writing the report of a multiply.
#include "multiply_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machine.hpp"
#include "outcome_text.hpp"
#include "plan_json.hpp"
#include "table.hpp"

namespace switchyard::command {
namespace {

/// Bytes that one product in its state has to move, the vectors included.
double product_bytes(const MultiplyReport& report) {
  const Structure& structure = report.structure;
  const Index element = size_of(report.request.precision);
  const Format format = report.median_repetition().run.states_visited().back().format;
  return bytes_in(format, structure, element) +
         static_cast<double>((structure.rows + structure.cols) * element *
                             report.request.product.columns);
}

double per_second(double amount, double seconds) { return seconds > 0 ? amount / seconds : 0; }

std::string times_text(const Run& run) {
  return fmt::format("first {}, median {}, total {}", format_seconds(run.first()),
                     format_seconds(run.median()), format_seconds(run.total()));
}

std::string timing_text(const MultiplyReport& report) {
  const double seconds = report.median_repetition().run.median();
  std::string text =
      fmt::format("loading   {}, opening the devices {}\n", format_seconds(report.load_seconds),
                  format_seconds(report.open_seconds));
  for (std::size_t i = 0; i < report.repetitions.size(); ++i) {
    text += fmt::format("  repetition {}: {}\n", i + 1, times_text(report.repetitions[i].run));
  }
  return text + fmt::format("median    {:.3g} GB/s, {:.3g} GFLOP/s\n",
                            1e-9 * per_second(product_bytes(report), seconds),
                            per_second(2e-9 * static_cast<double>(report.structure.nnz *
                                                                  report.request.product.columns),
                                       seconds));
}

std::string verified_text(const MultiplyReport& report) {
  if (!report.worst_error) return "not checked (--verify)";
  const std::string not_finite =
      report.not_finite > 0 ? fmt::format("; {} of y not finite", format_count(report.not_finite))
                            : "";
  return fmt::format("{} (largest error {:.3g} % of the rounding bound{})",
                     report.verified() ? "yes" : "NO", 100 * *report.worst_error, not_finite);
}

void add_note(std::string& text, std::string_view lead, const std::string& words) {
  if (!words.empty()) text += folded(lead, words);
}

Json seconds_json(const Run& run) {
  return {{"first", run.first()}, {"median", run.median()}, {"total", run.total()}};
}

Json timing_json(const MultiplyReport& report) {
  const double bytes = product_bytes(report);
  return {{"load_seconds", report.load_seconds},
          {"open_seconds", report.open_seconds},
          {"product_bytes", whole(bytes)},
          {"bytes_per_second", per_second(bytes, report.median_repetition().run.median())}};
}

}  // namespace

const Repetition& MultiplyReport::median_repetition() const {
  std::vector<const Repetition*> sorted;
  for (const Repetition& repetition : repetitions) sorted.push_back(&repetition);
  std::ranges::stable_sort(sorted, {}, [](const Repetition* r) { return r->run.total(); });
  return *sorted[(sorted.size() - 1) / 2];
}

std::string report_text(const MultiplyReport& report) {
  const Repetition& repetition = report.median_repetition();
  std::string text = folded(
      "matrix    ", fmt::format("{}: {}, {}", report.request.matrix.text,
                                format_shape(report.structure), name(report.request.precision)));
  if (report.request.product != Request{}) {
    text += folded("product   ", name(report.request.product));
  }
  for (const auto& [space, device] : report.devices) {
    text += folded(fmt::format("{:<9} ", name(space)), device);
  }
  text += folded("profile   ", profile_text(*report.profile, report.profile_problem)) + "\n" +
          explain_plan(repetition.plan, page_style()) + "\n";
  if (report.request.timing) text += timing_text(report);
  text += fmt::format("time      {}\n", times_text(repetition.run));
  text += folded("states    ", visits_text(repetition.run, repetition.plan));
  add_note(text, "moved     ", why_it_moved(repetition.run, repetition.plan, true));
  add_note(text, "note      ", far_off_text(repetition.plan));
  text += folded("counters  ", counters_text(repetition.counters));
  text += fmt::format("verified  {}\n", verified_text(report));
  return text + "\n" + folded("", closing_text(repetition.plan, repetition.run));
}

Json report_document(const MultiplyReport& report) {
  const Repetition& repetition = report.median_repetition();
  Json document;
  document["matrix"] = matrix_json(report.structure);
  add_decision(document, repetition.plan, report.request.precision);
  add_request(document, report.request.product);  // of a symmetric matrix another is planned
  document["profile"] = profile_json(*report.profile, report.profile_problem);
  document["calls"] = report.request.calls;
  document["seconds"] = seconds_json(repetition.run);
  document["repetitions"] = Json::array();
  for (const Repetition& each : report.repetitions) {
    document["repetitions"].push_back(seconds_json(each.run));
  }
  if (report.request.timing) document["timing"] = timing_json(report);
  document["states_visited"] = state_names(repetition.run.states_visited());
  document["states_held"] = state_names(repetition.states);
  document["counters"] = counters_json(repetition.counters);
  document["verified"] = report.worst_error ? Json(report.verified()) : Json(nullptr);
  document["max_error"] = report.worst_error ? Json(*report.worst_error) : Json(nullptr);
  return document;
}

}  // namespace switchyard::command
