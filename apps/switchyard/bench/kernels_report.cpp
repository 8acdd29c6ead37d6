// The table of products, and their summary.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <switchyard/core/plan.hpp>
#include <tuple>

#include "../table.hpp"
#include "kernels.hpp"
#include "race.hpp"

namespace switchyard::command::bench {
namespace {

/// All cases of one matrix in one state and precision.
struct Group {
  std::string family;
  Precision precision = Precision::Float;
  State state;
  const KernelCase* best = nullptr;    ///< the fastest variant
  const KernelCase* chosen = nullptr;  ///< the models' choice; null where they have none

  [[nodiscard]] double cost_of_choice() const { return chosen->seconds / best->seconds; }
};

std::vector<Group> groups_of(const std::vector<KernelCase>& cases) {
  std::map<std::tuple<std::string, Precision, State>, std::size_t> places;
  std::vector<Group> groups;
  for (const KernelCase& entry : cases) {
    if (entry.seconds <= 0) continue;
    const auto key = std::tuple(entry.matrix, entry.precision, entry.state);
    const auto [place, is_new] = places.try_emplace(key, groups.size());
    if (is_new) groups.push_back({entry.family, entry.precision, entry.state});
    Group& group = groups[place->second];
    if (!group.best || entry.seconds < group.best->seconds) group.best = &entry;
    if (entry.chosen) group.chosen = &entry;
  }
  return groups;
}

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return values.empty() ? 0 : std::exp(sum / static_cast<double>(values.size()));
}

/// One line of the summary: a state and a family of matrices.
struct Line {
  State state;
  std::string family;
  Index matrices = 0;
  std::vector<double> fractions = {};      ///< of bandwidth, best variants
  std::vector<double> best_ratios = {};    ///< to the best peer
  std::vector<double> chosen_ratios = {};  ///< the same of the models' choices
  double worst_choice = 0;                 ///< 0: the models chose nothing
  std::string worst_choice_matrix = {};
};

void count_in(Line& line, const Group& group) {
  ++line.matrices;
  if (group.best->fraction > 0) line.fractions.push_back(group.best->fraction);
  if (group.best->ratio > 0) line.best_ratios.push_back(group.best->ratio);
  if (!group.chosen) return;
  if (group.chosen->ratio > 0) line.chosen_ratios.push_back(group.chosen->ratio);
  if (group.cost_of_choice() <= line.worst_choice) return;
  line.worst_choice = group.cost_of_choice();
  line.worst_choice_matrix = group.best->matrix;
}

std::vector<Line> summary_of(const std::vector<KernelCase>& cases) {
  std::vector<Line> lines;
  for (const Group& group : groups_of(cases)) {
    const auto same = [&](const Line& line) {
      return line.state == group.state && line.family == group.family;
    };
    auto line = std::ranges::find_if(lines, same);
    if (line == lines.end()) line = lines.insert(line, Line{group.state, group.family});
    count_in(*line, group);
  }
  std::ranges::stable_sort(lines, {}, &Line::state);
  return lines;
}

/// Geometric mean and minimum; null of nothing.
Json mean_and_minimum(const std::vector<double>& values) {
  if (values.empty()) return nullptr;
  return {{"geometric_mean", geometric_mean(values)}, {"minimum", std::ranges::min(values)}};
}

std::string short_mean_and_minimum(const std::vector<double>& values) {
  if (values.empty()) return "-";
  return fmt::format("{:.2f} {:.2f}", geometric_mean(values), std::ranges::min(values));
}

std::string shortened(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 2) + "..";
}

Json number_or_null(double value) { return value > 0 ? Json(value) : Json(nullptr); }

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
            {"failure", entry.failure.empty() ? Json(nullptr) : Json(entry.failure)}};
  if (!with_peers) return json;
  json["peers"] = entry.peers;
  json["best_peer"] = entry.best_peer.empty() ? Json(nullptr) : Json(entry.best_peer);
  json["ratio_to_best_peer"] = number_or_null(entry.ratio);
  return json;
}

std::string cases_text(const std::vector<KernelCase>& cases) {
  Table table({{"matrix"},
               {"type"},
               {"state"},
               {"variant"},
               {"time", Align::Right},
               {"GB/s", Align::Right},
               {"of bw", Align::Right},
               {"best peer"},
               {"ratio", Align::Right},
               {"error", Align::Right}});
  for (const KernelCase& entry : cases) {
    const bool timed = entry.seconds > 0;
    table.add(
        {shortened(entry.matrix, 22), std::string(name(entry.precision)), name(entry.state),
         shortened(entry.variant, 14) + (entry.chosen ? "*" : ""),
         timed ? format_seconds(entry.seconds) : "failed",
         timed ? fmt::format("{:.1f}", static_cast<double>(entry.bytes) / entry.seconds / 1e9) : "",
         entry.fraction > 0 ? fmt::format("{:.2f}", entry.fraction) : "",
         shortened(entry.best_peer, 14), entry.ratio > 0 ? fmt::format("{:.2f}", entry.ratio) : "",
         fmt::format("{:.2f}", entry.max_error)});
  }
  return table.text();
}

}  // namespace

Json kernel_cases_json(const std::vector<KernelCase>& cases, bool with_peers) {
  Json list = Json::array();
  for (const KernelCase& entry : cases) list.push_back(case_json(entry, with_peers));
  return list;
}

Json kernel_summary_json(const std::vector<KernelCase>& cases) {
  Json list = Json::array();
  for (const Line& line : summary_of(cases)) {
    list.push_back(
        {{"state", name(line.state)},
         {"family", line.family},
         {"matrices", line.matrices},
         {"fraction_of_bandwidth", mean_and_minimum(line.fractions)},
         {"best_variant_to_best_peer", mean_and_minimum(line.best_ratios)},
         {"chosen_variant_to_best_peer", mean_and_minimum(line.chosen_ratios)},
         {"worst_choice", number_or_null(line.worst_choice)},
         {"worst_choice_matrix",
          line.worst_choice_matrix.empty() ? Json(nullptr) : Json(line.worst_choice_matrix)}});
  }
  return list;
}

std::string kernels_text(const std::vector<KernelCase>& cases) {
  Table table({{"state"},
               {"matrices"},
               {"cases", Align::Right},
               {"of bw", Align::Right},
               {"best:peer", Align::Right},
               {"chosen:peer", Align::Right},
               {"worst choice", Align::Right},
               {"on"}});
  for (const Line& line : summary_of(cases)) {
    table.add({name(line.state), line.family, fmt::format("{}", line.matrices),
               short_mean_and_minimum(line.fractions), short_mean_and_minimum(line.best_ratios),
               short_mean_and_minimum(line.chosen_ratios),
               line.worst_choice > 0 ? fmt::format("{:.2f}", line.worst_choice) : "-",
               shortened(line.worst_choice_matrix, 22)});
  }
  return cases_text(cases) +
         "\n* is what the profile's models choose. Below, pairs are geometric mean and minimum: "
         "the\n"
         "best variant's fraction of bandwidth, and how many times as fast as the best peer the "
         "best\n"
         "and the chosen variant are; then the most that a choice lost against the best "
         "variant.\n\n" +
         table.text();
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
