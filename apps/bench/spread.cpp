// Means and tails of ratios.
#include "spread.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "statistics.hpp"

namespace switchyard::command::bench {

Json spread_json(const std::vector<double>& values) {
  if (values.empty()) {
    return {{"geometric_mean", nullptr}, {"p95", nullptr}, {"maximum", nullptr}, {"count", 0}};
  }
  return {{"geometric_mean", geometric_mean(values)},
          {"p95", percentile(values, 0.95)},
          {"maximum", std::ranges::max(values)},
          {"count", values.size()}};
}

Table spread_table(const std::string& title) {
  return Table({{title},
                {"workloads", Align::Right},
                {"geometric mean", Align::Right},
                {"p95", Align::Right},
                {"maximum", Align::Right}});
}

void add_spread(Table& table, const std::string& what, const std::vector<double>& values) {
  if (values.empty()) return;
  table.add({what, fmt::format("{}", values.size()), fmt::format("{:.3f}", geometric_mean(values)),
             fmt::format("{:.2f}", percentile(values, 0.95)),
             fmt::format("{:.2f}", std::ranges::max(values))});
}

}  // namespace switchyard::command::bench
