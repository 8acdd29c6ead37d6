// Pricing every cell of the map.
#include "state_map.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "../plan_json.hpp"
#include "state_prices.hpp"

namespace switchyard::command::report {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();
using Table = std::vector<std::vector<double>>;

/// One precision's part of the map while it is filled.
struct Layer {
  Table multiply;           ///< [state][cell]
  std::vector<Table> ways;  ///< [start][to][cell]
  Table vector;             ///< [state][size]
  Table first;              ///< [state][size]
  std::vector<std::string> beyond;
};

Layer empty_layer(const Grid& grid, std::size_t states, std::size_t starts) {
  const Table by_cell(states, std::vector<double>(grid.cells(), unknown));
  const Table by_size(states, std::vector<double>(grid.rows.size(), unknown));
  return {by_cell, std::vector<Table>(starts, by_cell), by_size, by_size,
          std::vector<std::string>(states, std::string(grid.cells(), '0'))};
}

/// Whether nothing near such a matrix was measured there.
bool is_extrapolated(const YardNode& node, const Question& question, const Profile& profile) {
  if (node.built_in) return true;
  const CostModel* const model =
      profile.find(multiply_key(node.state, question.precision, node.variant));
  if (!model) return true;
  const Features features =
      multiply_features(node.state.format, question.structure, question.precision);
  return model->predict(features).extrapolated;
}

/// A cell of the grid, and the row that it lies in.
struct Cell {
  std::size_t number = 0;
  std::size_t size = 0;
};

void price_cell(Layer& layer, const std::vector<State>& states, const Profile& profile,
                Question question, Cell cell) {
  question.vectors = Vectors::Stay;
  const Yard staying = yard_of(question, profile);
  question.vectors = Vectors::Travel;
  const Yard yard = yard_of(question, profile);
  for (std::size_t s = 0; s < states.size(); ++s) {
    const auto node = std::ranges::find(yard.nodes, states[s], &YardNode::state);
    if (node != yard.nodes.end()) {
      layer.multiply[s][cell.number] = node->multiply_seconds;
      layer.vector[s][cell.size] = node->vector_seconds;
      if (is_extrapolated(*node, question, profile)) layer.beyond[s][cell.number] = '1';
    }
    const auto at_rest = std::ranges::find(staying.nodes, states[s], &YardNode::state);
    if (at_rest != staying.nodes.end()) layer.first[s][cell.size] = at_rest->once_seconds;
  }
  const std::vector<State> starts = starts_among(states);
  for (std::size_t s = 0; s < starts.size(); ++s) {
    Yard from = yard;
    from.valid = {starts[s]};
    const std::vector<double> ways = ways_to(states, std::move(from));
    for (std::size_t t = 0; t < states.size(); ++t) layer.ways[s][t][cell.number] = ways[t];
  }
}

Json table_json(const Table& table) {
  Json json = Json::array();
  for (const auto& line : table) json.push_back(brief(line));
  return json;
}

Json layer_json(const Layer& layer) {
  Json ways = Json::array();
  for (const Table& table : layer.ways) ways.push_back(table_json(table));
  return {{"multiply", table_json(layer.multiply)},
          {"way", std::move(ways)},
          {"vector", table_json(layer.vector)},
          {"first", table_json(layer.first)},
          {"beyond", layer.beyond}};
}

/// The start that the page shows first: the matrix as most files give it, where that is offered.
State usual_start(const std::vector<State>& starts) {
  const State usual{Space::host(), Format::Csr};
  return std::ranges::find(starts, usual) != starts.end() ? usual : starts.front();
}

}  // namespace

Json state_map(const Profile& profile, const Grid& grid) {
  const std::vector<State> states = states_of(profile);
  const std::vector<State> starts = starts_among(states);
  Json map{{"rows", grid.rows},
           {"densities", brief(grid.densities)},
           {"states", state_names(states)},
           {"from", state_names(starts)},
           {"first_from", name(usual_start(starts))}};
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    Layer layer = empty_layer(grid, states.size(), starts.size());
    for (std::size_t i = 0; i < grid.rows.size(); ++i) {
      for (std::size_t j = 0; j < grid.densities.size(); ++j) {
        const Question question{
            .structure = square_matrix(grid.rows[i], grid.densities[j], precision),
            .precision = precision,
            .from = states.front()};
        price_cell(layer, states, profile, question, {i * grid.densities.size() + j, i});
      }
    }
    map["precisions"][std::string(name(precision))] = layer_json(layer);
  }
  return map;
}

}  // namespace switchyard::command::report
