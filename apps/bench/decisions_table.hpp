// The cost table as JSON, written and read back.
#pragma once

#include <string>

#include "decisions.hpp"

namespace switchyard::command::bench {

/// An array, each entry with `matrix`, `precision`, `from`, `careful_state`, and under `predicted`
/// and `measured` a graph as `explain --json` has it: `valid`, `edges`, `nodes`.
[[nodiscard]] Json cost_table_json(const std::vector<CostEntry>& entries);

/// The `cost_table` of a document that `bench decisions --json` wrote. A predicted node that was
/// not measured is left out: nothing is known of what going there would have cost. Variants are
/// left out, too. Throws `Error`: IoError where the file cannot be read, DataCorrupt where it holds
/// no such table or costs that cannot be.
[[nodiscard]] std::vector<CostEntry> read_cost_table(const std::string& file);

}  // namespace switchyard::command::bench
