// `switchyard bench decisions`: what it says of tiny matrices and recorded costs. No time is looked
// at.
#include <algorithm>
#include <cmath>
#include <set>

#include "command_runner.hpp"
#include "decision_check.hpp"

namespace switchyard::test {
namespace {

class BenchDecisions : public CommandTest {
 protected:
  Json decisions(Words words) {
    words.insert(words.begin(), {"bench", "decisions"});
    words.insert(words.end(), {"--quick", "--repetitions", "2"});
    return run_json(words);
  }

  /// The workloads of a replayed table, by calls and hint.
  std::map<std::pair<int, bool>, Json> replay(const std::string& table) {
    write_file("costs.json", table);
    std::map<std::pair<int, bool>, Json> workloads;
    const Json document = run_json({"bench", "decisions", "--replay", file("costs.json")});
    for (const Json& entry : document["workloads"]) {
      workloads[{entry["calls"], entry["hinted"]}] = entry;
    }
    return workloads;
  }
};

void expect_consistent(const Json& entry) {
  SCOPED_TRACE(entry.dump());
  std::vector<double> fixed;
  for (const Json& seconds : entry["seconds"]) fixed.push_back(seconds);
  EXPECT_EQ(entry["seconds_oracle"], std::ranges::min(fixed));
  EXPECT_EQ(entry["seconds_worst"], std::ranges::max(fixed));
  EXPECT_EQ(entry["seconds"][entry["oracle_state"].get<std::string>()], entry["seconds_oracle"]);
  EXPECT_GT(entry["seconds_oracle"].get<double>(), 0);
  EXPECT_EQ(entry["regret"].get<double>(),
            entry["seconds_adaptive"].get<double>() / entry["seconds_oracle"].get<double>());
  EXPECT_EQ(entry["seconds_csr_host"], entry["seconds"]["csr@host"]);
  EXPECT_EQ(entry["seconds_careful"], entry["seconds"][entry["careful_state"].get<std::string>()]);
  EXPECT_GE(entry["regret_careful"].get<double>(), 1);
}

/// What the summary says, from the workloads again.
void expect_summary(const Json& document) {
  for (const bool hinted : {true, false}) {
    std::vector<double> regrets;
    double logs = 0;
    for (const Json& entry : document["workloads"]) {
      if (entry["hinted"] != hinted) continue;
      regrets.push_back(entry["regret"]);
      logs += std::log(regrets.back());
    }
    const Json& summary = document["summary"][hinted ? "hinted" : "unhinted"];
    const auto count = static_cast<double>(regrets.size());
    EXPECT_EQ(summary["count"], regrets.size());
    EXPECT_NEAR(summary["geometric_mean"].get<double>(), std::exp(logs / count), 1e-12);
    EXPECT_EQ(summary["maximum"], std::ranges::max(regrets));
    EXPECT_LE(summary["p95"], summary["maximum"]);
  }
}

TEST_F(BenchDecisions, EveryStartAndNumberOfCallsIsMeasured) {
  const Json document = decisions({"--matrix", "uniform:40:0.3"});
  const Json machine = run_json({"devices"});
  const std::size_t devices = machine["devices"].size();
  std::size_t of_double = 0;
  for (const Json& device : machine["devices"]) {
    of_double += device["double"].get<bool>() ? 1 : 0;
  }
  const std::size_t states = 2 * (1 + devices) + 2 * (1 + of_double);
  EXPECT_EQ(document["workloads"].size(), states * 6 * 2);
  EXPECT_EQ(document["cost_table"].size(), states);
  std::set<std::tuple<std::string, std::string, int, bool>> seen;
  for (const Json& entry : document["workloads"]) {
    expect_consistent(entry);
    EXPECT_LE(entry["max_error"].get<double>(), 1);
    EXPECT_GE(entry["spread"].get<double>(), 1);
    EXPECT_GT(entry["predicted_seconds"].get<double>(), 0);
    EXPECT_TRUE(entry["extrapolated"].is_boolean());
    EXPECT_FALSE(entry["states_visited"].empty());
    seen.emplace(entry["precision"], entry["from"], entry["calls"], entry["hinted"]);
  }
  EXPECT_EQ(seen.size(), document["workloads"].size());
  expect_summary(document);
  EXPECT_EQ(document["summary"]["long_horizon"]["count"], states);
  EXPECT_EQ(document["summary"]["careful"]["count"], document["workloads"].size());
  EXPECT_EQ(document["vectors"], "resident");
}

/// Each host state with the planner's variant and with one and all threads; a state's seconds are
/// those of the fastest of them.
void expect_variants(const Json& entry) {
  SCOPED_TRACE(entry.dump());
  ASSERT_EQ(entry["seconds_variants"].size(), entry["seconds"].size());
  for (const auto& [state, variants] : entry["seconds_variants"].items()) {
    EXPECT_TRUE(variants.contains("auto")) << state;
    EXPECT_EQ(variants.contains("serial"), state.ends_with("@host")) << state;
    EXPECT_EQ(variants.size(), state.ends_with("@host") ? 3U : 1U) << state;
    std::vector<double> seconds;
    for (const Json& each : variants) seconds.push_back(each);
    EXPECT_EQ(entry["seconds"][state], std::ranges::min(seconds)) << state;
  }
  const std::string state = entry["oracle_state"], variant = entry["oracle_variant"];
  EXPECT_EQ(entry["seconds_variants"][state][variant], entry["seconds_oracle"]);
}

/// The sums of the workloads that last, added up again.
void expect_sums(const Json& document) {
  double adaptive = 0, best = 0;
  std::map<bool, std::vector<double>> regrets;
  for (const Json& entry : document["workloads"]) {
    const double mine = entry["seconds_adaptive"], oracle = entry["seconds_oracle"];
    const Json& of_others = entry["seconds_oracle_of_other_rounds"];
    EXPECT_EQ(of_others.is_null(), entry["rounds"] < 4);
    if (of_others.is_number()) {
      // Equal halves of the rounds never come to less; an odd number makes them differ by one.
      EXPECT_GE(of_others.get<double>(), 0.7 * oracle);
    }
    if (std::max(mine, oracle) <= 1e-3) continue;
    adaptive += mine;
    best += oracle;
    regrets[entry["hinted"]].push_back(entry["regret"]);
  }
  const Json& summary = document["summary"];
  for (const bool hinted : {true, false}) {
    const Json& sums = summary["sums"][hinted ? "hinted" : "unhinted"];
    EXPECT_EQ(sums["count"], regrets[hinted].size());
    if (regrets[hinted].empty()) continue;
    EXPECT_EQ(sums["maximum"], std::ranges::max(regrets[hinted]));
  }
  if (best > 0) {
    EXPECT_NEAR(summary["sum_ratio"].get<double>(), adaptive / best, 1e-9);
    EXPECT_GE(summary["sums"]["fewest_rounds"], 3);
  } else {
    EXPECT_TRUE(summary["sum_ratio"].is_null());
  }
}

TEST_F(BenchDecisions, BesideLoadTheSumsOfStatesAndVariantsAreCompared) {
  environment["SWITCHYARD_DEVICES"] = "none";
  environment["OMP_NUM_THREADS"] = "2";
  const Json document = decisions({"--matrix", "uniform:300:0.3", "--precision", "float", "--load",
                                   "1", "--calls", "1", "--calls", "300"});
  EXPECT_EQ(document["load"], 1);
  std::set<int> calls;
  for (const Json& entry : document["workloads"]) {
    expect_consistent(entry);
    expect_variants(entry);
    EXPECT_GE(entry["rounds"], 3);
    EXPECT_LE(entry["rounds"], 20);
    calls.insert(entry["calls"].get<int>());
  }
  EXPECT_EQ(calls, (std::set<int>{1, 300}));
  expect_sums(document);
  for (const std::string note : document["left_out"]) {
    EXPECT_EQ(note.find("not held"), std::string::npos) << note;
  }
  // Programs make as many calls as they make; their variants are those of bench_programs_test.
  EXPECT_TRUE(document["programs"].empty());
}

TEST_F(BenchDecisions, AloneVariantsAreHeldOnDemand) {
  environment["OMP_NUM_THREADS"] = "2";
  const Words words{"--matrix", "pruned:30", "--precision", "float", "--calls", "3"};
  const Json plain = decisions(words);
  EXPECT_FALSE(plain.contains("load"));
  EXPECT_FALSE(plain["summary"].contains("sums"));
  for (const Json& entry : plain["workloads"]) EXPECT_FALSE(entry.contains("seconds_variants"));
  Words with = words;
  with.emplace_back("--variants");
  const Json held = decisions(with);
  EXPECT_EQ(held["workloads"].size(), plain["workloads"].size());
  for (const Json& entry : held["workloads"]) {
    expect_consistent(entry);
    expect_variants(entry);
  }
  expect_one_error_line(run({"bench", "decisions", "--calls", "0"}), 2, "--calls");
}

TEST_F(BenchDecisions, TextBesideLoadEndsWithTheSums) {
  environment["SWITCHYARD_DEVICES"] = "none";
  const Ended ended = run({"bench", "decisions", "--quick", "--matrix", "uniform:300:0.3",
                           "--precision", "float", "--load", "1", "--calls", "300"});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  const auto begin = ended.output.find("\nload      1 busy process");
  ASSERT_NE(begin, std::string::npos) << ended.output;
  const bool some = ended.output.find("\nworkloads over 1 ms", begin) != std::string::npos;
  EXPECT_TRUE(some || ended.output.ends_with("No workload takes more than 1 ms.\n"));
}

TEST_F(BenchDecisions, TheCostTableHoldsWhatWasMeasured) {
  environment["SWITCHYARD_DEVICES"] = "none";
  const Json document = decisions({"--matrix", "pruned:30", "--precision", "double"});
  ASSERT_EQ(document["cost_table"].size(), 2U);
  for (const Json& entry : document["cost_table"]) {
    SCOPED_TRACE(entry.dump());
    EXPECT_EQ(entry["matrix"], "pruned:30");
    EXPECT_EQ(entry["precision"], "double");
    for (const char* side : {"predicted", "measured"}) {
      EXPECT_EQ(entry[side]["valid"], Json::array({entry["from"]}));
      // A format that takes too much memory has no node; what was not done has no measured edge.
      EXPECT_GE(entry[side]["nodes"].size(), 2U);
      EXPECT_LE(entry[side]["nodes"].size(), number_of_formats);
      EXPECT_GE(entry[side]["edges"].size(), 2U);
      EXPECT_LE(entry[side]["edges"].size(), 2 * entry[side]["nodes"].size());
    }
    // Every other format is made from CSR and made into CSR, and a bitmap from and into dense.
    const Json& predicted = entry["predicted"];
    EXPECT_EQ(predicted["edges"].size(), 2 * predicted["nodes"].size());
    for (const Json& node : entry["measured"]["nodes"]) {
      EXPECT_GT(node["multiply_seconds"].get<double>(), 0);
    }
  }
}

TEST_F(BenchDecisions, OnlyTheSpacesAskedForTakePart) {
  const Json document =
      decisions({"--matrix", "uniform:40:0.3", "--state", "csr@host", "--precision", "float"});
  for (const Json& entry : document["workloads"]) {
    // Its values are too many to be coded.
    EXPECT_EQ(static_cast<std::ptrdiff_t>(entry["seconds"].size()),
              contending_formats({ValueCoding::Plain}));
    EXPECT_TRUE(entry["seconds_dense_device"].is_null());
    for (const std::string state : entry["states_visited"]) EXPECT_TRUE(state.ends_with("@host"));
  }
  EXPECT_FALSE(document.contains("kernel_builds"));
}

TEST_F(BenchDecisions, ARecordedTableIsReplayedAlike) {
  const Json measured = decisions({"--matrix", "uniform:40:0.3", "--precision", "float"});
  write_file("costs.json", measured.dump());
  const Ended once = run({"bench", "--replay", file("costs.json"), "--json"});
  const Ended again = run({"bench", "decisions", "--replay", file("costs.json"), "--json"});
  EXPECT_EQ(once.exit_code, 0) << once.errors;
  EXPECT_EQ(once.output, again.output);
  const Json replayed = Json::parse(once.output);
  EXPECT_EQ(replayed["workloads"].size(), measured["workloads"].size());
  for (const Json& entry : replayed["workloads"]) expect_consistent(entry);
  expect_summary(replayed);
}

/// A conversion that pays from three calls on, by what is predicted; in truth from four on.
constexpr auto table = R"({"cost_table": [{
  "matrix": "made up", "precision": "float", "from": "dense@host", "careful_state": "csr@host",
  "predicted": {"valid": ["dense@host"],
    "edges": [{"from": "dense@host", "to": "csr@host", "kind": "convert", "seconds": 20}],
    "nodes": [{"state": "dense@host", "multiply_seconds": 10, "vector_seconds": 0,
               "once_seconds": 0, "relative_error": 0.1},
              {"state": "csr@host", "multiply_seconds": 1, "vector_seconds": 0,
               "once_seconds": 0, "relative_error": 0.1},
              {"state": "csr@device0", "multiply_seconds": 1, "vector_seconds": 0,
               "once_seconds": 0, "relative_error": 0.1}]},
  "measured": {"valid": ["dense@host"],
    "edges": [{"from": "dense@host", "to": "csr@host", "kind": "convert", "seconds": 30}],
    "nodes": [{"state": "dense@host", "multiply_seconds": 10, "vector_seconds": 0,
               "once_seconds": 0, "relative_error": 0},
              {"state": "csr@host", "multiply_seconds": 2, "vector_seconds": 0,
               "once_seconds": 0.5, "relative_error": 0}]}}]})";

TEST_F(BenchDecisions, AReplayDecidesByPredictionsAndPaysTheTruth) {
  auto workloads = replay(table);
  EXPECT_EQ(workloads.size(), 12U);
  const auto adaptive = [&](int calls, bool hinted) -> double {
    return workloads.at({calls, hinted})["seconds_adaptive"];
  };
  EXPECT_EQ(adaptive(1, true), 10);
  EXPECT_EQ(adaptive(3, true), 30 + 0.5 + 3 * 2);
  EXPECT_EQ(adaptive(1000, true), 30 + 0.5 + 1000 * 2);
  // Without a hint the second call is made there: 10 + 20 + 1 predicted is no more than twice the
  // 20 of two dense products, where 20 + 1 was more than twice the 10 of one.
  EXPECT_EQ(adaptive(1, false), 10);
  EXPECT_EQ(adaptive(3, false), 10 + 30 + 0.5 + 2 * 2);
  EXPECT_EQ(adaptive(10, false), 10 + 30 + 0.5 + 9 * 2);
  const Json& three = workloads.at({3, true});
  EXPECT_EQ(three["seconds"], Json({{"dense@host", 30}, {"csr@host", 36.5}}));
  EXPECT_EQ(three["oracle_state"], "dense@host");
  EXPECT_EQ(three["regret_careful"], 36.5 / 30);
  EXPECT_TRUE(three["seconds_dense_device"].is_null());
}

/// The table with one part of it replaced.
std::string with(const std::string& part, const std::string& other) {
  std::string text = table;
  const std::size_t place = text.find(part);
  EXPECT_NE(place, std::string::npos) << part;
  return text.replace(place, part.size(), other);
}

TEST_F(BenchDecisions, AMalformedTableIsOneErrorLine) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "cannot read"},
      {"not json", "not JSON"},
      {std::string(100'000, '[') + std::string(100'000, ']'), "nested too deeply"},
      {"[]", "no 'cost_table'"},
      {R"({"cost_table": {}})", "'cost_table' is no list"},
      {R"({"cost_table": []})", "the table is empty"},
      {R"({"cost_table": [3]})", "no 'matrix'"},
      {with(R"("float")", R"("half")"), "'half' is no precision"},
      {with(R"("valid": ["dense@host"])", R"("valid": [])"), "no valid state"},
      {with(R"("valid": ["dense@host"])", R"("valid": [7])"), "no text"},
      {with(R"("convert")", R"("teleport")"), "'teleport' is no kind of edge"},
      {with(R"("seconds": 20)", R"("seconds": -20)"), "'seconds' is no number of seconds"},
      {with(R"("seconds": 20)", R"("seconds": "20")"), "'seconds' is no number of seconds"},
      {with(R"("seconds": 20)", R"("seconds": 1e999)"), ""},
      {with(R"("multiply_seconds": 10)", R"("multiply_seconds": 0)"), "takes no time"},
      {with(R"("state": "dense@host")", R"("state": "dense@mars")"), "'dense@mars' is no state"},
      {with(R"("to": "csr@host")", R"("to": "dense@mars")"), "'dense@mars' is no state"}};
  for (const auto& [text, message] : cases) {
    SCOPED_TRACE(text);
    write_file("costs.json", text);
    expect_one_error_line(run({"bench", "decisions", "--replay", file("costs.json")}), 1, message);
  }
  expect_one_error_line(run({"bench", "decisions", "--replay", file("nowhere")}), 1, "nowhere");
  expect_one_error_line(run({"bench", "decisions", "--replay", file(".")}), 1, "cannot read");
  expect_one_error_line(run({"bench", "kernels", "--replay", file("costs.json")}), 2,
                        "--replay is for decisions only");
}

TEST_F(BenchDecisions, TextFitsAPage) {
  environment["SWITCHYARD_DEVICES"] = "none";
  const Ended ended = run({"bench", "decisions", "--quick", "--repetitions", "1", "--matrix",
                           "uniform:12345:0.0001", "--matrix", "pruned:50"});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  for (const char* part : {"\nregret ", "\npruned:50 float\n  dense@host ", "\nlargest regrets ",
                           "\nadaptive, without hint "}) {
    EXPECT_NE(ended.output.find(part), std::string::npos) << part << "\n" << ended.output;
  }
  std::istringstream lines(ended.output.substr(ended.output.find("\nregret ")));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

}  // namespace
}  // namespace switchyard::test
