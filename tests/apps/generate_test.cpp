// `switchyard generate`.
#include "command_runner.hpp"

namespace switchyard::test {
namespace {

class Generate : public CommandTest {
 protected:
  Generate() { environment["SWITCHYARD_DEVICES"] = "none"; }
};

TEST_F(Generate, EveryKindCanBeReadBackAsItWasGenerated) {
  for (const std::string kind :
       {"uniform", "banded", "poisson2d", "poisson3d", "powerlaw", "pruned"}) {
    const std::string name = file(kind + ".mtx");
    const Json written = run_json({"generate", kind, "--rows", "64", "--output", name});
    EXPECT_EQ(written["kind"], kind);
    EXPECT_EQ(written["output"], name);
    const Json read = run_json({"inspect", name});
    EXPECT_EQ(read["matrix"], written["matrix"]) << kind;
    EXPECT_EQ(read["matrix"]["rows"], 64) << kind;
    const Json in_memory = run_json({"inspect", kind + ":64"});
    EXPECT_EQ(read["row_length"], in_memory["row_length"]) << kind;
  }
}

TEST_F(Generate, OptionsShapeTheMatrix) {
  const Json tall = run_json({"generate", "uniform", "--rows", "300", "--cols", "20", "--density",
                              "0.5", "--output", file("a.mtx.gz")});
  EXPECT_EQ(tall["matrix"]["cols"], 20);
  EXPECT_NEAR(tall["matrix"]["density"].get<double>(), 0.5, 0.05);
  EXPECT_EQ(run_json({"inspect", file("a.mtx.gz")})["matrix"], tall["matrix"]);

  run_json({"generate", "banded", "--rows", "50", "--bandwidth", "3", "--output", file("b.mtx")});
  EXPECT_EQ(run_json({"inspect", file("b.mtx")})["row_length"]["longest"], 7);
}

TEST_F(Generate, TheSeedDecidesAndNothingElse) {
  const auto text_of = [&](const std::string& seed, const std::string& name) {
    run({"generate", "pruned", "--rows", "40", "--seed", seed, "--output", file(name)});
    return read_file(file(name));
  };
  const std::string first = text_of("7", "a.mtx");
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(first, text_of("7", "b.mtx"));
  EXPECT_NE(first, text_of("8", "c.mtx"));
}

TEST_F(Generate, SaysWhatItWrote) {
  const Ended ended = run({"generate", "poisson2d", "--rows", "100", "--output", file("a.mtx")});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.output, "wrote " + file("a.mtx") + ": 100 x 100, 460 nonzeros (4.6 %)\n");
}

TEST_F(Generate, AMinusIsStandardOutput) {
  const Ended ended = run({"generate", "banded", "--rows", "50", "--output", "-"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.errors.find("wrote -: 50 x 50, "), 0U) << ended.errors;
  run({"generate", "banded", "--rows", "50", "--output", file("a.mtx")});
  EXPECT_EQ(ended.output, read_file(file("a.mtx")));
}

TEST_F(Generate, AFileThatCannotBeWrittenIsAnError) {
  expect_one_error_line(
      run({"generate", "uniform", "--rows", "8", "--output", file("absent/folder/a.mtx")}), 1,
      "absent/folder/a.mtx");
}

}  // namespace
}  // namespace switchyard::test
