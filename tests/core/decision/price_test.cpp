// Pricing: what each state and edge costs, and which are left out.
#include <gtest/gtest.h>

#include <limits>
#include <switchyard/core/planner.hpp>

#include "core/models.hpp"

namespace switchyard {
namespace {

using testing::linear_model;

constexpr State csr_host{Space::host(), Format::Csr};
constexpr State csr_device{Space::device(0), Format::Csr};

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
    const State dense_device{Space::device(0), Format::Dense};
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

TEST(Pricing, TakesTheBestVariantAndWhatVectorsMustTravel) {
  MadeUp made;
  // x: 80 bytes up and y: 40 bytes down at twice the price, for every product.
  made.situation.vectors = {.x_fresh = 1, .y_read = 1};
  YardNode node = made.device_node();
  EXPECT_EQ(node.variant, "vector");
  EXPECT_DOUBLE_EQ(node.multiply_seconds, 1);
  EXPECT_DOUBLE_EQ(node.vector_seconds, 80 + 80);
  EXPECT_DOUBLE_EQ(node.once_seconds, 0);
  // Vectors that stay are brought once.
  made.situation.vectors = {.x_fresh = 0, .y_read = 0};
  node = made.device_node();
  EXPECT_DOUBLE_EQ(node.vector_seconds, 0);
  EXPECT_DOUBLE_EQ(node.once_seconds, 80);
  // Vectors that are there already cost nothing, unless y is kept and is not there.
  made.situation.vectors = {.x_valid = 2, .y_valid = 1, .x_fresh = 0, .y_read = 0, .y_kept = true};
  node = made.device_node();
  EXPECT_DOUBLE_EQ(node.once_seconds, 40);
  EXPECT_DOUBLE_EQ(node.vector_seconds, 0);
}

TEST(Pricing, WhatIsDoneWithVectorsBetweenProductsCountsWhereTheyAre) {
  MadeUp made;
  made.situation.vectors = {.x_fresh = 0, .y_read = 0};
  const double without = made.device_node().vector_seconds;
  made.situation.vectors.between = {.operations = 5, .sums = 2, .bytes = 5 * 16};
  // Each sum sends eight bytes to the host, at two seconds a byte; for the rest of the work there
  // is no model here of a dense product on the device.
  EXPECT_DOUBLE_EQ(made.device_node().vector_seconds, without);
  made.add_dense_model(7);
  EXPECT_DOUBLE_EQ(made.device_node().vector_seconds, without + 5 * 7 + 2 * 16);
}

TEST(Pricing, UnknownCostsAreAbsent) {
  const MadeUp made;
  const Yard yard = price_yard(made.situation, made.profile);
  EXPECT_EQ(yard.nodes.size(), 2U);
  for (const YardEdge& edge : yard.edges) EXPECT_EQ(edge.kind, StepKind::Transfer);
}

TEST(Pricing, WhatDoesNotFitOrIsBrokenIsRefusedWithItsReason) {
  MadeUp made;
  made.situation.spaces[1].capacity_bytes = 100;
  Yard yard = price_yard(made.situation, made.profile);
  EXPECT_EQ(yard.nodes.size(), 1U);
  ASSERT_EQ(yard.refused.size(), 2U);
  EXPECT_NE(yard.refused[0].reason.find("budget"), std::string::npos);
  made.situation.spaces[1].usable = false;
  made.situation.spaces[1].why_not = "set aside: smoke";
  yard = price_yard(made.situation, made.profile);
  ASSERT_EQ(yard.refused.size(), 2U);
  EXPECT_EQ(yard.refused[1].reason, "set aside: smoke");
  EXPECT_TRUE(yard.edges.empty());
}

}  // namespace
}  // namespace switchyard
