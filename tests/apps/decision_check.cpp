// Brute force over all simple paths.
#include "decision_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <switchyard/containers/request.hpp>

namespace switchyard::test {
namespace {

using Json = nlohmann::json;

/// Walks on from `state` over every path that visits no state twice.
void try_all(const Json& edges, const std::string& state, double seconds,
             std::set<std::string>& visited, Lengths& best) {
  const auto known = best.find(state);
  if (known == best.end() || seconds < known->second) best[state] = seconds;
  for (const Json& edge : edges) {
    const std::string to = edge["to"];
    if (edge["from"] != state || !visited.insert(to).second) continue;
    try_all(edges, to, seconds + edge["seconds"].get<double>(), visited, best);
    visited.erase(to);
  }
}

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
  Lengths best;
  for (const std::string state : document["valid"]) {
    std::set<std::string> visited{state};
    try_all(document["edges"], state, 0, visited, best);
  }
  return best;
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
