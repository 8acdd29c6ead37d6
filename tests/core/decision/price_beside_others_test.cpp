// Pricing on a machine that others use: what was lost is expected where the same processors
// compute.
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
using testing::dense_host;

/// A host with two numbers of threads, an OpenCL device that computes on the same processors, and
/// one that does not.
struct Shared {
  static constexpr State csr_gpu{Space::device(1), Format::Csr};
  MadeUp made;
  Ledger ledger;

  Shared() {
    std::vector<CostModel> models = made.profile.models();
    models.push_back(linear_model(multiply_key(csr_host, Precision::Float, "serial"), 8e-3, 0));
    models.push_back(linear_model(multiply_key(csr_gpu, Precision::Float, "vector"), 6e-3, 0));
    models.push_back(linear_model(transfer_key(Space::host(), Space::device(1)), 0, 1e-6));
    made.profile = Profile(made.profile.fingerprint(), std::move(models));
    auto& spaces = made.situation.spaces;
    spaces[0].multiplies = {{.format = Format::Csr, .variant = "balanced"},
                            {.format = Format::Csr, .variant = "serial", .threads = Threads::One}};
    spaces[0].on_host_processors = spaces[1].on_host_processors = true;
    spaces.push_back({.space = Space::device(1),
                      .capacity_bytes = spaces[0].capacity_bytes,
                      .multiplies = {{Format::Csr, "vector"}}});
    made.situation.measured = &ledger;
  }
  /// Many calls of that kernel: each takes `seconds`, of which it computes so long.
  void measure(std::string_view variant, double seconds, const CallTime& each) {
    constexpr int calls = 50;
    for (int k = 0; k < calls; ++k) {
      ledger.count(csr_host, variant);
      ledger.time(csr_host, variant, each);
      ledger.spend(csr_host, variant, 1, seconds);
    }
  }
  [[nodiscard]] YardNode node(State state) const {
    return *price_yard(made.situation, made.profile).node(state);
  }
};

TEST(PricingOnABusyMachine, WhatWasMeasuredIsTheTotal) {
  Shared busy;
  // Half of the time the thread waits; half of the rest it does what a helper should have done.
  busy.measure("balanced", 4e-3, {.computed = 2e-3, .quiet = 1e-3});
  const YardNode node = busy.node(csr_host);
  EXPECT_EQ(node.variant, "balanced");
  EXPECT_TRUE(node.measured);
  EXPECT_NEAR(node.multiply_seconds, 4e-3, 0.3e-3);
  EXPECT_NEAR(node.stalled_share, 0.75, 0.02);
  EXPECT_EQ(node.others.quiet, "") << "it is the fastest on an idle machine, too";
}

TEST(PricingOnABusyMachine, WhatWasLostIsExpectedWhereverTheSameProcessorsCompute) {
  Shared busy;
  busy.measure("balanced", 4e-3, {.computed = 2e-3, .quiet = 1e-3});
  const YardNode device = busy.node(csr_device);
  EXPECT_FALSE(device.measured);
  EXPECT_NEAR(device.multiply_seconds, 4, 0.3) << "predicted as 1";
  EXPECT_NEAR(busy.node(Shared::csr_gpu).multiply_seconds, 6e-3, 1e-9);
  EXPECT_EQ(busy.node(Shared::csr_gpu).stalled_share, 0);
}

TEST(PricingOnABusyMachine, ConversionsTakeLongerToo) {
  Shared busy;
  std::vector<CostModel> models = busy.made.profile.models();
  models.push_back(linear_model(multiply_key(dense_host, Precision::Float, "rows"), 1e-3, 0));
  models.push_back(linear_model(
      convert_key(Format::Csr, Format::Dense, Space::host(), Precision::Float), 2e-3, 0));
  busy.made.profile = Profile(busy.made.profile.fingerprint(), std::move(models));
  busy.made.situation.spaces[0].multiplies.push_back({Format::Dense, "rows"});
  const auto conversion = [&] {
    const Yard yard = price_yard(busy.made.situation, busy.made.profile);
    const auto found = std::ranges::find(yard.edges, dense_host, &YardEdge::to);
    return found == yard.edges.end() ? 0 : found->seconds;
  };
  EXPECT_DOUBLE_EQ(conversion(), 2e-3);
  busy.measure("balanced", 4e-3, {.computed = 2e-3, .quiet = 1e-3});
  // All of the waiting, and of what missing helpers cost the square root.
  EXPECT_NEAR(conversion(), 2e-3 * 2 * std::sqrt(2.0), 0.4e-3);
}

TEST(PricingOnABusyMachine, FewBytesAreCopiedByFewThreadsAndMissNoOthers) {
  for (const Index nonzeros : {Index{1000}, Index{10'000'000}}) {
    Shared busy;
    busy.made.situation.structure.nnz = nonzeros;
    const auto transfer = [&] {
      const Yard yard = price_yard(busy.made.situation, busy.made.profile);
      const State gpu = Shared::csr_gpu;
      const auto found = std::ranges::find(yard.edges, gpu, &YardEdge::to);
      return found == yard.edges.end() ? 0 : found->seconds;
    };
    const double quiet = transfer();
    ASSERT_GT(quiet, 0);
    // Nothing is waited for, and absent helpers cost nine tenths.
    busy.measure("balanced", 10e-3, {.computed = 10e-3, .quiet = 1e-3});
    EXPECT_NEAR(transfer() / quiet, nonzeros == 1000 ? 1 : std::sqrt(10.0), 0.02) << nonzeros;
  }
}

TEST(PricingOnABusyMachine, AMatrixThatIsNewExpectsWhatOthersLost) {
  Shared busy;
  auto& of_all = busy.made.situation.spent_elsewhere[static_cast<std::size_t>(Threads::All)];
  of_all = {.seconds = 0.2, .computed = 0.1, .quiet = 0.05};
  EXPECT_NEAR(busy.node(csr_device).multiply_seconds, 4, 0.3) << "predicted as 1";
  EXPECT_NEAR(busy.node(Shared::csr_gpu).multiply_seconds, 6e-3, 1e-9);
  // What it lost itself counts from the first measured calls on: nothing here.
  busy.measure("balanced", 5e-3, {.computed = 5e-3, .quiet = 5e-3});
  EXPECT_NEAR(busy.node(csr_device).multiply_seconds, 1, 0.1);
}

TEST(PricingOnABusyMachine, WhatOneThreadTookDoesNotTellWhetherOthersWouldHelp) {
  Shared busy;
  busy.measure("serial", 8, {.computed = 8, .quiet = 8});
  EXPECT_EQ(busy.node(csr_host).variant, "balanced") << "predicted as 5 s";
  auto& of_all = busy.made.situation.spent_elsewhere[static_cast<std::size_t>(Threads::All)];
  of_all = {.seconds = 0.2, .computed = 0.2, .quiet = 0.04};
  const YardNode node = busy.node(csr_host);
  EXPECT_EQ(node.variant, "serial");
  EXPECT_EQ(node.others.quiet, "balanced") << "which is tried again after a while";
}

TEST(PricingOnABusyMachine, OneThreadWaitsLikeAllButMissesNoHelpers) {
  Shared busy;
  // With one thread 8 ms by the model and 16 ms beside the others; with two 40 ms, measured.
  busy.measure("balanced", 40e-3, {.computed = 20e-3, .quiet = 10e-3});
  const YardNode node = busy.node(csr_host);
  EXPECT_EQ(node.variant, "serial");
  EXPECT_FALSE(node.measured);
  EXPECT_NEAR(node.multiply_seconds, 16e-3, 1e-3);
  EXPECT_NEAR(node.others.best_seconds, 40e-3, 2e-3);
}

TEST(PricingOnABusyMachine, TheKernelThatIsBestOnAnIdleOneIsKept) {
  Shared busy;
  busy.measure("balanced", 40e-3, {.computed = 20e-3, .quiet = 5e-3});
  EXPECT_EQ(busy.node(csr_host).variant, "serial");
  EXPECT_EQ(busy.node(csr_host).others.quiet, "balanced");
}

TEST(Pricing, SaysWhichKernelsOfAStateWereNeverUsed) {
  Shared quiet;
  EXPECT_EQ(quiet.node(csr_host).variant, "serial");
  EXPECT_EQ(quiet.node(csr_host).others.untried, "balanced");
  EXPECT_EQ(quiet.node(csr_host).others.untried_seconds, 5);
  quiet.measure("balanced", 1e-3, {.computed = 1e-3, .quiet = 1e-3});
  EXPECT_EQ(quiet.node(csr_host).variant, "balanced");
  EXPECT_EQ(quiet.node(csr_host).others.untried, "serial");
  quiet.measure("serial", 2e-3, {.computed = 2e-3, .quiet = 2e-3});
  EXPECT_EQ(quiet.node(csr_host).others.untried, "");
}

TEST(PricingOnABusyMachine, AFewCallsSayLittleOfWaiting) {
  Shared busy;
  for (int k = 0; k < 4; ++k) {
    busy.ledger.count(csr_host, "balanced");
    busy.ledger.time(csr_host, "balanced", {1e-5, 1e-5});
  }
  // One wait of half a millisecond among calls of ten microseconds.
  busy.ledger.spend(csr_host, "balanced", 4, 5.4e-4);
  EXPECT_LT(busy.node(csr_host).multiply_seconds, 1.2e-5);
}

}  // namespace
}  // namespace switchyard
