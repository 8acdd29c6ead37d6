// What ratios of many cases come to, as JSON and as lines of a table.
#pragma once

#include <string>
#include <vector>

#include "command/output.hpp"
#include "command/table.hpp"

namespace switchyard::command::bench {

/// `geometric_mean`, `p95`, `maximum`, `count`; null of nothing, but for the count.
[[nodiscard]] Json spread_json(const std::vector<double>& values);

/// An empty table of spreads, with its title above the first column.
[[nodiscard]] Table spread_table(const std::string& title);
/// Adds a line of such a table; none where there are no values.
void add_spread(Table& table, const std::string& what, const std::vector<double>& values);

}  // namespace switchyard::command::bench
