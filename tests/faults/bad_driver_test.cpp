// Beside a driver that crashes: each test runs this program once more, with that driver
// and PoCL registered.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <switchyard/backends/opencl.hpp>
#include <switchyard/switchyard.hpp>

#include "own_process.hpp"

namespace switchyard::testing {
namespace {

namespace fs = std::filesystem;

/// What a run of `DISABLED_BesideABadDriver.PrintsTheDevices` came to.
struct Outcome {
  int status = -1;
  std::string output;

  [[nodiscard]] bool has(std::string_view words) const { return output.find(words) != output.npos; }
};

class BadDriver : public ::testing::Test {
 protected:
  BadDriver() {
    std::string pattern = (fs::temp_directory_path() / "switchyard-drivers-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    fs::create_directories(folder_ / "vendors");
    std::ofstream(folder_ / "vendors" / "bad.icd") << SWITCHYARD_BAD_DRIVER << "\n";
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/etc/OpenCL/vendors", ignored)) {
      fs::copy(entry.path(), folder_ / "vendors", ignored);
    }
  }
  void SetUp() override {
    const Outcome alone = run("behave");
    ASSERT_EQ(alone.status, 0) << alone.output;
    // A build folder that others may write to.
    if (alone.has("not tried in another process")) GTEST_SKIP() << alone.output;
  }
  ~BadDriver() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  /// `behaviour`: see bad_driver.cpp.
  [[nodiscard]] Outcome run(const std::string& behaviour, const std::string& prefix = {}) const {
    const fs::path file = folder_ / "output.txt";
    const std::string command = prefix + " OCL_BAD_DRIVER='" + behaviour + "' OCL_ICD_VENDORS='" +
                                (folder_ / "vendors").string() + "' XDG_CACHE_HOME='" +
                                (folder_ / "cache").string() + "' SWITCHYARD_LOG=info " +
                                command_of_case("DISABLED_BesideABadDriver.PrintsTheDevices") +
                                " > '" + file.string() + "' 2>&1";
    const int status = std::system(command.c_str());
    Outcome result;
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    std::ifstream in(file);
    result.output = {std::istreambuf_iterator<char>(in), {}};
    return result;
  }

  /// What there is beside the bad driver.
  [[nodiscard]] int good_devices() const {
    const Outcome alone = run("behave");
    EXPECT_EQ(alone.status, 0) << alone.output;
    EXPECT_TRUE(alone.has("left out: 0")) << alone.output;
    const std::size_t place = alone.output.find("devices: ");
    return place == alone.output.npos ? -1 : std::atoi(alone.output.c_str() + place + 9);
  }
  /// The bad one alone; or all, where the loader asks every driver for its devices while it loads
  /// them (ocl-icd does, to sort several platforms).
  static void expect_left_out(const Outcome& outcome, int good) {
    const bool alone = outcome.has("reason: OpenCL platform Bad Driver is left out");
    EXPECT_TRUE(alone || outcome.has("reason: OpenCL is left out")) << outcome.output;
    EXPECT_TRUE(outcome.has(devices(alone ? good : 0))) << outcome.output;
  }
  static std::string devices(int count) { return "devices: " + std::to_string(count) + "\n"; }

  fs::path folder_;
};

TEST(DISABLED_BesideABadDriver, PrintsTheDevices) {
  const Runtime runtime{RuntimeOptions{}};
  std::printf("devices: %d\n", static_cast<int>(runtime.executors().size()) - 1);
  const auto lines = opencl_left_out();
  std::printf("left out: %d\n", static_cast<int>(lines.size()));
  for (const std::string& line : lines) std::printf("reason: %s\n", line.c_str());
}

TEST_F(BadDriver, AnAbortLeavesOneOut) {
  const int good = good_devices();
  for (int i = 0; i < 2; ++i) {  // a crash is not remembered, and is none the second time
    const Outcome aborted = run("abort");
    EXPECT_EQ(aborted.status, 0) << aborted.output;
    expect_left_out(aborted, good);
    EXPECT_TRUE(aborted.has("its driver crashes (Aborted): the bad driver gives up"))
        << aborted.output;
  }
}

TEST_F(BadDriver, AnExitLeavesOneOut) {
  const int good = good_devices();
  const Outcome exited = run("exit");
  EXPECT_EQ(exited.status, 0) << exited.output;
  expect_left_out(exited, good);
  EXPECT_TRUE(exited.has("its driver crashes (exit status 7)")) << exited.output;
}

TEST_F(BadDriver, OneThatCannotBeLoadedLeavesAllOut) {
  const Outcome aborted = run("abort when loaded");
  EXPECT_EQ(aborted.status, 0) << aborted.output;
  EXPECT_TRUE(aborted.has(devices(0))) << aborted.output;
  EXPECT_TRUE(aborted.has("reason: OpenCL is left out")) << aborted.output;
}

TEST_F(BadDriver, SurvivalIsRemembered) {
  (void)good_devices();
  // Whoever remembers does not ask again.
  const auto records = [&] {
    int count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / "cache")) {
      std::ifstream in(entry.path());
      std::string line;
      std::getline(in, line);
      count += line.find("OpenCL drivers") != line.npos ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(records(), 1);
  (void)run("behave");
  EXPECT_EQ(records(), 1);
}

}  // namespace
}  // namespace switchyard::testing
