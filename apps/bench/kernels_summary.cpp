// What the products come to: for each state and family of matrices, against bandwidth and peers.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "command/table.hpp"
#include "kernels.hpp"
#include "statistics.hpp"

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
  if (group.best->peers.ratio > 0) line.best_ratios.push_back(group.best->peers.ratio);
  if (!group.chosen) return;
  if (group.chosen->peers.ratio > 0) line.chosen_ratios.push_back(group.chosen->peers.ratio);
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

}  // namespace

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

std::string kernel_summary_text(const std::vector<KernelCase>& cases) {
  Table table({{"state"},
               {"matrices"},
               {"cases", Align::Right},
               {"of peak", Align::Right},
               {"best/peer", Align::Right},
               {"chosen/peer", Align::Right},
               {"chosen slower by", Align::Right},
               {"on"}});
  for (const Line& line : summary_of(cases)) {
    table.add({name(line.state), line.family, fmt::format("{}", line.matrices),
               short_mean_and_minimum(line.fractions), short_mean_and_minimum(line.best_ratios),
               short_mean_and_minimum(line.chosen_ratios),
               line.worst_choice > 0 ? fmt::format("{:.2f}", line.worst_choice) : "-",
               shortened(line.worst_choice_matrix, 22)});
  }
  return table.text();
}

}  // namespace switchyard::command::bench
