// `switchyard multiply`: every state computes, and what it says of it is so.
#include <sys/stat.h>
#include <unistd.h>

#include <switchyard/containers/numbers.hpp>

#include "command_runner.hpp"
#include "decision_check.hpp"

namespace switchyard::test {
namespace {

class Multiply : public CommandTest {
 protected:
  /// All states of this machine in that precision.
  std::vector<std::string> states(const std::string& precision) {
    std::vector<std::string> names{"dense@host", "csr@host"};
    const Json document = run_json({"devices"});
    for (const Json& device : document["devices"]) {
      if (precision == "double" && !device["double"].get<bool>()) continue;
      for (const std::string format : {"dense@", "csr@"}) {
        names.push_back(format + device["space"].get<std::string>());
      }
    }
    return names;
  }
};

void expect_verified(const Json& document) {
  EXPECT_EQ(document["verified"], true);
  EXPECT_GE(document["max_error"].get<double>(), 0);
  EXPECT_LE(document["max_error"].get<double>(), 1);
}

TEST_F(Multiply, EveryStateGivesTheRightAnswer) {
  for (const std::string precision : {"float", "double"}) {
    for (const std::string& state : states(precision)) {
      for (const std::string matrix : {"uniform:150:0.2", "powerlaw:300", "pruned:70:0.5"}) {
        SCOPED_TRACE(matrix + " in " + state + ", " + precision);
        const Json document = run_json({"multiply", matrix, "--state", state, "--precision",
                                        precision, "--calls", "3", "--verify"});
        expect_verified(document);
        EXPECT_EQ(document["states_visited"], Json::array({state}));
        EXPECT_EQ(target_of(document), state);
        EXPECT_GT(document["plan"]["steps"].back()["measured_seconds"].get<double>(), 0);
      }
    }
  }
}

TEST_F(Multiply, ThePlannerMayChoose) {
  for (const std::string matrix : {"banded:200", "poisson2d:900", "poisson3d:343", "uniform:1:1"}) {
    SCOPED_TRACE(matrix);
    const Json document = run_json({"multiply", matrix, "--calls", "4", "--verify"});
    expect_verified(document);
    expect_shortest(document);
    EXPECT_EQ(document["calls"], 4);
    EXPECT_FALSE(document["states_visited"].empty());
  }
}

TEST_F(Multiply, TimesAddUp) {
  const Json document =
      run_json({"multiply", "uniform:200:0.2", "--calls", "5", "--iterations", "3", "--timing"});
  const Json& seconds = document["seconds"];
  EXPECT_GT(seconds["first"].get<double>(), 0);
  EXPECT_GT(seconds["median"].get<double>(), 0);
  EXPECT_GE(seconds["total"].get<double>(), seconds["first"].get<double>());
  ASSERT_EQ(document["repetitions"].size(), 3U);
  std::vector<double> totals;
  for (const Json& repetition : document["repetitions"]) totals.push_back(repetition["total"]);
  std::ranges::sort(totals);
  EXPECT_EQ(seconds["total"].get<double>(), totals[1]);
  EXPECT_GT(document["timing"]["bytes_per_second"].get<double>(), 0);
  EXPECT_TRUE(document["verified"].is_null());
  EXPECT_TRUE(document["max_error"].is_null());
}

TEST_F(Multiply, OneCallIsFirstMedianAndTotal) {
  const Json seconds = run_json({"multiply", "uniform:50:0.2"})["seconds"];
  EXPECT_EQ(seconds["first"], seconds["median"]);
  EXPECT_EQ(seconds["first"], seconds["total"]);
}

TEST_F(Multiply, TextHoldsThePlanTheTimesAndTheCheck) {
  environment["SWITCHYARD_DEVICES"] = "none";
  const Ended ended = run(
      {"multiply", "poisson2d:400", "--calls", "2", "--verify", "--timing", "--iterations", "2"});
  EXPECT_EQ(ended.exit_code, 0);
  for (const char* part :
       {"matrix    poisson2d:400: 400 x 400", "\nhost ", "\nprofile ",
        "multiply 2 times in csr@host", "repetition 2: first", "GB/s", "\ntime      first",
        "\nstates    csr@host\n", "\nverified  yes (largest error ", "\n2 calls took "}) {
    EXPECT_NE(ended.output.find(part), std::string::npos) << part << "\n" << ended.output;
  }
}

TEST_F(Multiply, SaysHowManyResultsAreNotFinite) {
  environment["SWITCHYARD_DEVICES"] = "none";
  write_file("a.mtx",
             "%%MatrixMarket matrix coordinate real general\n3 2 3\n1 1 nan\n2 2 inf\n3 1 1\n");
  const Ended ended = run({"multiply", file("a.mtx"), "--verify"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_NE(ended.output.find("rounding bound; 2 of y not finite)"), std::string::npos)
      << ended.output;
}

TEST_F(Multiply, CountsWhatItDid) {
  environment["SWITCHYARD_DEVICES"] = "none";
  const Json document =
      run_json({"multiply", "uniform:200:0.3", "--calls", "7", "--state", "dense@host",
                "--iterations", "2", "--trace", file("trace.json")});
  const Json& counters = document["counters"];
  EXPECT_EQ(counters["calls"], 7);
  EXPECT_EQ(counters["conversions"], 1);
  EXPECT_EQ(counters["converted_bytes"], 200 * 200 * 4);
  EXPECT_EQ(counters["switches"], 0);
  EXPECT_EQ(
      counters["decisions_planned"].get<Index>() + counters["decisions_remembered"].get<Index>(),
      7);
  EXPECT_GT(counters["switching_seconds"].get<double>(), 0);
  const Json trace = Json::parse(read_file(file("trace.json")));
  std::map<std::string, int> events;
  for (const Json& event : trace["traceEvents"]) ++events[event["name"]];
  EXPECT_EQ(events["multiply dense@host"], 14) << "of both repetitions";
  EXPECT_EQ(events["convert csr@host -> dense@host"], 2);
  const Ended ended = run({"multiply", "uniform:200:0.3", "--calls", "7"});
  EXPECT_NE(ended.output.find("\ncounters  7 calls ("), std::string::npos) << ended.output;
}

TEST_F(Multiply, StartsWhereAskedAndPlansWithTheProfileNamed) {
  environment["SWITCHYARD_DEVICES"] = "none";
  const Json document = run_json({"multiply", "uniform:200:0.3", "--from", "dense@host", "--state",
                                  "dense@host", "--calls", "2", "--verify"});
  expect_verified(document);
  EXPECT_EQ(document["valid"], Json::array({"dense@host"}));
  EXPECT_EQ(document["states_held"], Json::array({"dense@host"}));
  EXPECT_EQ(document["columns"], 1);
  EXPECT_EQ(document["transposed"], false);
  expect_one_error_line(run({"multiply", "uniform:9", "--from", "csr@device0"}), 1,
                        "there is no such device (device0)");
  expect_one_error_line(run({"multiply", "uniform:9", "--profile", file("absent.json")}), 1,
                        "absent.json");
}

TEST_F(Multiply, WhileItWaitsItSaysForWhat) {
  environment["SWITCHYARD_DEVICES"] = "none";
  ASSERT_EQ(mkfifo(file("pipe.mtx").c_str(), 0600), 0);
  const pid_t child = start({"multiply", file("pipe.mtx"), "--verify"});
  // The command waits for the pipe, and the pipe for the command's word: no clock is looked at.
  while (read_file(file("errors")).find("switchyard: working: reading ") == std::string::npos) {
    usleep(20'000);
  }
  write_file("pipe.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2.5\n");
  const Ended ended = wait(child);
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_NE(ended.progress.find("pipe.mtx"), std::string::npos);
}

TEST_F(Multiply, OneDeviceCanBeChosen) {
  if (run_json({"devices"})["devices"].empty()) GTEST_SKIP() << "there is no OpenCL device";
  expect_verified(run_json({"multiply", "uniform:100:0.1", "--device", "0", "--verify"}));
  const Json pinned = run_json(
      {"multiply", "uniform:100:0.1", "--device", "0", "--state", "csr@device0", "--verify"});
  expect_verified(pinned);
  EXPECT_EQ(pinned["states_held"], Json::array({"csr@host", "csr@device0"}));
}

TEST_F(Multiply, EmptyMatricesAreMultipliedToo) {
  write_file("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 0\n");
  for (const std::string& state : states("float")) {
    SCOPED_TRACE(state);
    expect_verified(run_json({"multiply", file("a.mtx"), "--verify", "--state", state}));
  }
}

TEST_F(Multiply, InfinitiesAndNaNsAreRightAnswersWhereTheyAre) {
  write_file("a.mtx",
             "%%MatrixMarket matrix coordinate real general\n3 3 3\n"
             "1 1 inf\n2 2 nan\n3 3 1\n");
  const Ended ended = run({"multiply", file("a.mtx"), "--verify", "--state", "csr@host"});
  EXPECT_TRUE(ended.exit_code == 0 || ended.errors.find("a.mtx") != std::string::npos)
      << ended.errors;
}

TEST_F(Multiply, StatesThatAreNotThereAreAnError) {
  environment["SWITCHYARD_DEVICES"] = "none";
  expect_one_error_line(run({"multiply", "uniform:9", "--state", "csr@device0"}), 1,
                        "there is no such device (device0)");
  environment["SWITCHYARD_HOST_BUDGET"] = "1M";
  expect_one_error_line(run({"multiply", "poisson2d:10000", "--state", "dense@host"}), 1,
                        "dense@host");
}

}  // namespace
}  // namespace switchyard::test
