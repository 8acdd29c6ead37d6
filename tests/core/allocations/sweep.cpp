// Counting through the allocations of a call.
#include "core/allocations/sweep.hpp"

#include <gtest/gtest.h>

#include <switchyard/containers/error.hpp>
#include <switchyard/containers/memory_space.hpp>

#include "core/allocations/failing_allocations.hpp"
#include "sampling.hpp"

namespace switchyard::testing {
namespace {

enum class Outcome { Done, Failed, Wrong };

Outcome outcome_of(const std::function<void()>& call) {
  try {
    call();
    return Outcome::Done;
  } catch (const Error& error) {
    stop_failing();
    if (error.code() == ErrorCode::OutOfMemory) return Outcome::Failed;
    ADD_FAILURE() << switchyard::name(error.code()) << ": " << error.what();
  } catch (const std::exception& error) {
    stop_failing();
    ADD_FAILURE() << "not an Error: " << error.what();
  }
  return Outcome::Wrong;
}

/// Returns how many allocations failed.
long try_with(const Trial& trial, long nth, Failing failing) {
  fail_allocation(nth, failing);
  const Outcome outcome = outcome_of(trial.call);
  const long failed = stop_failing();
  if (outcome == Outcome::Failed) {
    EXPECT_GT(failed, 0) << "nothing failed";
    trial.unchanged();
    EXPECT_EQ(outcome_of(trial.call), Outcome::Done) << "the same call afterwards";
  }
  if (outcome != Outcome::Wrong) trial.done();
  return failed;
}

}  // namespace

void sweep(const std::string& name, const std::function<Trial()>& make, bool allocates) {
  long total = 0;
  try_with(make(), -1, Failing::Once);  // what is made once in a program is made now
  for (const Failing failing : {Failing::Once, Failing::ForEver}) {
    // Sampled, other allocations fail once than with all after them.
    constexpr long step = Sample::one_in;
    for (long nth = failing == Failing::Once ? 0 : step / 2;; nth += step) {
      SCOPED_TRACE(name + ", allocation " + std::to_string(nth) +
                   (failing == Failing::Once ? "" : " and all after it"));
      const std::size_t held = plain_host_memory()->used();
      const auto left_after = [&](long& failed) {
        const long live = live_allocations();
        failed = try_with(make(), nth, failing);
        return live_allocations() - live;
      };
      long failed = 0;
      // What is kept from the first failure of its kind on, but not twice, is no leak.
      if (left_after(failed) > 0) {
        EXPECT_LE(left_after(failed), 0) << "leaked";
      }
      EXPECT_EQ(plain_host_memory()->used(), held) << "leaked";
      if (::testing::Test::HasFailure()) return;
      if (failed == 0) break;
      total += failing == Failing::Once ? 1 : failed;
    }
  }
  EXPECT_EQ(total > 0, allocates) << name;
  // Scores for whoever looks: `--gtest_output` keeps them.
  static long operations = 0;
  static long allocations = 0;
  ::testing::Test::RecordProperty("operations", std::to_string(++operations));
  ::testing::Test::RecordProperty("failed_allocations", std::to_string(allocations += total));
}

}  // namespace switchyard::testing
