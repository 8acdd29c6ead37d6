// `switchyard explain`: the decision, computed again from its own document.
#include <switchyard/backends/operations.hpp>
#include <switchyard/containers/generate.hpp>

#include "another_machine.hpp"
#include "command_runner.hpp"
#include "decision_check.hpp"

namespace switchyard::test {
namespace {

class Explain : public CommandTest {};

// Each number of calls with two starts, each start with two or three numbers of calls and with two
// matrices: a run takes seconds under the sanitizers.
TEST_F(Explain, EveryPlanIsTheShortestPathOverItsOwnGraph) {
  save_profile(elsewhere(), file("elsewhere.json"));
  const std::vector<std::string> matrices{"uniform:1500:0.3", "powerlaw:3000", "poisson2d:10000"};
  const std::vector<std::string> starts{"csr@host", "dense@host", "csr@device1", "dense@device0",
                                        "dense@host,csr@device0"};
  std::size_t turn = 0;
  for (const std::string calls : {"1", "2", "10", "137", "100000", "1000000000000"}) {
    for (int i = 0; i < 2; ++i, ++turn) {
      const std::string& matrix = matrices[turn % matrices.size()];
      const std::string& from = starts[turn % starts.size()];
      SCOPED_TRACE(matrix + " --calls " + calls + " --from " + from);
      const Json document = run_json({"explain", matrix, "--calls", calls, "--from", from,
                                      "--profile", file("elsewhere.json")});
      EXPECT_EQ(document["horizon"].get<double>(), std::stod(calls));
      expect_shortest(document);
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
    return run_json({"explain", "uniform:1000:0.9", "--calls", std::to_string(calls)});
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
  std::string refused;
  for (const Json& each : document["refused"]) refused += each["state"].get<std::string>() + " ";
  EXPECT_EQ(refused,
            "dense@host bitmap@host csr+const@host csr16+const@host bsr3@host bsr4@host "
            "csr8+const@host ");
  EXPECT_NE(document["refused"][0]["reason"].get<std::string>().find("memory"), std::string::npos);
  EXPECT_EQ(document["refused"][3]["reason"], "has more than one distinct value");
}

TEST_F(Explain, PlansForThePinnedStateWhateverItsSize) {
  environment["SWITCHYARD_DEVICES"] = "none";
  for (const std::string state : {"bitmap@host", "bsr4@host"}) {
    const Json document = run_json({"explain", "poisson2d:900", "--state", state});
    EXPECT_EQ(document["plan"]["steps"].back()["state"], state);
  }
}

TEST_F(Explain, AProfileThatKnowsNoProductIsNamed) {
  const Profile whole = elsewhere();
  std::vector<CostModel> models;
  std::ranges::copy_if(whole.models(), std::back_inserter(models), [](const CostModel& model) {
    return model.key.operation != Operation::Multiply;
  });
  save_profile(whole.with(whole.fingerprint(), std::move(models)), file("moves.json"));
  for (const std::string command : {"explain", "multiply", "solve"}) {
    expect_one_error_line(
        run({command, "poisson2d:100", "--profile", file("moves.json")}), 1,
        "the profile has no model of a multiplication (" + file("moves.json") + ")");
  }
}

TEST_F(Explain, NamesTheMachineOfAnothersProfile) {
  save_profile(elsewhere(), file("elsewhere.json"));
  const Words words{"explain", "uniform:500:0.1", "--profile", file("elsewhere.json")};
  const Ended ended = run(words);
  EXPECT_NE(ended.output.find("a processor from elsewhere, 64 threads; device0 fast; device1 slow"),
            std::string::npos)
      << ended.output;
  const Json document = run_json(words);
  EXPECT_EQ(document["machine"]["cpu"], "a processor from elsewhere");
  EXPECT_EQ(document["machine"]["elsewhere"], true);
  EXPECT_EQ(document["models"], "calibrated");
  EXPECT_EQ(run_json({"explain", "uniform:9"})["models"], "built-in");
}

/// What every state costs as a function of the calls, from the document alone.
class Costs {
 public:
  explicit Costs(Json document) {
    const Lengths ways = shortest_ways(document);
    for (const Json& node : document["nodes"]) {
      const auto way = ways.find(node["state"]);
      if (way == ways.end()) continue;
      document["horizon"] = 0;
      const double fixed = way->second + computing_seconds(document, node);
      document["horizon"] = 1;
      lines_.push_back(
          {node["state"], fixed, way->second + computing_seconds(document, node) - fixed});
    }
  }
  [[nodiscard]] std::string best_at(double calls) const {
    return std::ranges::min_element(
               lines_, {}, [&](const Line& line) { return line.fixed + calls * line.each; })
        ->state;
  }

 private:
  struct Line {
    std::string state;
    double fixed;
    double each;
  };
  std::vector<Line> lines_;
};

TEST_F(Explain, TurningPointsFollowFromTheDocument) {
  save_profile(elsewhere(), file("elsewhere.json"));
  int turns = 0;
  for (const std::string calls : {"1", "20", "3000"}) {
    for (const std::string from : {"csr@host", "csr@device1"}) {
      for (const std::string matrix : {"powerlaw:3000", "uniform:1000:0.6"}) {
        SCOPED_TRACE(matrix + " --calls " + calls + " --from " + from);
        const Json document = run_json({"explain", matrix, "--calls", calls, "--from", from,
                                        "--profile", file("elsewhere.json")});
        const Costs costs(document);
        const double horizon = document["horizon"];
        const bool turns_later = !document["changes_from"].is_null();
        const bool turned_before = !document["changes_below"].is_null();
        turns += turns_later + turned_before;
        const double later = turns_later ? document["changes_from"].get<double>() : horizon + 1e6;
        const double before = turned_before ? document["changes_below"].get<double>() : 1;
        // Everywhere between the two the choice is the plan's; just beyond, the states named.
        for (double k = before; k < std::min(later, before + 5000); ++k) {
          EXPECT_EQ(costs.best_at(k), target_of(document)) << k;
        }
        EXPECT_EQ(costs.best_at(later - 1), target_of(document));
        if (turns_later) {
          EXPECT_EQ(document["changes_from_state"], costs.best_at(later));
        }
        if (turned_before) {
          EXPECT_EQ(document["changes_below_state"], costs.best_at(before - 1));
        }
      }
    }
  }
  EXPECT_GT(turns, 5);
}

TEST_F(Explain, BytesAndAlternativesFollowFromTheDocument) {
  save_profile(elsewhere(), file("elsewhere.json"));
  const Json document = run_json({"explain", "uniform:1000:0.3", "--calls", "500", "--from",
                                  "csr@device1", "--profile", file("elsewhere.json")});
  expect_shortest(document);
  const auto csr = generate<float>({.kind = MatrixKind::Uniform, .rows = 1000, .density = 0.3});
  const Structure structure = structure_of(csr);
  ASSERT_EQ(document["matrix"]["nnz"], structure.nnz);
  const auto bytes_of = [&](const std::string& state) {
    return bytes_in(parse_state(state).value().format, structure, sizeof(float));
  };
  const auto expect_steps = [&](const Json& steps, double seconds) {
    double sum = 0;
    for (const Json& step : steps) {
      sum += step["predicted_seconds"].get<double>();
      const bool multiplies = step["kind"] == "multiply";
      const double expected =
          multiplies ? 500 * bytes_of(step["state"]) : bytes_of(step["to"].get<std::string>());
      EXPECT_EQ(step["bytes"].get<double>(), expected) << step;
      EXPECT_EQ(step["relative_error"], 1.0);
    }
    EXPECT_DOUBLE_EQ(sum, seconds);
  };
  expect_steps(document["plan"]["steps"], document["plan"]["predicted_seconds"]);
  ASSERT_GE(document["alternatives"].size(), 4U);
  for (const Json& other : document["alternatives"]) {
    expect_steps(other["steps"], other["predicted_seconds"]);
    EXPECT_EQ(other["steps"].back()["state"], other["state"]);
    EXPECT_DOUBLE_EQ(other["slower_by_seconds"].get<double>(),
                     other["predicted_seconds"].get<double>() -
                         document["plan"]["predicted_seconds"].get<double>());
  }
  for (const Json& node : document["nodes"]) {
    EXPECT_EQ(node["matrix_bytes"].get<double>(), bytes_of(node["state"]));
    const bool on_host = node["state"].get<std::string>().ends_with("@host");
    EXPECT_EQ(node["travel_bytes"].get<double>(), on_host ? 0 : 8000) << "x and y, each way once";
  }
  for (const Json& edge : document["edges"]) {
    EXPECT_EQ(edge["bytes"].get<double>(), bytes_of(edge["to"]));
  }
}

TEST_F(Explain, AnalyzeCountsAndTracesWhatItDid) {
  environment["SWITCHYARD_DEVICES"] = "none";
  const Json document = run_json({"explain", "uniform:400:0.3", "--calls", "20", "--analyze",
                                  "--from", "dense@host", "--trace", file("trace.json")});
  EXPECT_EQ(document["counters"]["calls"], 20);
  const Json trace = Json::parse(read_file(file("trace.json")));
  const auto products = std::ranges::count_if(trace["traceEvents"], [](const Json& event) {
    return event["ph"] == "X" && event["name"].get<std::string>().starts_with("multiply ");
  });
  EXPECT_EQ(products, 20);
  expect_one_error_line(run({"explain", "uniform:9", "--trace", file("t")}), 2, "--analyze");
  expect_one_error_line(run({"explain", "uniform:9", "--analyze", "--trace", file("n/t")}), 1,
                        "n/t");
  const Ended full = run({"explain", "uniform:9", "--analyze", "--trace", "/dev/full"});
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_NE(full.output.find("Plan for 1 call"), std::string::npos) << "it was made all the same";
  EXPECT_NE(full.errors.find("/dev/full"), std::string::npos) << full.errors;
}

TEST_F(Explain, SpacesThatAreNotThereAreAnError) {
  environment["SWITCHYARD_DEVICES"] = "none";
  for (const auto& [option, value] : std::map<std::string, std::string>{
           {"--from", "csr@device0"}, {"--x", "device0"}, {"--device", "0"}}) {
    expect_one_error_line(run({"explain", "uniform:10", option, value}), 1,
                          "there is no such device (device0)");
  }
  expect_one_error_line(run({"explain", "uniform:10", "--profile", file("absent")}), 1, "absent");
}

}  // namespace
}  // namespace switchyard::test
