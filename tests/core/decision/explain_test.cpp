// The page that explains a plan: what it says, and that it fits.
#include <gtest/gtest.h>

#include <algorithm>
#include <switchyard/core/planner.hpp>

#include "core/decision/pages.hpp"
#include "core/decision/yards.hpp"
#include "states.hpp"

namespace switchyard {
namespace {

using testing::contains;
using testing::expect_fits;
using testing::lines_of;
using testing::unfolded;

using testing::csr_host;
using testing::dense_host;

/// Everything as large, as long and as odd as it can be.
Yard enormous_yard() {
  const State far_dense{Space::device(61), Format::Dense};
  const State far_csr{Space::device(61), Format::Csr};
  const State farther{Space::device(62), Format::Dense};
  Yard yard{.horizon = 1'000'000'000'000'000'000,
            .valid = {far_csr},
            .nodes = {{.state = farther,
                       .multiply_seconds = 1e9,
                       .vector_seconds = 1e8,
                       .once_seconds = 1e12,
                       .variant = "a_variant_of_a_kernel_that_has_a_very_long_name_indeed",
                       .relative_error = 1e300,
                       .extrapolated = true,
                       .matrix_bytes = 1e18,
                       .travel_bytes = 1e18},
                      {.state = far_csr, .multiply_seconds = 1e20, .variant = "plain"},
                      {.state = csr_host, .multiply_seconds = 1e-12, .variant = "none"}},
            .edges = {{far_csr, far_dense, StepKind::Convert, 1e9, 1e18, 1e300, true},
                      {far_dense, dense_host, StepKind::Transfer, 1e9, 1e18, 1e300, true},
                      {dense_host, farther, StepKind::Transfer, 1e9, 1e18, 1e300, true}},
            .refused = {{dense_host, std::string(300, 'x') + "\n\x1b[31mred\x1b[0m\tand more " +
                                         std::string(500, 'y')},
                        {far_dense, ""}},
            .vectors = {.x_valid = ~std::uint64_t{0}, .y_valid = 0, .x_fresh = 0.25, .y_read = 0.5},
            .x_bytes = 1e30,
            .y_bytes = 1e30};
  yard.vectors.between = {.operations = 1'000'000'000'000, .sums = 1'000'000'000, .bytes = 1};
  return yard;
}

TEST(Explain, FitsItsPageWhateverIsInThePlan) {
  Plan plan = shortest_plan(enormous_yard());
  ASSERT_EQ(plan.steps.size(), 4U);
  for (Step& step : plan.steps) step.measured_seconds = 1e17;
  plan.steps.back().measured_calls = 7;
  plan.steps.back().slowest_seconds = 9e16;
  for (const Reason reason : {Reason::ShortestPath, Reason::UnknownCalls, Reason::Trial}) {
    plan.reason = reason;
    plan.bound = 1.23456789e12;
    for (const auto holds_for : {std::optional<Index>(), std::optional<Index>(1'234'567'890'123)}) {
      plan.holds_for = holds_for;
      for (const bool pinned : {false, true}) {
        plan.pinned = pinned;
        expect_fits(explain_plan(plan));
      }
    }
  }
}

TEST(Explain, SaysOnceWhyAFormatIsLeftOutEverywhere) {
  Yard yard = enormous_yard();
  const State ell_host{Space::host(), Format::Ell};
  const State ell_device{Space::device(0), Format::Ell};
  const State sell_device{Space::device(0), Format::Sell8};
  yard.refused = {{ell_host, "too large"}, {ell_device, "too large"}, {sell_device, "too large"}};
  const std::string page = explain_plan(shortest_plan(std::move(yard)));
  EXPECT_NE(page.find("   ell@host, @device0     too large\n"), std::string::npos) << page;
  EXPECT_NE(page.find("   sell8@device0          too large\n"), std::string::npos) << page;
}

TEST(Explain, EveryPlanHasAPageThatFitsAndNamesEveryState) {
  std::mt19937_64 engine(5);
  for (int i = 0; i < 300; ++i) {
    Yard yard = testing::random_yard(2 + i % 6, engine);
    yard.horizon = i % 3 == 0 ? 1 : Index{1} << (i % 50);
    const Plan plan = shortest_plan(yard);
    const std::string text = explain_plan(plan);
    expect_fits(text);
    for (const YardNode& node : yard.nodes) EXPECT_TRUE(contains(text, name(node.state)));
    for (const Step& step : plan.steps) {
      EXPECT_TRUE(contains(text, std::string("-> ") + std::string(name(step.kind)) + " "));
    }
    EXPECT_EQ(contains(text, "Rejected"), !plan.alternatives.empty());
  }
}

TEST(Explain, StylesOnlyStandAroundLines) {
  const Plan plan = shortest_plan(enormous_yard());
  const std::string plain = explain_plan(plan);
  std::string styled =
      explain_plan(plan, {.heading = "<", .chosen = "<", .warning = "<", .faint = "<", .end = ">"});
  EXPECT_NE(styled, plain);
  std::string bare;
  for (const std::string& line : lines_of(styled)) {
    EXPECT_EQ(line.starts_with('<'), line.ends_with('>') && !line.starts_with(' ')) << line;
    bare += (line.starts_with('<') ? line.substr(1, line.size() - 2) : line) + "\n";
  }
  EXPECT_EQ(bare, plain);
}

TEST(Explain, NamesTheStateThatWouldBeTakenInstead) {
  std::mt19937_64 engine(11);
  int above = 0;
  int below = 0;
  const auto expect_best_at = [](Yard yard, Index calls, std::optional<State> state) {
    yard.horizon = calls;
    const Plan best = shortest_plan(yard);
    ASSERT_TRUE(state);
    const Plan named = shortest_plan(yard, *state);
    EXPECT_LE(named.predicted_seconds, best.predicted_seconds * (1 + 1e-12));
  };
  for (int i = 0; i < 500; ++i) {
    Yard yard = testing::random_yard(2 + i % 6, engine);
    yard.horizon = Index{1} << (i % 14);
    const Plan plan = shortest_plan(yard);
    EXPECT_EQ(plan.changes_from.has_value(), plan.changes_from_state.has_value());
    EXPECT_EQ(plan.changes_below.has_value(), plan.changes_below_state.has_value());
    const std::string text = explain_plan(plan);
    if (plan.changes_from) {
      ++above;
      EXPECT_NE(*plan.changes_from_state, plan.target());
      expect_best_at(yard, *plan.changes_from, plan.changes_from_state);
      EXPECT_TRUE(contains(text, "on, " + name(*plan.changes_from_state) + " would")) << text;
    }
    if (plan.changes_below) {
      ++below;
      EXPECT_NE(*plan.changes_below_state, plan.target());
      expect_best_at(yard, *plan.changes_below - 1, plan.changes_below_state);
    }
  }
  EXPECT_GT(above, 50);
  EXPECT_GT(below, 50);
}

TEST(Explain, SaysWhatIsTooCloseToTell) {
  Yard yard{.horizon = 10,
            .valid = {csr_host},
            .nodes = {{.state = csr_host, .multiply_seconds = 1, .relative_error = 0.1},
                      {.state = dense_host, .multiply_seconds = 1, .relative_error = 0.1}},
            .edges = {{csr_host, dense_host, StepKind::Convert, 0.5}},
            .refused = {},
            .vectors = {}};
  EXPECT_TRUE(contains(explain_plan(shortest_plan(yard)), "too close to call"));
  yard.nodes[1].relative_error = 0;
  EXPECT_TRUE(contains(explain_plan(shortest_plan(yard)), "too close to call"))
      << "the plan's own price";
  yard.edges.front().seconds = 5;
  EXPECT_FALSE(contains(explain_plan(shortest_plan(yard)), "too close to call"));
  EXPECT_FALSE(contains(explain_plan(shortest_plan(yard)), "Too close to call"));
}

TEST(Explain, EndsWithTheStatesThatAreTooCloseAndWhatToDo) {
  Yard yard = testing::complete_yard({1, 1.05, 30}, {0, 0, 0});
  for (YardNode& node : yard.nodes) node.relative_error = 0.1;
  const std::string close = " Too close to call against " + name(yard.nodes[1].state);
  const auto page = [&] { return unfolded(explain_plan(shortest_plan(yard))); };
  const std::string measure = ": 'switchyard multiply --state STATE' measures a state.";
  EXPECT_TRUE(page().ends_with(close + measure)) << page();
  yard.nodes[2].extrapolated = true;
  EXPECT_TRUE(page().ends_with(close + measure)) << "a state far behind needs no larger sizes";
  yard.nodes[1].extrapolated = true;
  const std::string calibrate = ": 'switchyard calibrate --thorough' covers larger sizes.";
  EXPECT_TRUE(page().ends_with(close + calibrate)) << page();
  yard.nodes[2].multiply_seconds = 1.05;
  EXPECT_TRUE(page().ends_with(close + " and " + name(yard.nodes[2].state) + calibrate)) << page();
}

TEST(Explain, SaysWhatARejectedStateWouldSpendItsTimeOn) {
  const Yard yard{.horizon = 10,
                  .valid = {csr_host, dense_host},
                  .nodes = {{.state = csr_host, .multiply_seconds = 1, .variant = "balanced"},
                            {.state = dense_host,
                             .multiply_seconds = 1,
                             .vector_seconds = 4,
                             .once_seconds = 7,
                             .variant = "rows",
                             .matrix_bytes = 1024}},
                  .edges = {},
                  .refused = {},
                  .vectors = {}};
  const std::string text = explain_plan(shortest_plan(yard));
  EXPECT_TRUE(
      contains(text, "multiply [rows] 57.0s (10.0 KiB), of which vectors 40.0s, one-off 7.00s"))
      << text;
}

TEST(Explain, NamesAOneOffCostOnlyWhereThereIsOne) {
  Yard yard = testing::complete_yard({1}, {});
  EXPECT_FALSE(contains(explain_plan(shortest_plan(yard)), "one-off"));
  yard.nodes[0].once_seconds = 7;
  EXPECT_TRUE(contains(explain_plan(shortest_plan(yard)), "     one-off 7.00s: kernel builds"));
}

TEST(Explain, SaysWhereTheVectorsAre) {
  Yard yard = testing::complete_yard({1}, {});
  yard.vectors = {.x_valid = 0b101, .y_valid = 0};
  const auto page = [&] { return unfolded(explain_plan(shortest_plan(yard))); };
  EXPECT_TRUE(contains(page(), "vectors x is on the host and device1, ")) << page();
  EXPECT_TRUE(contains(page(), "; y is nowhere yet, ")) << page();
  yard.vectors.y_valid = 0b010;
  EXPECT_TRUE(contains(page(), "; y is on device0, ")) << page();
}

TEST(Explain, SaysHowFastTheMatrixIsRead) {
  Yard yard = testing::complete_yard({2}, {});
  yard.nodes[0].matrix_bytes = 4e9;
  EXPECT_TRUE(contains(explain_plan(shortest_plan(yard)), "; reads 3.7 GiB of the matrix, 2 GB/s"));
  yard.nodes[0].matrix_bytes = 8e12;
  EXPECT_TRUE(contains(explain_plan(shortest_plan(yard)), "of the matrix, 4 TB/s"));
}

TEST(Explain, ShowsAMeasuredTotalWhereAllStepsWereMeasured) {
  Plan plan = shortest_plan(testing::complete_yard({50, 1}, {0, 20}));
  ASSERT_EQ(plan.steps.size(), 2U);
  const auto total = [&] {
    const auto lines = lines_of(explain_plan(plan));
    const auto is_total = [](const std::string& line) { return line.starts_with("   total "); };
    return unfolded(*std::ranges::find_if(lines, is_total));
  };
  EXPECT_EQ(total(), "total 21.0s -");
  plan.steps[0].measured_seconds = 30;
  EXPECT_EQ(total(), "total 21.0s -");
  plan.steps[1].measured_seconds = 2;
  plan.steps[1].measured_calls = 1;
  EXPECT_EQ(total(), "total 21.0s 32.0s");
}

TEST(Explain, NamesABreakEvenOfShortestPathsOnly) {
  Plan plan = shortest_plan(testing::complete_yard({1, 2}, {0, 3}));
  EXPECT_TRUE(contains(explain_plan(plan), "\nbreak-even "));
  plan.pinned = true;
  EXPECT_FALSE(contains(explain_plan(plan), "\nbreak-even "));
  plan.pinned = false;
  plan.reason = Reason::UnknownCalls;
  EXPECT_FALSE(contains(explain_plan(plan), "\nbreak-even "));
}

TEST(Explain, SaysAfterHowManyCallsThereIsAnotherPlan) {
  Yard yard = testing::complete_yard({1, 2}, {0, 3});
  yard.horizon = 10;
  Plan plan = shortest_plan(yard);
  const auto says = [&] { return contains(unfolded(explain_plan(plan)), "; planned again after"); };
  EXPECT_FALSE(says());
  plan.holds_for = 10;
  EXPECT_FALSE(says()) << "all that are expected";
  plan.holds_for = 4;
  EXPECT_TRUE(contains(unfolded(explain_plan(plan)), "; planned again after 4 calls"));
}

TEST(Explain, SaysWhereAPriceComesFrom) {
  Yard yard{.horizon = 1,
            .valid = {csr_host},
            .nodes = {{.state = csr_host, .multiply_seconds = 1, .relative_error = 0.121}},
            .edges = {},
            .refused = {},
            .vectors = {}};
  EXPECT_TRUE(contains(explain_plan(shortest_plan(yard)), "13 % model\n"));
  yard.nodes[0].extrapolated = true;
  EXPECT_TRUE(contains(explain_plan(shortest_plan(yard)), "13 % model *\n"));
  EXPECT_TRUE(contains(unfolded(explain_plan(shortest_plan(yard))),
                       "extrapolated beyond the calibrated sizes"));
  yard.nodes[0].extrapolated = false;
  yard.nodes[0].measured = true;
  EXPECT_TRUE(contains(explain_plan(shortest_plan(yard)), "13 % measured\n"));
  yard.nodes[0].measured = false;
  yard.calibrated = false;
  EXPECT_TRUE(contains(explain_plan(shortest_plan(yard)), "13 % built-in\n"));
  EXPECT_TRUE(contains(explain_plan(shortest_plan(yard)), "switchyard calibrate"));
}

TEST(Explain, SaysWhatMeasuredStatesMakeItExpectOfTheOthers) {
  const auto page = [](double factor) {
    Yard yard = testing::complete_yard({1, 2}, {0, 1});
    yard.nodes[1].expected_factor = factor;
    return unfolded(explain_plan(shortest_plan(std::move(yard))));
  };
  EXPECT_TRUE(
      contains(page(3), "took longer than predicted, so up to 3x is expected of the others"));
  EXPECT_FALSE(contains(page(1.05), "is expected of the others"));
}

TEST(Explain, SaysWhatOtherProgramsCost) {
  Plan plan = shortest_plan(testing::complete_yard({1, 2}, {0, 3}));
  EXPECT_FALSE(contains(explain_plan(plan), "other programs"));
  plan.yard.nodes[0].stalled_share = 0.5;
  EXPECT_TRUE(contains(unfolded(explain_plan(plan)),
                       "50 % of that is waiting for processors that other programs use"));
}

TEST(Explain, ATrialSaysThatItIsOne) {
  Plan plan = shortest_plan(testing::complete_yard({1, 2}, {0, 3}));
  plan.reason = Reason::Trial;
  plan.holds_for = 4;
  EXPECT_TRUE(contains(unfolded(explain_plan(plan)), "trial of 4 calls"));
  EXPECT_TRUE(contains(unfolded(explain_plan(plan)), "2 % of the total"));
}

TEST(Explain, ShowsTheEightBestAlternativesAndHowManyMoreThereAre) {
  std::vector<double> costs;
  for (int k = 0; k < 12; ++k) costs.push_back(1 + k);
  const Plan plan = shortest_plan(testing::complete_yard(costs, std::vector<double>(12, 1.0)));
  const std::string text = explain_plan(plan);
  expect_fits(text);
  EXPECT_TRUE(contains(text, name(testing::nth_state(8)) + " ")) << text;
  EXPECT_FALSE(contains(text, name(testing::nth_state(9)) + " ")) << text;
  EXPECT_TRUE(contains(text, "3 slower states not shown, from 11.0s on; --json lists all")) << text;
}

TEST(Explain, EndsWithWhatItComesTo) {
  // From dense@host, at 3 s a call, to csr@host, at 1 s; 10 s for the conversion.
  Yard yard = testing::complete_yard({3, 1}, {0, 10});
  yard.horizon = 100;
  std::string text = explain_plan(shortest_plan(yard));
  EXPECT_TRUE(
      text.ends_with("result     Switchyard chose csr@host: predicted 2.73x faster than "
                     "dense@host, where the matrix is.\n"))
      << text;
  yard.horizon = 1;
  text = explain_plan(shortest_plan(yard));
  EXPECT_TRUE(
      text.ends_with("result     Switchyard chose dense@host, where the matrix is: "
                     "predicted 3.67x faster than csr@host.\n"))
      << text;
  yard.nodes.pop_back();
  Plan plan = shortest_plan(yard);
  EXPECT_TRUE(explain_plan(plan).ends_with(
      "Switchyard chose dense@host, where the matrix is: no other state is possible.\n"));
  plan.pinned = true;
  EXPECT_TRUE(explain_plan(plan).ends_with("The program chose dense@host, where the matrix is.\n"))
      << "a program that pins a state does not ask for others";
  yard = testing::complete_yard({3, 1}, {0, 10});
  text = explain_plan(shortest_plan(yard, testing::nth_state(1)));
  EXPECT_TRUE(contains(text, "predicted 3.67x slower than dense@host, where the matrix is."))
      << text;
}

TEST(Explain, MarksWhatOnlyABuiltInModelPredicts) {
  Yard yard = testing::complete_yard({3, 1}, {0, 10});
  yard.nodes[1].built_in = true;
  yard.edges[0].built_in = true;
  yard.horizon = 100;
  const Plan plan = shortest_plan(yard);
  EXPECT_TRUE(plan.steps[0].built_in);
  EXPECT_TRUE(plan.multiply_step().built_in);
  const std::string text = explain_plan(plan);
  EXPECT_TRUE(contains(text, "0 % built-in\n")) << text;
  EXPECT_TRUE(contains(text, "0 % model\n")) << "the other state is calibrated";
  EXPECT_TRUE(contains(unfolded(text), "calibration has no model of this")) << text;
  EXPECT_TRUE(contains(unfolded(text), "run 'switchyard calibrate'")) << text;
}

TEST(Explain, AnOutlierIsNotScaledUp) {
  Plan plan = shortest_plan(testing::complete_yard({1e-3}, {}));
  Step& step = plan.steps.back();
  step.calls = 1000;
  // Twenty calls of a millisecond and one of half a second.
  step.measured_seconds = 20e-3 + 0.5;
  step.measured_calls = 21;
  step.slowest_seconds = 0.5;
  std::string text = explain_plan(plan);
  EXPECT_TRUE(contains(text, "~1.00s")) << text;
  EXPECT_TRUE(contains(text, "measured 1.00ms per call over 20 calls; an outlier of 500ms is left"))
      << text;
  step.slowest_seconds = 2e-3;
  step.measured_seconds = 22e-3;
  text = explain_plan(plan);
  EXPECT_TRUE(contains(text, "measured 1.05ms per call over 21 calls\n")) << text;
}

TEST(Explain, NamesARequestThatIsNotThePlainOne) {
  Yard yard = testing::complete_yard({1, 2}, {0, 1});
  EXPECT_FALSE(contains(explain_plan(shortest_plan(yard)), "transposed"));
  yard.request = {Operand::Transpose, 16};
  const std::string text = explain_plan(shortest_plan(yard));
  EXPECT_TRUE(contains(text, "Plan for 1 call, multiply transposed, 16 columns")) << text;
  expect_fits(text);
  EXPECT_TRUE(contains(plan_line(shortest_plan(yard), "A"),
                       "plan A [multiply transposed, 16 columns] calls=1: "));
}

TEST(Explain, TheReasonsHaveNames) {
  EXPECT_EQ(name(Reason::ShortestPath), "shortest path");
  EXPECT_EQ(name(Reason::UnknownCalls), "unknown calls");
  EXPECT_EQ(name(Reason::Trial), "trial");
}

}  // namespace
}  // namespace switchyard
