// The shortest path computed again from what `explain --json` prints, by trying every path.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <switchyard/containers/formats.hpp>
#include <vector>

namespace switchyard::test {

/// Expects the document's plan and alternatives to be the cheapest of all paths over exactly its
/// edges and nodes, to the last bit, and its steps to be such a path.
void expect_shortest(const nlohmann::json& document);

/// Seconds by state that can be reached from where the matrix is, by brute force over all paths.
using Lengths = std::map<std::string, double>;
[[nodiscard]] Lengths shortest_ways(const nlohmann::json& document);

/// The state in which the plan multiplies.
[[nodiscard]] std::string target_of(const nlohmann::json& document);

/// How many formats of those codings contend on a matrix for y = A x.
[[nodiscard]] std::ptrdiff_t contending_formats(std::initializer_list<ValueCoding> codings);

/// The cost of computing in `node` for the document's horizon, as the documentation gives it.
[[nodiscard]] double computing_seconds(const nlohmann::json& document, const nlohmann::json& node);

}  // namespace switchyard::test
