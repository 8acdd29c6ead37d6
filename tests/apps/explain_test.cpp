// `switchyard explain`: the decision, computed again from its own document.
#include <switchyard/backends/operations.hpp>
#include <switchyard/models/builtin.hpp>

#include "command_runner.hpp"
#include "decision_check.hpp"

namespace switchyard::test {
namespace {

template <Element T>
void add_keys(std::vector<ModelKey>& keys, Space space, Backend backend) {
  for (const auto& operation : multiply_operations<T>()) {
    if (operation.backend != backend) continue;
    keys.push_back(multiply_key({space, operation.format}, precision_of<T>, operation.variant));
  }
  for (const auto& operation : convert_operations<T>()) {
    if (operation.backend != backend) continue;
    keys.push_back(convert_key(operation.from, operation.to, space, precision_of<T>));
  }
}

/// A machine that is not here: two devices, the first of them twenty times as fast as the host.
Profile elsewhere() {
  const Fingerprint fingerprint{.cpu = "a processor from elsewhere",
                                .threads = 64,
                                .library_version = "0.0.1",
                                .devices = {{"fast", "1.0"}, {"slow", "1.0"}}};
  std::vector<ModelKey> keys;
  add_keys<float>(keys, Space::host(), Backend::OpenMP);
  add_keys<double>(keys, Space::host(), Backend::OpenMP);
  for (const int k : {0, 1}) {
    add_keys<float>(keys, Space::device(k), Backend::OpenCL);
    add_keys<double>(keys, Space::device(k), Backend::OpenCL);
    keys.push_back(transfer_key(Space::host(), Space::device(k)));
    keys.push_back(transfer_key(Space::device(k), Space::host()));
  }
  SpaceFigures fast{.bytes_per_second = 1e12, .gathers_per_second = 1e11};
  fast.link_bytes_per_second = 4e10;
  Profile profile = builtin_profile(fingerprint, keys, {SpaceFigures{}, fast, SpaceFigures{}});
  profile.created = "2024-01-01T00:00:00Z";
  profile.calibrated = true;
  return profile;
}

class Explain : public CommandTest {};

TEST_F(Explain, EveryPlanIsTheShortestPathOverItsOwnGraph) {
  save_profile(elsewhere(), file("elsewhere.json"));
  for (const std::string calls : {"1", "2", "10", "137", "100000", "1000000000000"}) {
    for (const std::string from :
         {"csr@host", "dense@host", "csr@device1", "dense@device0", "dense@host,csr@device0"}) {
      for (const std::string matrix : {"uniform:1500:0.3", "powerlaw:3000", "poisson2d:10000"}) {
        SCOPED_TRACE(matrix + " --calls " + calls + " --from " + from);
        const Json document = run_json({"explain", matrix, "--calls", calls, "--from", from,
                                        "--profile", file("elsewhere.json")});
        EXPECT_EQ(document["horizon"].get<double>(), std::stod(calls));
        expect_shortest(document);
      }
    }
  }
}

TEST_F(Explain, PlansForThisMachineToo) {
  for (const std::string precision : {"float", "double"}) {
    for (const std::string calls : {"1", "50", "5000"}) {
      const Json document =
          run_json({"explain", "uniform:800:0.25", "--calls", calls, "--precision", precision});
      EXPECT_EQ(document["precision"], precision);
      EXPECT_EQ(document["valid"], Json::array({"csr@host"}));
      EXPECT_EQ(document["matrix"]["rows"], 800);
      EXPECT_EQ(document["profile"]["calibrated"], false);
      expect_shortest(document);
      for (const Json& step : document["plan"]["steps"]) {
        EXPECT_TRUE(step["measured_seconds"].is_null());
      }
    }
  }
}

TEST_F(Explain, NeedsNoneOfTheMachineThatAProfileIsOf) {
  environment["SWITCHYARD_DEVICES"] = "none";
  save_profile(elsewhere(), file("elsewhere.json"));
  const Json document = run_json(
      {"explain", "uniform:1500:0.3", "--calls", "10000", "--profile", file("elsewhere.json")});
  EXPECT_TRUE(target_of(document).ends_with("@device0"));
  EXPECT_EQ(document["profile"]["path"], file("elsewhere.json"));
}

TEST_F(Explain, ADeviceCanBeChosenAndKeepsItsNumber) {
  save_profile(elsewhere(), file("elsewhere.json"));
  const Json document = run_json({"explain", "uniform:1500:0.3", "--calls", "10000", "--device",
                                  "1", "--profile", file("elsewhere.json")});
  expect_shortest(document);
  bool second_there = false;
  for (const Json& node : document["nodes"]) {
    const std::string state = node["state"];
    EXPECT_FALSE(state.ends_with("@device0"));
    second_there = second_there || state.ends_with("@device1");
  }
  EXPECT_TRUE(second_there);
}

TEST_F(Explain, WhereXIsDecidesWhatTravels) {
  save_profile(elsewhere(), file("elsewhere.json"));
  const Words words{"explain", "uniform:1500:0.3", "--profile", file("elsewhere.json")};
  const auto with_x = [&](const std::string& space) {
    Words all = words;
    all.insert(all.end(), {"--x", space});
    return run_json(all);
  };
  EXPECT_EQ(run_json(words), with_x("host"));
  const Json on_device = with_x("device0");
  expect_shortest(on_device);
  for (const Json& node : on_device["nodes"]) {
    EXPECT_EQ(node["vector_seconds"], 0.0) << node;
    const bool there = node["state"].get<std::string>().ends_with("@device0");
    EXPECT_EQ(node["once_seconds"] == 0.0, there) << node;
  }
}

TEST_F(Explain, TurningPointsAreWhereTheChoiceTurns) {
  environment["SWITCHYARD_DEVICES"] = "none";
  const auto plan_for = [&](Index calls) {
    return run_json({"explain", "uniform:1000:0.5", "--calls", std::to_string(calls)});
  };
  const Json once = plan_for(1);
  ASSERT_EQ(target_of(once), "csr@host");
  ASSERT_TRUE(once["changes_from"].is_number());
  const Index from = once["changes_from"];
  EXPECT_EQ(target_of(plan_for(from - 1)), "csr@host");
  const Json later = plan_for(from);
  EXPECT_EQ(target_of(later), "dense@host");
  EXPECT_EQ(later["changes_below"], from);
}

TEST_F(Explain, AnalyzePutsMeasuredBesidePredicted) {
  for (const Words& situation : {Words{}, Words{"--from", "dense@host"},
                                 Words{"--x", "host", "--from", "dense@host,csr@host"}}) {
    Words words{"explain", "uniform:400:0.3", "--calls", "20", "--analyze"};
    words.insert(words.end(), situation.begin(), situation.end());
    const Json document = run_json(words);
    expect_shortest(document);
    for (const Json& step : document["plan"]["steps"]) {
      EXPECT_GT(step["measured_seconds"].get<double>(), 0) << step;
    }
  }
}

TEST_F(Explain, AnalyzesOnADeviceWhereThereIsOne) {
  if (run_json({"devices"})["devices"].empty()) GTEST_SKIP() << "there is no OpenCL device";
  const Json document = run_json({"explain", "uniform:200:0.3", "--calls", "5", "--analyze",
                                  "--from", "csr@device0", "--x", "device0"});
  EXPECT_EQ(document["valid"], Json::array({"csr@device0"}));
  for (const Json& step : document["plan"]["steps"]) {
    EXPECT_GT(step["measured_seconds"].get<double>(), 0) << step;
  }
}

TEST_F(Explain, DenseFilesStartDense) {
  write_file("a.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n0\n2\n3\n");
  const Json document = run_json({"explain", file("a.mtx")});
  EXPECT_EQ(document["valid"], Json::array({"dense@host"}));
  EXPECT_EQ(document["matrix"]["nnz"], 3);
}

TEST_F(Explain, WhatDoesNotFitIsRefusedWithItsReason) {
  environment["SWITCHYARD_DEVICES"] = "none";
  environment["SWITCHYARD_HOST_BUDGET"] = "1M";
  const Json document = run_json({"explain", "poisson2d:10000", "--calls", "10"});
  ASSERT_EQ(document["refused"].size(), 1U);
  EXPECT_EQ(document["refused"][0]["state"], "dense@host");
  EXPECT_NE(document["refused"][0]["reason"].get<std::string>().find("memory"), std::string::npos);
}

TEST_F(Explain, TextNamesThePlanAndWhatWasRejected) {
  environment["SWITCHYARD_DEVICES"] = "none";
  const Ended ended = run({"explain", "uniform:500:0.1", "--calls", "3"});
  EXPECT_EQ(ended.exit_code, 0);
  for (const char* part : {"uniform:500:0.1: 500 x 500", "multiply 3 times in csr@host", "Rejected",
                           "dense@host", "built-in models"}) {
    EXPECT_NE(ended.output.find(part), std::string::npos) << part << "\n" << ended.output;
  }
}

TEST_F(Explain, SpacesThatAreNotThereAreAnError) {
  environment["SWITCHYARD_DEVICES"] = "none";
  for (const Words& option :
       {Words{"--from", "csr@device0"}, Words{"--x", "device0"}, Words{"--device", "0"}}) {
    Words words{"explain", "uniform:10"};
    words.insert(words.end(), option.begin(), option.end());
    expect_one_error_line(run(words), 1, "there is no such device (device0)");
  }
  expect_one_error_line(run({"explain", "uniform:10", "--profile", file("absent.json")}), 1,
                        "absent.json");
}

}  // namespace
}  // namespace switchyard::test
