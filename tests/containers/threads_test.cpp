// Work shared among threads: each part is done once, whoever does it, from wherever it is asked
// for.
#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <switchyard/containers/threads.hpp>
#include <thread>
#include <vector>

#include "own_process.hpp"

namespace switchyard {
namespace {

Shares shares(int threads, int parts) {
  return {.threads = threads, .of = threads, .parts = parts, .bytes = Index{1} << 30};
}

/// How often each part was done.
std::vector<int> times_done(const Shares& shares) {
  std::vector<std::atomic<int>> times(static_cast<std::size_t>(shares.parts));
  share_out(shares, [&](int part) { ++times[static_cast<std::size_t>(part)]; });
  return {times.begin(), times.end()};
}

TEST(ShareOut, DoesEachPartOnce) {
  for (const int threads : {1, 2, 3, 7, 16}) {
    for (const int parts : {0, 1, 2, threads, 4 * threads, 100, most_threads}) {
      const auto times = times_done(shares(threads, parts));
      EXPECT_EQ(times, std::vector<int>(times.size(), 1)) << threads << " threads, " << parts;
    }
  }
}

// Numbers of parts that change from call to call: no part of one is taken for another's.
TEST(ShareOut, DoesEachPartOnceInCallsThatFollowEachOther) {
  std::vector<std::atomic<int>> times(64);
  for (int call = 0; call < 20'000; ++call) {
    const int parts = 2 + call * 7 % 60;
    share_out(shares(2 + call % 3, parts),
              [&](int part) { ++times[static_cast<std::size_t>(part)]; });
    for (int part = 0; part < 64; ++part) {
      ASSERT_EQ(times[static_cast<std::size_t>(part)].exchange(0), part < parts ? 1 : 0)
          << "call " << call;
    }
  }
}

// What a part has written can be read after the call, and what was written before it in the part.
TEST(ShareOut, PartsSeeWhatWasBeforeAndAreSeenAfter) {
  std::vector<Index> values(1000);
  for (Index round = 1; round <= 2000; ++round) {
    share_out_items(shares(3, 12), std::ssize(values), 8, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) ++values[static_cast<std::size_t>(i)];
    });
    ASSERT_EQ(values, std::vector<Index>(values.size(), round));
  }
}

TEST(ShareOut, HelpersTakePart) {
  std::set<std::thread::id> who;
  std::mutex mutex;
  // A part that ends only when another thread has one: whoever helps must come in the end.
  std::atomic<int> begun{0};
  share_out(shares(2, 2), [&](int) {
    {
      const std::scoped_lock lock(mutex);
      who.insert(std::this_thread::get_id());
    }
    ++begun;
    while (begun < 2) std::this_thread::yield();
  });
  EXPECT_EQ(who.size(), 2U);
}

std::vector<int> processors_of_this_thread() {
  cpu_set_t set;
  CPU_ZERO(&set);
  static_cast<void>(sched_getaffinity(0, sizeof set, &set));
  std::vector<int> processors;
  for (int k = 0; k < CPU_SETSIZE; ++k) {
    if (CPU_ISSET(static_cast<std::size_t>(k), &set)) processors.push_back(k);
  }
  return processors;
}

// OpenMP binds the thread that calls to one processor; a helper that took over its mask would run
// there, too. Disabled as a test of its own: the next one runs it where OpenMP binds threads.
TEST(ShareOut, DISABLED_HelpersRunOnThePlacesOfOpenMp) {
  const std::vector<int> places = processors_of_places();
  ASSERT_FALSE(places.empty());
  std::vector<std::vector<int>> processors(2);
  std::atomic<int> begun{0};
  const auto caller = std::this_thread::get_id();
  share_out(shares(2, 2), [&](int) {
    const std::size_t me = std::this_thread::get_id() == caller ? 0 : 1;
    processors[me] = processors_of_this_thread();
    ++begun;
    while (begun < 2) std::this_thread::yield();
  });
  EXPECT_EQ(processors[1], places);
}

TEST(ShareOut, HelpersRunOnThePlacesOfOpenMpWhereItBindsThreads) {
  const std::vector<int> mine = processors_of_this_thread();
  if (mine.size() < 2) GTEST_SKIP() << "all threads share one processor here";
  const std::string command =
      testing::command_of_case("ShareOut.DISABLED_HelpersRunOnThePlacesOfOpenMp") +
      " > /dev/null 2>&1";
  const std::string places =
      "'{" + std::to_string(mine[0]) + "},{" + std::to_string(mine[1]) + "}' ";
  EXPECT_EQ(std::system(("OMP_PROC_BIND=true " + command).c_str()), 0);
  EXPECT_EQ(std::system(("OMP_PLACES=" + places + command).c_str()), 0);
}

TEST(ShareOut, WaitsForPartsThatTakeLonger) {
  std::atomic<int> done{0};
  share_out(shares(2, 2), [&](int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ++done;
  });
  EXPECT_EQ(done, 2);
}

TEST(ShareOut, ManyCallersEachGetAllOfTheirs) {
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int caller = 0; caller < 12; ++caller) {
    callers.emplace_back([&wrong, caller] {
      for (int call = 0; call < 300; ++call) {
        const auto times = times_done(shares(16, 5 + (call + caller) % 40));
        if (times != std::vector<int>(times.size(), 1)) ++wrong;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

// With as many callers as threads, each does all of its parts.
TEST(ShareOut, TellsWhatItDidForAbsentHelpers) {
  Shares alone = shares(4, 8);
  alone.of = 1;
  static_cast<void>(times_done(alone));
  EXPECT_DOUBLE_EQ(take_unhelped_share(), 0.75) << "its own are two of eight";
  EXPECT_EQ(take_unhelped_share(), 0) << "told once";
  std::atomic<int> begun{0};
  share_out(shares(2, 2), [&](int) {
    ++begun;
    while (begun < 2) std::this_thread::yield();
  });
  EXPECT_EQ(take_unhelped_share(), 0) << "each had one";
}

TEST(ShareOut, MayBeUsedFromWithinAPart) {
  std::atomic<int> inner{0};
  share_out(shares(3, 6), [&](int) { share_out(shares(3, 5), [&](int) { ++inner; }); });
  EXPECT_EQ(inner, 30);
}

TEST(ShareOut, GoesOnAfterAFork) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "the thread sanitizer takes no new threads after a fork";
#endif
#endif
  static_cast<void>(times_done(shares(3, 9)));
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    bool right = true;
    for (int call = 0; call < 100; ++call) {
      right = right && times_done(shares(3, 9)) == std::vector<int>(9, 1);
    }
    ::_exit(right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(times_done(shares(3, 9)), std::vector<int>(9, 1));
}

TEST(ShareOut, StepsAreTakenOnceEach) {
  for (const Index steps : {0, 1, 1000}) {
    for (const bool many : {false, true}) {
      std::vector<std::atomic<int>> times(static_cast<std::size_t>(steps));
      share_out_steps(steps, many, [&](Index step) { ++times[static_cast<std::size_t>(step)]; });
      for (const auto& each : times) EXPECT_EQ(each, 1);
    }
  }
}

TEST(Shares, LongWorkIsCutIntoSeveralPartsForEachThread) {
  EXPECT_EQ(shares_of(1000, 4, 8).parts, 4);
  EXPECT_EQ(shares_of(Index{1} << 20, 4, 8).parts, 16);
  EXPECT_EQ(shares_of(Index{1} << 30, 4, 8).parts, 32);
  EXPECT_EQ(shares_of(Index{1} << 40, most_threads, most_threads).parts, most_threads);
  EXPECT_EQ(shares_of(Index{1} << 30, 1, 8).threads, 1);
}

TEST(Shares, WorkOfLittleWorthHasOneThread) {
  EXPECT_EQ(shares_of(1000, 8).threads, 1);
  EXPECT_EQ(shares_of(Index{1} << 20, 8).threads, 8);
  EXPECT_EQ(all_threads(false).parts, 1);
  EXPECT_EQ(all_threads(true).parts, host_threads());
}

TEST(HostThreads, AreWhatTheUserAsksFor) {
  const int usual = omp_get_max_threads();
  omp_set_num_threads(5);
  EXPECT_EQ(host_threads(), 5);
  omp_set_num_threads(most_threads + 1);
  EXPECT_EQ(host_threads(), most_threads);
  omp_set_num_threads(usual);
}

}  // namespace
}  // namespace switchyard
