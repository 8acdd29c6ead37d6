// `switchyard calibrate`: a profile comes out, whatever happens on the way.
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "command_runner.hpp"
#include "decision_check.hpp"

namespace switchyard::test {
namespace {

namespace fs = std::filesystem;

class Calibrate : public CommandTest {
 protected:
  // Without devices it is a matter of seconds.
  Calibrate() { environment["SWITCHYARD_DEVICES"] = "none"; }

  /// Waits until a running calibration has put something into its checkpoint.
  static bool something_measured(const std::string& checkpoint) {
    constexpr int most_tries = 3000;
    for (int i = 0; i < most_tries; ++i) {
      const std::string text = read_file(checkpoint);
      // A line for the machine, and one for what was measured.
      if (std::ranges::count(text, '\n') >= 2) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
};

TEST_F(Calibrate, WritesTheProfileThatPlansAreThenMadeWith) {
  const Json result = run_json({"calibrate", "--quick", "--budget", "4"});
  const std::string path = result["profile"];
  EXPECT_TRUE(path.starts_with(file("config")));
  EXPECT_GT(result["seconds"].get<double>(), 0);
  ASSERT_FALSE(result["models"].empty());
  for (const Json& model : result["models"]) {
    const std::string operation = model["operation"];
    EXPECT_EQ(model.contains("state"), operation == "multiply") << model;
    EXPECT_EQ(model.contains("from"), operation != "multiply") << model;
    EXPECT_TRUE(model["precision"] == "float" || model["precision"] == "double") << model;
    EXPECT_GE(model["samples"].get<int>(), 4) << model;
    EXPECT_LE(model["r_squared"].get<double>(), 1) << model;
    EXPECT_GE(model["median_error"].get<double>(), 0) << model;
    EXPECT_GE(model["p95_error"].get<double>(), model["median_error"].get<double>()) << model;
  }
  EXPECT_TRUE(fs::exists(path));
  EXPECT_FALSE(fs::exists(path + ".partial"));

  const Json profile = run_json({"devices"})["profile"];
  EXPECT_EQ(profile["path"], path);
  EXPECT_EQ(profile["fits"], true);
  const Json plan = run_json({"explain", "uniform:300:0.2", "--calls", "30"});
  EXPECT_EQ(plan["profile"]["calibrated"], true);
  expect_shortest(plan);
}

TEST_F(Calibrate, PrintsATableOfModels) {
  const Ended ended =
      run({"calibrate", "--quick", "--budget", "1", "--quiet", "--output", file("a.json")});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(ended.errors, "");
  for (const char* part : {"operation", "samples", "R²", "median", "p95", "a.json"}) {
    EXPECT_NE(ended.output.find(part), std::string::npos) << part << "\n" << ended.output;
  }
  EXPECT_TRUE(fs::exists(file("a.json")));
}

TEST_F(Calibrate, GoesWhereTheEnvironmentSays) {
  environment["SWITCHYARD_PROFILE"] = file("named.json");
  EXPECT_EQ(run_json({"calibrate", "--quick", "--budget", "0.5"})["profile"], file("named.json"));
  EXPECT_TRUE(fs::exists(file("named.json")));
}

TEST_F(Calibrate, InterruptedItKeepsWhatItMeasured) {
  const std::string checkpoint = file("a.json.partial");
  const pid_t child = start({"calibrate", "--thorough", "--quiet", "--output", file("a.json")});
  ASSERT_TRUE(something_measured(checkpoint));
  ASSERT_EQ(kill(child, SIGINT), 0);
  const Ended ended = wait(child);
  expect_one_error_line(ended, 1, "--resume");
  EXPECT_NE(ended.errors.find(checkpoint), std::string::npos) << ended.errors;
  EXPECT_TRUE(fs::exists(checkpoint));
  EXPECT_FALSE(fs::exists(file("a.json")));

  const Json resumed = run_json(
      {"calibrate", "--thorough", "--budget", "0.5", "--resume", "--output", file("a.json")});
  EXPECT_EQ(resumed["profile"], file("a.json"));
  EXPECT_TRUE(fs::exists(file("a.json")));
}

TEST_F(Calibrate, APlaceThatCannotBeWrittenIsToldBeforeMeasuring) {
  write_file("file", "");
  expect_one_error_line(run({"calibrate", "--output", file("file/a.json")}), 1, "file");
  expect_one_error_line(run({"calibrate", "--device", "0"}), 1, "there is no such device");
}

}  // namespace
}  // namespace switchyard::test
