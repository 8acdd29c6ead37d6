// The table of products.
#include <fmt/format.h>

#include <switchyard/core/plan.hpp>

#include "command/plan_json.hpp"
#include "command/table.hpp"
#include "kernels.hpp"

namespace switchyard::command::bench {
namespace {

Json case_json(const KernelCase& entry, bool with_peers) {
  Json json{{"matrix", entry.matrix},
            {"family", entry.family},
            {"precision", name(entry.precision)},
            {"state", name(entry.state)},
            {"variant", entry.variant},
            {"rows", entry.rows},
            {"cols", entry.cols},
            {"nnz", entry.nnz},
            {"seconds", number_or_null(entry.seconds)},
            {"bytes", entry.bytes},
            {"bandwidth_bytes_per_second", number_or_null(entry.bandwidth)},
            {"fraction_of_bandwidth", number_or_null(entry.fraction)},
            {"predicted_seconds", entry.predicted ? Json(*entry.predicted) : Json(nullptr)},
            {"chosen", entry.chosen},
            {"max_error", entry.max_error},
            {"failure", text_or_null(entry.failure)}};
  add_request(json, entry.request);
  if (with_peers) add_peers(json, entry.peers);
  return json;
}

std::string cases_text(const std::vector<KernelCase>& cases) {
  Table table({{"matrix"},
               {"type"},
               {"state"},
               {"variant"},
               {"time", Align::Right},
               {"GB/s", Align::Right},
               {"% of peak", Align::Right},
               {"best peer"},
               {"speedup", Align::Right},
               {"error", Align::Right}});
  for (const KernelCase& entry : cases) {
    const bool timed = entry.seconds > 0;
    table.add(
        {shortened(entry.matrix, 22), std::string(name(entry.precision)), name(entry.state),
         shortened(entry.variant, 14) + (entry.chosen ? "*" : ""),
         timed ? format_seconds(entry.seconds) : "failed",
         timed ? fmt::format("{:.1f}", static_cast<double>(entry.bytes) / entry.seconds / 1e9) : "",
         entry.fraction > 0 ? fmt::format("{:.0f}", 100 * entry.fraction) : "",
         shortened(entry.peers.best, 14), ratio_text(entry.peers),
         fmt::format("{:.2f}", entry.max_error)});
  }
  return table.text();
}

}  // namespace

std::string shortened(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 2) + "..";
}

Json kernel_cases_json(const std::vector<KernelCase>& cases, bool with_peers) {
  Json list = Json::array();
  for (const KernelCase& entry : cases) list.push_back(case_json(entry, with_peers));
  return list;
}

std::string kernels_text(const std::vector<KernelCase>& cases) {
  return cases_text(cases) +
         "\n* the variant that the models choose. % of peak: of the bandwidth measured beside it. "
         "speedup: over\n"
         "the best peer with the same format. error: the largest, 1 is the rounding bound.\n"
         "\nThe fastest state for each matrix. % of limit: 100 is the smallest format read at peak "
         "bandwidth.\n"
         "speedup: over the best peer with any format.\n\n" +
         best_formats_text(cases) + long_horizon_text(cases) +
         "\nSummary for each state and kind of matrix, as geometric mean and minimum: the best "
         "variant's share\n"
         "of peak bandwidth; the speedup of the best and of the chosen variant over the best peer; "
         "and how\n"
         "much slower the chosen variant is than the best one, at most.\n\n" +
         kernel_summary_text(cases);
}

std::map<std::string, double> largest_bandwidths(const std::vector<KernelCase>& cases) {
  std::map<std::string, const KernelCase*> largest;
  for (const KernelCase& entry : cases) {
    const KernelCase*& most = largest[name(entry.state.space)];
    if (!most || entry.bytes > most->bytes) most = &entry;
  }
  std::map<std::string, double> bandwidths;
  for (const auto& [space, entry] : largest) bandwidths[space] = entry->bandwidth;
  return bandwidths;
}

}  // namespace switchyard::command::bench
