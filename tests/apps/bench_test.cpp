// `switchyard bench`: what it says of tiny matrices, and how it ends. No time is looked at.
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <sstream>
#include <thread>

#include "command_runner.hpp"

namespace switchyard::test {
namespace {

class Bench : public CommandTest {
 protected:
  /// The document of a short run.
  Json bench(Words words) {
    words.insert(words.begin(), "bench");
    words.insert(words.end(), {"--quick", "--repetitions", "2"});
    return run_json(words);
  }
};

void expect_a_right_case(const Json& entry) {
  EXPECT_GT(entry["seconds"].get<double>(), 0);
  EXPECT_GT(entry["bytes"].get<double>(), 0);
  EXPECT_GT(entry["fraction_of_bandwidth"].get<double>(), 0);
  EXPECT_GT(entry["bandwidth_bytes_per_second"].get<double>(), 0);
  EXPECT_LE(entry["max_error"].get<double>(), 1);
  EXPECT_FALSE(entry["variant"].get<std::string>().empty());
  EXPECT_TRUE(entry["chosen"].is_boolean());
  EXPECT_TRUE(entry["failure"].is_null());
}

TEST_F(Bench, KernelsAreMeasuredInEveryStateAndPrecision) {
  const Json document = bench({"kernels", "--matrix", "uniform:50:0.2"});
  std::set<std::string> spaces{"host"};
  const Json devices = run_json({"devices"});
  for (const Json& device : devices["devices"]) spaces.insert(device["space"]);
  std::set<std::string> expected;
  for (const std::string& space : spaces) {
    expected.insert({"dense@" + space, "csr@" + space});
  }
  std::set<std::string> states;
  std::set<std::string> precisions;
  for (const Json& entry : document["cases"]) {
    SCOPED_TRACE(entry.dump());
    expect_a_right_case(entry);
    EXPECT_EQ(entry["matrix"], "uniform:50:0.2");
    EXPECT_EQ(entry["rows"], 50);
    EXPECT_FALSE(entry.contains("peers"));
    states.insert(entry["state"]);
    precisions.insert(entry["precision"]);
  }
  EXPECT_TRUE(std::ranges::includes(states, expected)) << document["cases"].dump(1);
  EXPECT_EQ(precisions, (std::set<std::string>{"double", "float"}));
  EXPECT_GT(document["bandwidth_bytes_per_second"].get<double>(), 0);
  EXPECT_EQ(document["bandwidths"].size(), spaces.size());
  EXPECT_EQ(document["command"][1], "bench");
  EXPECT_FALSE(document["date"].get<std::string>().empty());
  EXPECT_GT(document["machine"]["threads"].get<int>(), 0);
}

/// Whether the process runs the command by now, and has a handler for that signal.
bool catches(pid_t process, int signal) {
  namespace fs = std::filesystem;
  std::error_code unreadable;
  const auto program = fs::read_symlink("/proc/" + std::to_string(process) + "/exe", unreadable);
  if (unreadable || program == fs::read_symlink("/proc/self/exe")) return false;
  std::istringstream status(read_file("/proc/" + std::to_string(process) + "/status"));
  std::string line;
  while (std::getline(status, line)) {
    if (!line.starts_with("SigCgt:")) continue;
    return (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1U) != 0;
  }
  return false;
}

TEST_F(Bench, InterruptedItPrintsWhatWasMeasured) {
  environment["SWITCHYARD_DEVICES"] = "none";
  Words words{"bench", "kernels", "--quick", "--json", "--quiet"};
  for (const char* matrix : {"uniform:50:0.2", "uniform:51:0.2", "uniform:52:0.2"}) {
    words.insert(words.end(), {"--matrix", matrix});
  }
  const pid_t child = start(words);
  for (int looks = 0; looks < 30'000 && !catches(child, SIGTERM); ++looks) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ASSERT_EQ(kill(child, SIGTERM), 0);
  const Ended ended = wait(child);
  EXPECT_EQ(ended.exit_code, 1);
  const Json document = Json::parse(ended.output);
  ASSERT_EQ(document["failures"].size(), 1U) << ended.output;
  const std::string failure = document["failures"][0];
  EXPECT_TRUE(failure.starts_with("interrupted with ")) << failure;
  EXPECT_NE(ended.errors.find(failure), std::string::npos) << ended.errors;
}

TEST_F(Bench, OneVariantOfEachStateIsChosen) {
  environment["SWITCHYARD_DEVICES"] = "none";
  const Json document = bench({"kernels", "--matrix", "powerlaw:300", "--precision", "float"});
  std::map<std::string, int> chosen;
  for (const Json& entry : document["cases"]) {
    chosen[entry["state"]] += entry["chosen"].get<bool>() ? 1 : 0;
  }
  for (const auto& [state, count] : chosen) EXPECT_EQ(count, 1) << state;
  ASSERT_EQ(document["best_formats"].size(), 1U);
  EXPECT_GE(document["long_horizon"]["count"], 1);
  EXPECT_GE(document["long_horizon"]["geometric_mean"], 1);
  EXPECT_TRUE(chosen.contains(document["best_formats"][0]["state"]));
  for (const Json& line : document["summary"]) EXPECT_GE(line["worst_choice"].get<double>(), 1);
}

TEST_F(Bench, PeersRunOnTheSameMatrix) {
  environment["SWITCHYARD_DEVICES"] = "none";
  const Json document = bench({"kernels", "--peers", "--state", "csr@host", "--matrix",
                               "uniform:40:0.3", "--matrix", "poisson2d:100"});
  ASSERT_EQ(document["cases"].size() % 4, 0U);
  for (const Json& entry : document["cases"]) {
    SCOPED_TRACE(entry.dump());
    expect_a_right_case(entry);
    EXPECT_EQ(entry["state"], "csr@host");
    EXPECT_GT(entry["peers"]["textbook"].get<double>(), 0);
    EXPECT_GT(entry["ratio_to_best_peer"].get<double>(), 0);
  }
  const auto is_textbook = [](const Json& library) { return library["name"] == "textbook"; };
  EXPECT_EQ(std::ranges::count_if(document["libraries"], is_textbook), 1);
}

TEST_F(Bench, PeersComputeWhatIsAskedFor) {
  environment["SWITCHYARD_DEVICES"] = "none";
  for (const std::vector<std::string>& request : {std::vector<std::string>{"--columns", "3"},
                                                  {"--transposed"},
                                                  {"--columns", "5", "--transposed"}}) {
    std::vector<std::string> words{"kernels", "--peers",    "--state",  "csr@host",
                                   "--state", "dense@host", "--matrix", "uniform:40:0.3"};
    words.insert(words.end(), request.begin(), request.end());
    const Json document = bench(words);
    // A peer that is wrong is left out.
    EXPECT_TRUE(document["left_out"].empty()) << document["left_out"].dump(1);
    const auto is_eigen = [](const Json& library) {
      return library["name"] == "eigen" && library["found"].get<bool>();
    };
    if (!std::ranges::any_of(document["libraries"], is_eigen)) continue;
    for (const Json& entry : document["cases"]) {
      SCOPED_TRACE(entry.dump());
      expect_a_right_case(entry);
      EXPECT_GT(entry["peers"]["eigen"].get<double>(), 0);
      EXPECT_FALSE(entry["peers"].contains("textbook"));
    }
  }
}

TEST_F(Bench, FilesOfAFolderAreMeasured) {
  environment["SWITCHYARD_DEVICES"] = "none";
  write_file("b.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 0\n");
  write_file("a.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n0\n3\n4\n");
  write_file("c.txt", "no matrix\n");
  const Json document = bench({"kernels", "--matrices", file("."), "--precision", "double"});
  std::set<std::string> names;
  for (const Json& entry : document["cases"]) names.insert(entry["matrix"]);
  EXPECT_EQ(names, (std::set<std::string>{"a.mtx", "b.mtx"}));
}

TEST_F(Bench, ConversionsAreCheckedBitForBit) {
  const Json document =
      bench({"conversions", "--peers", "--matrix", "uniform:60:0.3", "--precision", "float"});
  EXPECT_FALSE(document["conversions"].empty());
  for (const Json& entry : document["conversions"]) {
    SCOPED_TRACE(entry.dump());
    EXPECT_EQ(entry["verified"], true);
    EXPECT_GT(entry["seconds"].get<double>(), 0);
    EXPECT_GT(entry["dense_reads"].get<double>(), 0);
  }
  EXPECT_FALSE(document.contains("cases"));
}

/// The dense form of a large matrix is not needed to convert between others.
TEST_F(Bench, SparseFormatsOfAMatrixWithoutADenseFormAreConverted) {
  const Json document = bench({"conversions", "--matrix", "poisson3d:30000", "--precision", "float",
                               "--state", "csc@host"});
  std::set<std::string> pairs;
  for (const Json& entry : document["conversions"]) {
    SCOPED_TRACE(entry.dump());
    EXPECT_EQ(entry["verified"], true);
    EXPECT_TRUE(entry["dense_reads"].is_null());
    pairs.insert(entry["from"].get<std::string>() + " " + entry["to"].get<std::string>());
  }
  EXPECT_EQ(pairs, (std::set<std::string>{"csc@host csr@host", "csr@host csc@host"}));
}

TEST_F(Bench, TransfersGoBothWays) {
  if (run_json({"devices"})["devices"].empty()) GTEST_SKIP() << "there is no OpenCL device";
  const Json document = bench({"transfers", "--peers"});
  std::set<std::pair<std::string, std::string>> ways;
  for (const Json& entry : document["transfers"]) {
    SCOPED_TRACE(entry.dump());
    EXPECT_EQ(entry["verified"], true);
    EXPECT_GT(entry["bytes_per_second"].get<double>(), 0);
    EXPECT_FALSE(entry["peers"].empty());
    ways.emplace(entry["from"].get<std::string>(), entry["to"].get<std::string>());
  }
  EXPECT_TRUE(ways.contains({"host", "device0"}));
  EXPECT_TRUE(ways.contains({"device0", "host"}));
}

TEST_F(Bench, BusyProcessesEndWithTheCommand) {
  environment["SWITCHYARD_DEVICES"] = "none";
  const Json document = run_json({"bench", "kernels", "--quick", "--matrix", "uniform:40:0.3",
                                  "--precision", "float", "--state", "csr@host", "--load", "2"});
  EXPECT_EQ(document["load"], 2);
  EXPECT_EQ(document["cases"].size(), 2U) << "csr@host with one thread and with all";
  // That the command has ended here, and its output with it, says that nobody else still holds it.
  expect_one_error_line(run({"bench", "kernels", "--load", "-1"}), 2, "--load");
}

TEST_F(Bench, CallersAtOnceAreComparedWithOne) {
  environment["SWITCHYARD_DEVICES"] = "none";
  const Json document = bench({"callers", "--matrix", "uniform:60:0.3", "--callers", "3", "--calls",
                               "5", "--calls", "9", "--load", "1"});
  ASSERT_EQ(document["callers"].size(), 8U) << "two types, two numbers of calls, own and shared";
  std::set<std::tuple<std::string, int, std::string>> seen;
  for (const Json& entry : document["callers"]) {
    SCOPED_TRACE(entry.dump());
    EXPECT_EQ(entry["matrix"], "uniform:60:0.3");
    EXPECT_EQ(entry["state"], "auto");
    EXPECT_EQ(entry["callers"], 3);
    EXPECT_EQ(entry["rounds"], 20);
    EXPECT_GT(entry["seconds_one"].get<double>(), 0);
    EXPECT_EQ(entry["ratio"].get<double>(),
              entry["seconds_together"].get<double>() / entry["seconds_one"].get<double>());
    EXPECT_LE(entry["max_error"].get<double>(), 1);
    EXPECT_TRUE(entry["failure"].is_null());
    seen.emplace(entry["precision"], entry["calls"], entry["handles"]);
  }
  EXPECT_EQ(seen.size(), 8U);
  EXPECT_EQ(document["summary"]["own"]["count"], 4);
  EXPECT_EQ(document["summary"]["shared"]["count"], 4);
  EXPECT_FALSE(document.contains("cases"));
}

TEST_F(Bench, CallersMakeAsManyCallsAsTakeAMoment) {
  environment["SWITCHYARD_DEVICES"] = "none";
  const Words words{"bench",   "callers",  "--quick",       "--repetitions", "3",
                    "--state", "csr@host", "--precision",   "float",         "--callers",
                    "2",       "--matrix", "uniform:60:0.3"};
  const Ended ended = run(words);
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  for (const char* part : {"\nmatrix ", "\nuniform:60:0.3  float  csr@host ", " own ", " shared ",
                           "\none handle for each caller: "}) {
    EXPECT_NE(ended.output.find(part), std::string::npos) << part << "\n" << ended.output;
  }
  expect_one_error_line(run({"bench", "callers", "--callers", "0"}), 2, "--callers");
  expect_one_error_line(run({"bench", "callers", "--callers", "2000"}), 2, "more than 1024");
  expect_one_error_line(run({"bench", "callers", "--state", "csr@device7"}), 1, "no such device");
}

TEST_F(Bench, TextFitsAPageAndEndsWithTheSummary) {
  environment["SWITCHYARD_DEVICES"] = "none";
  const Ended ended = run({"bench", "kernels", "--peers", "--matrix", "pruned:50", "--quick"});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  for (const char* part : {"\nmatrix ", "\npruned:50  float ", "\nstate ", "chosen slower by"}) {
    EXPECT_NE(ended.output.find(part), std::string::npos) << part << "\n" << ended.output;
  }
}

TEST_F(Bench, WhatCannotBeReadIsAFailure) {
  environment["SWITCHYARD_DEVICES"] = "none";
  expect_one_error_line(run({"bench", "kernels", "--matrices", file("nowhere")}), 1,
                        "cannot read the folder");
  expect_one_error_line(run({"bench", "kernels", "--state", "csr@device0"}), 1,
                        "there is no such device (device0)");
  write_file("bad.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 5\n");
  const Ended ended = run({"bench", "kernels", "--quick", "--matrix", file("bad.mtx")});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_NE(ended.errors.find("bad.mtx"), std::string::npos) << ended.errors;
}

}  // namespace
}  // namespace switchyard::test
