// Writing graphs of costs, and reading them strictly.
#include "decisions_table.hpp"

#include <algorithm>
#include <cmath>

#include "command/json_file.hpp"
#include "command/plan_json.hpp"
#include "peer_times.hpp"

namespace switchyard::command::bench {
namespace {

/// What is wrong with a table. The caller adds the file's name.
class Off : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

Json yard_json(const Yard& yard) {
  Json json;
  add_yard(json, yard);
  return json;
}

const Json& member(const Json& json, const char* key) {
  if (!json.is_object() || !json.contains(key)) throw Off(std::string("no '") + key + "'");
  return json.at(key);
}

const Json& list(const Json& json, const char* key) {
  const Json& found = member(json, key);
  if (!found.is_array()) throw Off(std::string("'") + key + "' is no list");
  return found;
}

std::string text(const Json& json, const char* key) {
  const Json& found = member(json, key);
  if (!found.is_string()) throw Off(std::string("'") + key + "' is no text");
  return found.get<std::string>();
}

double seconds(const Json& json, const char* key) {
  const Json& found = member(json, key);
  const double value = found.is_number() ? found.get<double>() : -1;
  if (!std::isfinite(value) || value < 0) {
    throw Off(std::string("'") + key + "' is no number of seconds");
  }
  return value;
}

State state_of(const std::string& word) {
  if (const auto state = parse_state(word)) return *state;
  throw Off("'" + word + "' is no state");
}

Precision precision_from(const std::string& word) {
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    if (word == name(precision)) return precision;
  }
  throw Off("'" + word + "' is no precision");
}

YardEdge edge_from(const Json& json) {
  const std::string kind = text(json, "kind");
  if (kind != name(StepKind::Convert) && kind != name(StepKind::Transfer)) {
    throw Off("'" + kind + "' is no kind of edge");
  }
  return {.from = state_of(text(json, "from")),
          .to = state_of(text(json, "to")),
          .kind = kind == name(StepKind::Convert) ? StepKind::Convert : StepKind::Transfer,
          .seconds = seconds(json, "seconds")};
}

YardNode node_from(const Json& json) {
  if (seconds(json, "multiply_seconds") == 0) throw Off("a product takes no time");
  return {.state = state_of(text(json, "state")),
          .multiply_seconds = seconds(json, "multiply_seconds"),
          .vector_seconds = seconds(json, "vector_seconds"),
          .once_seconds = seconds(json, "once_seconds"),
          .relative_error = seconds(json, "relative_error")};
}

Yard yard_from(const Json& json) {
  Yard yard;
  for (const Json& state : list(json, "valid")) {
    if (!state.is_string()) throw Off("'valid' holds what is no text");
    yard.valid.push_back(state_of(state.get<std::string>()));
  }
  if (yard.valid.empty()) throw Off("no valid state");
  // No machine has as many; deciding takes time that grows with their product.
  constexpr std::size_t most_states = 2048;
  constexpr std::size_t most_edges = 1 << 16;
  if (list(json, "nodes").size() > most_states) throw Off("more states than any machine has");
  if (list(json, "edges").size() > most_edges) throw Off("more edges than any machine has");
  for (const Json& edge : list(json, "edges")) yard.edges.push_back(edge_from(edge));
  for (const Json& node : list(json, "nodes")) yard.nodes.push_back(node_from(node));
  return yard;
}

CostEntry entry_from(const Json& json) {
  CostEntry entry{.matrix = text(json, "matrix"),
                  .precision = precision_from(text(json, "precision")),
                  .predicted = yard_from(member(json, "predicted")),
                  .measured = yard_from(member(json, "measured"))};
  if (!member(json, "careful_state").is_null()) {
    entry.careful = state_of(text(json, "careful_state"));
  }
  std::erase_if(entry.predicted.nodes, [&](const YardNode& node) {
    const auto& known = entry.measured.nodes;
    return std::ranges::find(known, node.state, &YardNode::state) == known.end();
  });
  if (entry.predicted.nodes.empty()) throw Off("no state is both predicted and measured");
  return entry;
}

}  // namespace

Json cost_table_json(const std::vector<CostEntry>& entries) {
  Json table = Json::array();
  for (const CostEntry& entry : entries) {
    table.push_back({{"matrix", entry.matrix},
                     {"precision", name(entry.precision)},
                     {"from", name(entry.measured.valid.front())},
                     {"careful_state", entry.careful ? Json(name(*entry.careful)) : Json(nullptr)},
                     {"predicted", yard_json(entry.predicted)},
                     {"measured", yard_json(entry.measured)}});
  }
  return table;
}

std::vector<CostEntry> read_cost_table(const std::string& file) {
  const auto corrupt = [&](const std::string& what) {
    return Error(ErrorCode::DataCorrupt, "not a record of costs: " + what, file,
                 "'switchyard bench decisions --json' records them");
  };
  const Json document = read_json_file(file, "the recorded costs");
  std::vector<CostEntry> entries;
  try {
    for (const Json& entry : list(document, "cost_table")) entries.push_back(entry_from(entry));
    if (entries.empty()) throw Off("the table is empty");
  } catch (const Off& off) {
    throw corrupt(off.what());
  }
  return entries;
}

}  // namespace switchyard::command::bench
