// The programs of `switchyard bench decisions`, on tiny matrices. No time is looked at.
#include <algorithm>
#include <set>

#include "command_runner.hpp"
#include "decision_check.hpp"

namespace switchyard::test {
namespace {

class BenchPrograms : public CommandTest {
 protected:
  Json decisions(Words words) {
    words.insert(words.begin(), {"bench", "decisions", "--quick", "--repetitions", "1"});
    return run_json(words);
  }
};

std::set<std::string> names(const Json& document) {
  std::set<std::string> names;
  for (const Json& entry : document["programs"]) names.insert(entry["program"]);
  return names;
}

void expect_consistent_program(const Json& entry) {
  SCOPED_TRACE(entry.dump());
  std::vector<double> fixed;
  for (const Json& seconds : entry["seconds"]) fixed.push_back(seconds);
  EXPECT_EQ(entry["seconds_best"], std::ranges::min(fixed));
  EXPECT_EQ(entry["seconds"][entry["best_state"].get<std::string>()], entry["seconds_best"]);
  EXPECT_EQ(entry["ratio"].get<double>(),
            entry["seconds_auto"].get<double>() / entry["seconds_best"].get<double>());
  EXPECT_EQ(entry["agree"], true);
  EXPECT_EQ(entry["difference"]["csr@host"], 0);
  // How many rounds there are is a matter of time; nobody makes more of them than the choice does.
  EXPECT_GE(entry["rounds"]["auto"], 1);
  for (const Json& rounds : entry["rounds"]) EXPECT_LE(rounds, entry["rounds"]["auto"]);
  EXPECT_FALSE(entry["states_visited"].empty());
  EXPECT_EQ(entry["told"], entry["program"] == "power");
  for (const char* figure : {"rounds", "iterations", "residual", "difference"}) {
    EXPECT_EQ(entry[figure].size(), fixed.size() + 1) << figure;
  }
  for (const auto& [who, iterations] : entry["iterations"].items()) EXPECT_GT(iterations, 0) << who;
}

TEST_F(BenchPrograms, ASymmetricMatrixIsSolvedAndIterated) {
  const Json document = decisions({"--matrix", "poisson2d:400", "--precision", "double"});
  EXPECT_EQ(names(document), (std::set<std::string>{"cg", "power", "pagerank", "inference"}));
  for (const Json& entry : document["programs"]) {
    expect_consistent_program(entry);
    EXPECT_EQ(entry["matrix"], "poisson2d:400");
    EXPECT_EQ(entry["precision"], "double");
    EXPECT_EQ(entry["residual"]["auto"].is_null(), entry["program"] == "inference");
    EXPECT_LE(entry["difference"]["auto"].get<double>(), 1e-8);
  }
  const Json& summary = document["summary"]["programs"];
  EXPECT_EQ(summary["all"]["count"], 4);
  EXPECT_GE(summary["all"]["maximum"], summary["all"]["p95"]);
  EXPECT_LE(summary["long"]["count"], 4);
  EXPECT_TRUE(document["failures"].empty());
}

TEST_F(BenchPrograms, AnyOtherMatrixHasTheProgramsThatApply) {
  environment["SWITCHYARD_DEVICES"] = "none";
  write_file("wide.mtx",
             "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 2\n1 3 1\n2 2 -1\n");
  write_file("drift.mtx",
             "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 4\n1 2 1\n2 2 3\n2 3 -1\n"
             "3 3 5\n");
  const Json document = decisions(
      {"--matrix", file("wide.mtx"), "--matrix", file("drift.mtx"), "--precision", "float"});
  std::set<std::string> of_drift;
  for (const Json& entry : document["programs"]) {
    expect_consistent_program(entry);
    // Both matrices have several values, but few.
    EXPECT_EQ(static_cast<std::ptrdiff_t>(entry["seconds"].size()),
              contending_formats({ValueCoding::Plain, ValueCoding::Dictionary8}));
    if (entry["matrix"] == "wide.mtx") {
      EXPECT_EQ(entry["program"], "inference");
    } else {
      of_drift.insert(entry["program"]);
    }
  }
  EXPECT_EQ(of_drift,
            (std::set<std::string>{"gmres", "bicgstab", "power", "pagerank", "inference"}));
  EXPECT_EQ(document["programs"].size(), 6U);
}

TEST_F(BenchPrograms, RunByThemselvesWithEachVariantHeld) {
  environment["SWITCHYARD_DEVICES"] = "none";
  environment["OMP_NUM_THREADS"] = "2";
  const Words words{"bench",    "programs",      "--quick",     "--repetitions", "3",
                    "--matrix", "poisson2d:400", "--precision", "double",        "--variants"};
  const Json document = run_json(words);
  EXPECT_FALSE(document.contains("workloads"));
  EXPECT_EQ(names(document), (std::set<std::string>{"cg", "power", "pagerank", "inference"}));
  EXPECT_EQ(document["summary"]["programs"]["all"]["count"], 4);
  for (const Json& entry : document["programs"]) {
    EXPECT_EQ(entry["agree"], true);
    const Json& variants = entry["seconds_variants"]["csr@host"];
    for (const char* variant : {"auto", "serial", "balanced"}) {
      EXPECT_GT(variants.value(variant, 0.0), 0) << variant << entry.dump();
      EXPECT_LE(entry["seconds"]["csr@host"], variants[variant]);
    }
  }
  const Ended ended = run(words);
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_NE(ended.output.find("\nprogram "), std::string::npos) << ended.output;
  EXPECT_EQ(ended.output.find("No workload"), std::string::npos) << ended.output;
}

TEST_F(BenchPrograms, OfOtherRequestsMakeThoseProducts) {
  environment["SWITCHYARD_DEVICES"] = "none";
  const auto programs = [&](Words more) {
    Words words{"bench",    "programs",       "--quick",     "--repetitions", "1",
                "--matrix", "uniform:60:0.2", "--precision", "double"};
    words.insert(words.end(), more.begin(), more.end());
    return run_json(words);
  };
  const Json block = programs({"--columns", "4"});
  EXPECT_EQ(names(block), (std::set<std::string>{"svd", "training"}));
  const Json transposed = programs({"--transposed"});
  EXPECT_EQ(names(transposed), (std::set<std::string>{"lsqr"}));
  for (const Json& document : {block, transposed}) {
    EXPECT_TRUE(document["failures"].empty()) << document["failures"].dump(1);
    for (const Json& entry : document["programs"]) {
      SCOPED_TRACE(entry.dump());
      EXPECT_EQ(entry["agree"], true);
      EXPECT_EQ(entry["told"], entry["program"] == "svd");
      EXPECT_GT(entry["seconds"]["csr@host"], 0);
      // LSQR is still on its way; "agree" compares its residuals.
      if (entry["program"] == "lsqr") continue;
      EXPECT_LE(entry["difference"]["auto"].get<double>(), 1e-6);
    }
  }
}

TEST_F(BenchPrograms, AReplayHasNone) {
  environment["SWITCHYARD_DEVICES"] = "none";
  const Json measured = decisions({"--matrix", "uniform:20:0.3", "--precision", "float"});
  EXPECT_TRUE(measured.contains("programs"));
  write_file("costs.json", measured.dump());
  const Json replayed = run_json({"bench", "decisions", "--replay", file("costs.json")});
  EXPECT_FALSE(replayed.contains("programs"));
  EXPECT_FALSE(replayed["summary"].contains("programs"));
}

TEST_F(BenchPrograms, TheTableFitsAPage) {
  environment["SWITCHYARD_DEVICES"] = "none";
  const Ended ended = run({"bench", "decisions", "--quick", "--repetitions", "1", "--matrix",
                           "pruned:50", "--precision", "float"});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  const auto begin = ended.output.find("\nprogram ");
  ASSERT_NE(begin, std::string::npos) << ended.output;
  for (const char* part : {"\ninference ", "\npower ", " programs in all: "}) {
    EXPECT_NE(ended.output.find(part, begin), std::string::npos) << part << "\n" << ended.output;
  }
}

}  // namespace
}  // namespace switchyard::test
