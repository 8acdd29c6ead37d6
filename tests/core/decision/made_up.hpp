// A machine with one device whose costs a test makes up.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <switchyard/core/planner.hpp>

#include "core/models.hpp"
#include "states.hpp"

namespace switchyard::testing {

/// A situation on a machine with one device, where everything costs what the test says.
struct MadeUp {
  Situation situation{.structure = {.rows = 10, .cols = 20, .nnz = 50},
                      .precision = Precision::Float,
                      .valid = {csr_host},
                      .spaces = {},
                      .horizon = 3,
                      .vectors = {},
                      .refused = {}};
  Profile profile{{.cpu = "c", .threads = 1, .library_version = "1", .devices = {{"d", "1"}}},
                  {linear_model(multiply_key(csr_host, Precision::Float, "balanced"), 5, 0),
                   linear_model(multiply_key(csr_device, Precision::Float, "scalar"), 2, 0),
                   linear_model(multiply_key(csr_device, Precision::Float, "vector"), 1, 0),
                   linear_model(transfer_key(Space::host(), Space::device(0)), 0, 1),
                   linear_model(transfer_key(Space::device(0), Space::host()), 0, 2)}};

  MadeUp() {
    constexpr double endless = std::numeric_limits<double>::infinity();
    situation.spaces = {{.space = Space::host(),
                         .capacity_bytes = endless,
                         .multiplies = {{Format::Csr, "balanced"}, {Format::Dense, "rows"}},
                         .conversions = {{Format::Csr, Format::Dense}}},
                        {.space = Space::device(0),
                         .capacity_bytes = endless,
                         .multiplies = {{Format::Csr, "scalar", "csr_scalar"},
                                        {Format::Csr, "vector", "csr_vector"},
                                        {Format::Dense, "group", "dense_group"}},
                         .conversions = {{Format::Csr, Format::Dense, "csr_to_dense"}}}};
  }
  /// A dense product on the device takes so many seconds, whatever its size.
  void add_dense_model(double seconds) {
    std::vector<CostModel> models = profile.models();
    models.push_back(
        linear_model(multiply_key(dense_device, Precision::Float, "group"), seconds, 0));
    profile = Profile(profile.fingerprint(), std::move(models));
  }
  [[nodiscard]] YardNode device_node() const {
    const Yard yard = price_yard(situation, profile);
    const auto node = std::ranges::find(yard.nodes, csr_device, &YardNode::state);
    EXPECT_NE(node, yard.nodes.end());
    return node == yard.nodes.end() ? YardNode{} : *node;
  }
};

}  // namespace switchyard::testing
