// Pricing: what each state and edge costs, and which are left out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <switchyard/core/planner.hpp>

#include "made_up.hpp"

namespace switchyard {
namespace {

using testing::linear_model;
using testing::MadeUp;

using testing::csr_device;
using testing::csr_host;
using testing::dense_device;
using testing::dense_host;

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
  const auto too_large = std::ranges::count_if(format_table, [&](const FormatFacts& facts) {
    const Structure& structure = made.situation.structure;
    return obstacle_to(facts.format, structure).empty() &&
           bytes_in(facts.format, structure, size_of(made.situation.precision)) > 100;
  });
  ASSERT_EQ(std::ssize(yard.refused), too_large);
  for (const RefusedState& refused : yard.refused) {
    EXPECT_NE(refused.reason.text().find("budget"), std::string::npos) << name(refused.state);
  }
  made.situation.spaces[1].usable = false;
  made.situation.spaces[1].why_not = "set aside: smoke";
  yard = price_yard(made.situation, made.profile);
  ASSERT_EQ(yard.refused.size(), number_of_formats);
  EXPECT_EQ(yard.refused[1].reason.text(), "set aside: smoke");
  EXPECT_TRUE(yard.edges.empty());
}

TEST(Pricing, AFormatOfMuchMoreMemoryIsRefusedUnlessPinned) {
  constexpr State ell_host{Space::host(), Format::Ell};
  MadeUp made;
  made.situation.spaces[0].multiplies.push_back({Format::Ell, "columns"});
  std::vector<CostModel> models = made.profile.models();
  models.push_back(linear_model(multiply_key(ell_host, Precision::Float, "columns"), 1, 0));
  made.profile = Profile(made.profile.fingerprint(), std::move(models));
  const auto reason = [&](double longest_row) -> std::string {
    made.situation.structure.slots[static_cast<std::size_t>(Format::Ell)] = 10 * longest_row;
    const Yard yard = price_yard(made.situation, made.profile);
    const auto refused = std::ranges::find(yard.refused, ell_host, &RefusedState::state);
    EXPECT_EQ(refused == yard.refused.end(), yard.node(ell_host) != nullptr) << longest_row;
    return refused == yard.refused.end() ? "" : refused->reason.text();
  };
  // CSR takes 444 bytes. ELL takes 8 for each of its 10 x longest slots, and 40 for the lengths.
  EXPECT_EQ(reason(5), "");
  EXPECT_EQ(reason(7), "");
  EXPECT_NE(reason(8).find("1.53x the memory of csr"), std::string::npos) << reason(8);
  EXPECT_NE(reason(20).find("3.69x the memory of csr"), std::string::npos) << reason(20);
  made.situation.pinned = ell_host;
  EXPECT_EQ(reason(20), "");
}

TEST(Pricing, ADictionaryIsRefusedWhereAllValuesAreEqualUnlessPinned) {
  constexpr State coded{Space::host(), Format::CsrDict8};
  MadeUp made;
  made.situation.structure = {.rows = 1000, .cols = 1000, .nnz = 50000};
  made.situation.spaces[0].multiplies.push_back({coded.format, "balanced"});
  const auto reason = [&](Index distinct_values) -> std::string {
    made.situation.structure.distinct_values = distinct_values;
    const Yard yard = price_yard(made.situation, made.profile);
    const auto refused = std::ranges::find(yard.refused, coded, &RefusedState::state);
    return refused == yard.refused.end() ? "" : refused->reason.text();
  };
  EXPECT_EQ(reason(2), "");
  EXPECT_EQ(reason(1), "all values are equal: no dictionary is needed");
  made.situation.pinned = coded;
  EXPECT_EQ(reason(1), "");
  made.situation.pinned = std::nullopt;
  made.situation.valid.push_back(coded);
  EXPECT_EQ(reason(1), "");
}

bool has_edge(const Yard& yard, State from, State to) {
  return std::ranges::any_of(
      yard.edges, [&](const YardEdge& edge) { return edge.from == from && edge.to == to; });
}

TEST(Pricing, NothingIsMovedToWhereItCannotBeUsed) {
  MadeUp made;
  made.situation.valid = {csr_host, dense_host};
  Yard yard = price_yard(made.situation, made.profile);
  EXPECT_TRUE(has_edge(yard, csr_host, csr_device));
  EXPECT_FALSE(has_edge(yard, dense_host, dense_device)) << "no kernel there has a model";
  // Unless the caller wants it there, or it can be converted to what is of use there.
  made.situation.pinned = dense_device;
  EXPECT_TRUE(has_edge(price_yard(made.situation, made.profile), dense_host, dense_device));
  made.situation.pinned.reset();
  made.situation.spaces[1].conversions = {{Format::Dense, Format::Csr}};
  std::vector<CostModel> models = made.profile.models();
  models.push_back(linear_model(
      convert_key(Format::Dense, Format::Csr, Space::device(0), Precision::Float), 1, 0));
  yard = price_yard(made.situation, Profile(made.profile.fingerprint(), std::move(models)));
  EXPECT_TRUE(has_edge(yard, dense_host, dense_device));
  EXPECT_TRUE(has_edge(yard, dense_device, csr_device));
}

TEST(Pricing, TheOnlyStateToComputeInCanBeReached) {
  MadeUp made;
  made.situation.spaces[0].multiplies.clear();
  const Yard yard = price_yard(made.situation, made.profile);
  ASSERT_EQ(yard.nodes.size(), 1U);
  EXPECT_TRUE(has_edge(yard, csr_host, csr_device));
}

TEST(Pricing, AnOnlyCopyCanAlwaysLeave) {
  MadeUp made;
  made.situation.valid = {dense_device};
  made.situation.spaces[1].usable = false;
  const Yard yard = price_yard(made.situation, made.profile);
  EXPECT_TRUE(has_edge(yard, dense_device, {Space::host(), Format::Dense}));
}

TEST(Pricing, ABuiltInModelMarksItsState) {
  MadeUp made;
  std::vector<CostModel> models = made.profile.models();
  for (CostModel& model : models) {
    model.built_in = model.key.from == csr_host && model.key.operation == Operation::Multiply;
    model.built_in = model.built_in || model.key.operation == Operation::Transfer;
  }
  const Yard yard =
      price_yard(made.situation, Profile(made.profile.fingerprint(), std::move(models)));
  ASSERT_TRUE(yard.node(csr_host));
  EXPECT_TRUE(yard.node(csr_host)->built_in);
  EXPECT_FALSE(yard.node(csr_device)->built_in);
  for (const YardEdge& edge : yard.edges) EXPECT_TRUE(edge.built_in);
}

TEST(Pricing, ACalibratedKernelGoesBeforeABuiltInOneThatSeemsFaster) {
  MadeUp made;
  std::vector<CostModel> models = made.profile.models();
  for (CostModel& model : models) model.built_in = model.key.variant == "vector";
  const Yard yard =
      price_yard(made.situation, Profile(made.profile.fingerprint(), std::move(models)));
  EXPECT_EQ(yard.node(csr_device)->variant, "scalar");
}

// Uneven matrices, which only some kernels suit, come late in a calibration.
TEST(Pricing, ABuiltInKernelTakesNoLongerThanACalibratedOneThatDoesNotSuit) {
  MadeUp made;
  std::vector<CostModel> models = made.profile.models();
  for (CostModel& model : models) {
    if (model.key.variant != "vector") continue;
    model.built_in = true;
    for (Term& term : model.tiers.front().polynomial.terms) term.coefficient *= 100;
  }
  const Profile profile(made.profile.fingerprint(), std::move(models));
  const auto suit = [&](bool scalar) {
    for (MultiplyCapability& kernel : made.situation.spaces[1].multiplies) {
      if (kernel.variant == "scalar") kernel.suited = scalar;
    }
    return *price_yard(made.situation, profile).node(csr_device);
  };
  const YardNode suited = suit(true);
  ASSERT_EQ(suited.variant, "scalar");
  const YardNode node = suit(false);
  EXPECT_EQ(node.variant, "vector");
  EXPECT_FALSE(node.built_in);
  EXPECT_EQ(node.multiply_seconds, suited.multiply_seconds);
  EXPECT_GE(node.relative_error, 2);

  // One that suits and is calibrated goes before, though the unsuited one seems faster than both.
  std::vector<CostModel> more = profile.models();
  more.push_back(linear_model(multiply_key(csr_device, Precision::Float, "binned"), 20, 0));
  made.situation.spaces[1].multiplies.push_back({Format::Csr, "binned"});
  const Yard yard = price_yard(made.situation, Profile(profile.fingerprint(), std::move(more)));
  EXPECT_EQ(yard.node(csr_device)->variant, "binned");
  EXPECT_EQ(yard.node(csr_device)->multiply_seconds, 20);
}

TEST(Pricing, OnlyWhatComputesTheRequestIsANode) {
  MadeUp made;
  made.situation.request = {Operand::Transpose, 3};
  Yard yard = price_yard(made.situation, made.profile);
  EXPECT_TRUE(yard.nodes.empty());
  EXPECT_EQ(yard.request, made.situation.request);
  MultiplyCapability& scalar = made.situation.spaces[1].multiplies[0];
  scalar.operand = Operand::Transpose;
  scalar.many_columns = true;
  made.situation.vectors = {.x_fresh = 1, .y_read = 1};
  EXPECT_TRUE(price_yard(made.situation, made.profile).nodes.empty()) << "a model of its own";
  std::vector<CostModel> models = made.profile.models();
  models.push_back(linear_model(
      multiply_key(csr_device, made.situation.request, Precision::Float, "scalar"), 2, 0));
  yard = price_yard(made.situation, Profile(made.profile.fingerprint(), std::move(models)));
  ASSERT_EQ(yard.nodes.size(), 1U);
  EXPECT_EQ(yard.nodes[0].variant, "scalar");
  // x has the 10 rows of A, y its 20 columns, three elements of four bytes in each.
  EXPECT_DOUBLE_EQ(yard.x_bytes, 10 * 3 * 4);
  EXPECT_DOUBLE_EQ(yard.y_bytes, 20 * 3 * 4);
  EXPECT_DOUBLE_EQ(yard.nodes[0].vector_seconds, 120 + 2 * 240);
}

TEST(Pricing, AProgramThatIsNotBuiltCostsItsBuildOnce) {
  MadeUp made;
  made.situation.spaces[1].unbuilt = {{"csr_vector"}, {"csr_scalar", "no such instruction"}};
  std::vector<CostModel> models = made.profile.models();
  models.push_back(
      linear_model(build_key(Space::device(0), Precision::Float, "csr_vector"), 0.5, 0));
  const Profile profile(made.profile.fingerprint(), std::move(models));
  made.situation.vectors = {.x_valid = 2, .x_fresh = 0, .y_read = 0};
  Yard yard = price_yard(made.situation, profile);
  EXPECT_EQ(yard.node(csr_device)->variant, "vector");
  EXPECT_DOUBLE_EQ(yard.node(csr_device)->once_seconds, 0.5);
  made.situation.spaces[1].unbuilt[0].problem = "no such type";
  yard = price_yard(made.situation, profile);
  EXPECT_FALSE(yard.node(csr_device));
  ASSERT_EQ(yard.refused.size(), 1U);
  EXPECT_EQ(yard.refused[0].state, csr_device);
  EXPECT_TRUE(yard.refused[0].failed);
}

}  // namespace
}  // namespace switchyard
