// Which of the measured times of one matrix count.
#include <gtest/gtest.h>

#include <switchyard/core/ledger.hpp>

#include "states.hpp"

namespace switchyard {
namespace {

using testing::csr_host;

TEST(Ledger, TheFirstTimeAfterAnArrivalIsNotAmongTheMeasured) {
  Ledger ledger;
  for (int k = 0; k < 4; ++k) {
    ledger.count(csr_host, "rows");
    ledger.time(csr_host, "rows", k == 0 ? CallTime{50, 50} : CallTime{1, 1});
  }
  EXPECT_EQ(ledger.cost(csr_host, "rows")->seconds, 1);
  EXPECT_EQ(ledger.samples(csr_host, "rows"), 3);
  EXPECT_EQ(ledger.calls(csr_host), 4);
  EXPECT_FALSE(ledger.cost(csr_host, "other"));
}

/// What a call is expected to take after four that computed 1 ms, but for the first: it computed 9
/// and waited for so long.
double expected_after_cold_call(double waited) {
  Ledger ledger;
  for (int k = 0; k < 4; ++k) {
    const double computed = k == 0 ? 9e-3 : 1e-3;
    ledger.count(csr_host, "rows");
    ledger.spend(csr_host, "rows", 1, k == 0 ? computed + waited : computed);
    ledger.time(csr_host, "rows", {computed, computed});
  }
  return ledger.cost(csr_host, "rows")->seconds;
}

TEST(Ledger, AColdCallIsNoWaiting) {
  EXPECT_NEAR(expected_after_cold_call(0), 1e-3, 1e-9);
  EXPECT_GT(expected_after_cold_call(9e-3), 1.5e-3);
}

TEST(Ledger, ATimeThatIsBelievedAtOnceCountsUntilThereAreEnoughOthers) {
  Ledger ledger;
  ledger.count(csr_host, "rows");
  ledger.time_at_once(csr_host, "rows", {50, 50});
  for (std::int64_t further = 0; further < Ledger::enough; ++further) {
    const auto cost = ledger.cost(csr_host, "rows");
    ASSERT_TRUE(cost) << further;
    EXPECT_EQ(cost->quiet_seconds, 50) << further;
    EXPECT_EQ(cost->relative_error, 1) << further;
    ledger.count(csr_host, "rows");
    ledger.time(csr_host, "rows", {1, 1});
  }
  EXPECT_EQ(ledger.cost(csr_host, "rows")->quiet_seconds, 1);
  EXPECT_LT(ledger.cost(csr_host, "rows")->relative_error, 0.1);
}

}  // namespace
}  // namespace switchyard
