// `switchyard calibrate` stopped at any moment, out of room, and several at once: nothing is lost.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <sstream>
#include <thread>

#include "command_runner.hpp"

namespace switchyard::test {
namespace {

namespace fs = std::filesystem;

class CalibrateInterrupted : public CommandTest {
 protected:
  CalibrateInterrupted() {
    environment["SWITCHYARD_DEVICES"] = "none";
    // So little room that all matrices are small and all is measured in seconds.
    environment["SWITCHYARD_HOST_BUDGET"] = "1M";
  }

  /// The names of the experiments in the checkpoint; each stands there once.
  [[nodiscard]] std::set<std::string> measured() const {
    std::set<std::string> names;
    std::istringstream lines(read_file(partial));
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line) && !lines.eof()) {
      const Json json = Json::parse(line, nullptr, false);
      EXPECT_FALSE(json.is_discarded()) << line;
      EXPECT_TRUE(names.insert(json["experiment"]).second) << line;
    }
    return names;
  }

  /// Waits until that many experiments are measured; false if the command has ended before.
  [[nodiscard]] bool wait_for(std::size_t experiments, pid_t child) const {
    for (;;) {
      const std::string text = read_file(partial);
      if (std::ranges::count(text, '\n') >= static_cast<long>(experiments) + 1) return true;
      siginfo_t ended{};
      waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT);
      if (ended.si_pid != 0) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

  void expect_profile() {
    environment["SWITCHYARD_PROFILE"] = profile;
    EXPECT_EQ(run_json({"devices"})["profile"]["fits"], true);
    environment.erase("SWITCHYARD_PROFILE");
  }

  const std::string profile = file("a.json");
  const std::string partial = file("a.json.partial");
  const Words quick = words("--quick");
  /// Goes on for as long as any test needs it to.
  const Words lasting = words("--thorough");

 private:
  [[nodiscard]] Words words(const std::string& effort) const {
    return {"calibrate", effort, "--budget", "600", "--quiet", "--output", profile, "--resume"};
  }
};

TEST_F(CalibrateInterrupted, AgainAndAgainItGoesOnAndMeasuresNothingTwice) {
  std::set<std::string> before;
  int rounds = 0;
  for (const int signal : {SIGINT, SIGTERM, SIGKILL, SIGTERM, SIGKILL, SIGINT, SIGHUP}) {
    const pid_t child = start(quick);
    const bool running = wait_for(before.size() + static_cast<std::size_t>(rounds), child);
    if (running) kill(child, signal);
    const Ended ended = wait(child);
    if (ended.exit_code == 0) break;
    ++rounds;
    if (signal == SIGINT || signal == SIGTERM) {
      expect_one_error_line(ended, 1, "interrupted after ");
      EXPECT_NE(ended.errors.find(partial), std::string::npos) << ended.errors;
      EXPECT_NE(ended.errors.find("--resume"), std::string::npos) << ended.errors;
    } else {
      EXPECT_EQ(ended.exit_code, -signal);
    }
    EXPECT_FALSE(fs::exists(profile));
    const auto after = measured();
    EXPECT_TRUE(std::ranges::includes(after, before));
    EXPECT_GE(after.size() + 1, before.size() + static_cast<std::size_t>(rounds));
    before = after;
  }
  EXPECT_GE(rounds, 4);
  const Ended last = run(quick);
  EXPECT_EQ(last.exit_code, 0) << last.errors;
  EXPECT_FALSE(fs::exists(partial));
  expect_profile();
}

TEST_F(CalibrateInterrupted, AsSoonAsItBeginsItEndsWithOneLine) {
  const pid_t child = start(lasting);
  // The first thing that can be seen of it is the checkpoint.
  ASSERT_TRUE(wait_for(0, child));
  ASSERT_EQ(kill(child, SIGINT), 0);
  expect_one_error_line(wait(child), 1, "interrupted after ");
}

TEST_F(CalibrateInterrupted, TheProfileThatWasThereStaysUntilTheNewOneIsWhole) {
  write_file("a.json", "what was there");
  const pid_t child = start(lasting);
  ASSERT_TRUE(wait_for(5, child));
  kill(child, SIGTERM);
  wait(child);
  EXPECT_EQ(read_file(profile), "what was there");
}

TEST_F(CalibrateInterrupted, WithoutRoomForWhatIsMeasuredItSaysSoAndGoesOnLater) {
  write_file("a.json", "what was there");
  in_child = [] {
    constexpr rlim_t room = 20'000;
    const rlimit limit{room, room};
    setrlimit(RLIMIT_FSIZE, &limit);
  };
  const Ended ended = run(lasting);
  expect_one_error_line(ended, 1, "cannot write: File too large");
  EXPECT_NE(ended.errors.find("--resume"), std::string::npos) << ended.errors;
  EXPECT_EQ(read_file(profile), "what was there");
  const auto kept = measured();
  EXPECT_GE(kept.size(), 3U);

  in_child = {};
  const pid_t child = start(lasting);
  ASSERT_TRUE(wait_for(kept.size() + 3, child));
  kill(child, SIGINT);
  wait(child);
  EXPECT_TRUE(std::ranges::includes(measured(), kept));
}

TEST_F(CalibrateInterrupted, OfSeveralAtOnceOneWorksAndTheOthersSayWhy) {
  std::map<std::string, pid_t> children;
  for (const char* name : {"one-", "two-", "three-"}) {
    streams = name;
    children[name] = start(quick);
  }
  int done = 0;
  for (const auto& [name, child] : children) {
    streams = name;
    const Ended ended = wait(child);
    if (ended.exit_code == 0) {
      ++done;
    } else {
      expect_one_error_line(ended, 1, "another process is calibrating for the same profile");
    }
  }
  EXPECT_GE(done, 1);
  EXPECT_FALSE(fs::exists(partial));
  expect_profile();
}

TEST_F(CalibrateInterrupted, ADeadProcessKeepsNobodyOut) {
  const pid_t first = start(lasting);
  ASSERT_TRUE(wait_for(2, first));
  streams = "second-";
  expect_one_error_line(run(lasting), 1, "another process is calibrating");
  kill(first, SIGKILL);
  waitpid(first, nullptr, 0);
  const auto kept = measured();
  const pid_t second = start(lasting);
  EXPECT_TRUE(wait_for(kept.size() + 1, second));
  kill(second, SIGTERM);
  expect_one_error_line(wait(second), 1, "interrupted after ");
}

TEST_F(CalibrateInterrupted, ACheckpointThatIsRubbishOrForeignIsBegunAnew) {
  for (const std::string& text : {std::string("rubbish\n"), std::string(5000, '\0'),
                                  std::string("{\"cpu\":\"other\"}\n[1]\n")}) {
    write_file("a.json.partial", text);
    const pid_t child = start(lasting);
    ASSERT_TRUE(wait_for(3, child));
    kill(child, SIGINT);
    expect_one_error_line(wait(child), 1, "interrupted after ");
    EXPECT_GE(measured().size(), 3U);
  }
}

}  // namespace
}  // namespace switchyard::test
