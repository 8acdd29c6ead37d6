// Brute force over all simple paths.
#include "decision_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <switchyard/containers/request.hpp>

namespace switchyard::test {
namespace {

using Json = nlohmann::json;

/// The edges from each state. Looked up in the document, each would cost more than the walk.
class Ways {
 public:
  explicit Ways(const Json& document) {
    for (const Json& edge : document["edges"]) {
      const std::size_t from = number(edge["from"]);
      const std::size_t to = number(edge["to"]);
      edges_[from].push_back({to, edge["seconds"]});
    }
  }

  /// Over every path from `state` that visits no state twice.
  void try_all_from(const std::string& state) {
    const std::size_t start = number(state);
    std::vector<bool> visited(edges_.size());
    try_all(start, 0, visited);
  }
  [[nodiscard]] Lengths best() const {
    Lengths lengths;
    for (const auto& [state, number] : numbers_) {
      if (best_[number]) lengths[state] = *best_[number];
    }
    return lengths;
  }

 private:
  struct Edge {
    std::size_t to;
    double seconds;
  };

  std::size_t number(const std::string& state) {
    const auto [place, is_new] = numbers_.emplace(state, edges_.size());
    if (is_new) {
      edges_.emplace_back();
      best_.emplace_back();
    }
    return place->second;
  }
  void try_all(std::size_t state, double seconds, std::vector<bool>& visited) {
    visited[state] = true;
    if (!best_[state] || seconds < *best_[state]) best_[state] = seconds;
    for (const Edge& edge : edges_[state]) {
      if (!visited[edge.to]) try_all(edge.to, seconds + edge.seconds, visited);
    }
    visited[state] = false;
  }

  std::map<std::string, std::size_t> numbers_;
  std::vector<std::vector<Edge>> edges_;
  std::vector<std::optional<double>> best_;
};

/// Follows the steps; returns the sum of what they are predicted to take.
double follow_steps(const Json& document) {
  const Json& steps = document["plan"]["steps"];
  std::string at;
  double sum = 0;
  for (const Json& step : steps) {
    sum += step["predicted_seconds"].get<double>();
    if (step["kind"] == "multiply") {
      at = at.empty() ? step["state"].get<std::string>() : at;
      EXPECT_EQ(step["state"], at);
      EXPECT_EQ(step["calls"], document["horizon"]);
      EXPECT_EQ(&step, &steps.back());
      continue;
    }
    EXPECT_TRUE(at.empty() || step["from"] == at) << step;
    at = step["to"];
    const bool listed = std::ranges::any_of(document["edges"], [&](const Json& edge) {
      return edge["from"] == step["from"] && edge["to"] == step["to"] &&
             edge["kind"] == step["kind"] && edge["seconds"] == step["predicted_seconds"];
    });
    EXPECT_TRUE(listed) << step;
  }
  const Json& first = steps.front();
  const Json& start = first["kind"] == "multiply" ? first["state"] : first["from"];
  EXPECT_NE(std::ranges::find(document["valid"], start), document["valid"].end());
  return sum;
}

}  // namespace

Lengths shortest_ways(const Json& document) {
  Ways ways(document);
  for (const std::string state : document["valid"]) ways.try_all_from(state);
  return ways.best();
}

std::string target_of(const Json& document) { return document["plan"]["steps"].back()["state"]; }

double computing_seconds(const Json& document, const Json& node) {
  return node["once_seconds"].get<double>() +
         document["horizon"].get<double>() *
             (node["multiply_seconds"].get<double>() + node["vector_seconds"].get<double>());
}

void expect_shortest(const Json& document) {
  const Lengths ways = shortest_ways(document);
  double best = std::numeric_limits<double>::infinity();
  Lengths totals;
  for (const Json& node : document["nodes"]) {
    const auto way = ways.find(node["state"]);
    if (way == ways.end()) continue;
    const double seconds = way->second + computing_seconds(document, node);
    totals[node["state"]] = seconds;
    best = std::min(best, seconds);
  }
  EXPECT_EQ(document["plan"]["predicted_seconds"].get<double>(), best);
  EXPECT_EQ(follow_steps(document), best);

  totals.erase(target_of(document));
  double previous = 0;
  EXPECT_EQ(document["alternatives"].size(), totals.size());
  for (const Json& other : document["alternatives"]) {
    const double seconds = other["predicted_seconds"];
    EXPECT_EQ(seconds, totals[other["state"]]) << other;
    EXPECT_GE(seconds, previous);
    previous = seconds;
  }
}

std::ptrdiff_t contending_formats(std::initializer_list<ValueCoding> codings) {
  return std::ranges::count_if(format_table, [&](const FormatFacts& facts) {
    return gathered_operand(facts.format) == Operand::Matrix &&
           std::ranges::find(codings, facts.values) != codings.end();
  });
}

}  // namespace switchyard::test
