// `switchyard solve`: every method in every state, the check of the answer, and how it fails.
#include <gtest/gtest.h>

#include "command_runner.hpp"

namespace switchyard::test {
namespace {

class Solve : public CommandTest {
 protected:
  /// "auto" and all states of this machine that compute in double.
  std::vector<std::string> states() {
    std::vector<std::string> names{"auto", "dense@host", "csr@host"};
    const Json document = run_json({"devices"});
    for (const Json& device : document["devices"]) {
      if (!device["double"].get<bool>()) continue;
      for (const std::string format : {"dense@", "csr@"}) {
        names.push_back(format + device["space"].get<std::string>());
      }
    }
    return names;
  }

  /// Expects exit 1 with the output there all the same, and one line that holds `part`.
  void expect_failure(const Ended& ended, const std::string& part) {
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_FALSE(ended.output.empty());
    EXPECT_NE(ended.errors.find(part), std::string::npos) << ended.errors;
    EXPECT_EQ(std::ranges::count(ended.errors, '\n'), 1) << ended.errors;
  }

  /// A 3 x 3 matrix that is symmetric, with a positive diagonal, and not definite.
  void write_indefinite() {
    write_file("indefinite.mtx",
               "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n"
               "1 1 1\n2 2 1\n3 3 1\n2 1 5\n");
  }
};

void expect_converged(const Json& document) {
  EXPECT_EQ(document["converged"], true);
  EXPECT_TRUE(document["breakdown"].is_null());
  EXPECT_GT(document["iterations"].get<int>(), 0);
  EXPECT_LE(document["residual"].get<double>(), document["rtol"].get<double>());
  EXPECT_GT(document["seconds"]["total"].get<double>(), 0);
  EXPECT_GT(document["seconds"]["per_iteration"].get<double>(), 0);
  EXPECT_FALSE(document["plan"]["steps"].empty());
}

TEST_F(Solve, EveryMethodGivesTheSameAnswerInEveryState) {
  const std::vector<std::pair<std::string, std::string>> problems{
      {"cg", "poisson2d:400"}, {"bicgstab", "poisson2d:400"}, {"gmres", "poisson2d:400"}};
  for (const auto& [method, matrix] : problems) {
    for (const std::string& state : states()) {
      SCOPED_TRACE(method + " in " + state);
      const Json document = run_json({"solve", matrix, "--method", method, "--state", state});
      expect_converged(document);
      EXPECT_EQ(document["method"], method);
      EXPECT_LE(document["error"].get<double>(), 1e-5);
      if (state == "auto") continue;
      EXPECT_EQ(document["states_visited"], Json::array({state}));
    }
  }
}

TEST_F(Solve, EigenvectorsAreTheSameInEveryState) {
  for (const std::string& state : states()) {
    SCOPED_TRACE(state);
    const Json power = run_json(
        {"solve", "poisson2d:16", "--method", "power", "--rtol", "1e-6", "--state", state});
    expect_converged(power);
    // 4 + 4 cos(pi / 5), for a grid of 4 x 4.
    EXPECT_NEAR(power["eigenvalue"].get<double>(), 7.2360679775, 1e-9);
    EXPECT_TRUE(power["error"].is_null());
    expect_converged(run_json({"solve", "powerlaw:300", "--method", "pagerank", "--state", state}));
  }
}

TEST_F(Solve, FloatIsSolvedToWhatFloatAllows) {
  const Json document = run_json({"solve", "poisson2d:400", "--precision", "float"});
  expect_converged(document);
  EXPECT_EQ(document["precision"], "float");
  EXPECT_EQ(document["rtol"], 1e-4);
}

TEST_F(Solve, TheMethodIsChosenForTheMatrix) {
  const Json symmetric = run_json({"solve", "poisson3d:64"});
  EXPECT_EQ(symmetric["method"], "cg");
  EXPECT_EQ(symmetric["chosen_because"], "the matrix is symmetric with a positive diagonal");
  write_file("general.mtx",
             "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 2\n1 2 1\n2 2 3\n");
  const Json general = run_json({"solve", file("general.mtx")});
  EXPECT_EQ(general["method"], "gmres");
  EXPECT_EQ(general["chosen_because"], "the matrix is not symmetric");
  write_file("saddle.mtx",
             "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 2\n2 1 1\n");
  const Json saddle = run_json({"solve", file("saddle.mtx")});
  EXPECT_EQ(saddle["method"], "gmres");
  EXPECT_NE(saddle["chosen_because"].get<std::string>().find("diagonal"), std::string::npos);
  EXPECT_TRUE(run_json({"solve", "poisson3d:64", "--method", "cg"})["chosen_because"].is_null());
}

TEST_F(Solve, ARightHandSideMayBeGiven) {
  write_file("a.mtx", "%%MatrixMarket matrix array real general\n2 2\n2\n0\n0\n4\n");
  write_file("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n2\n8\n");
  const Json document = run_json({"solve", file("a.mtx"), "--rhs", file("b.mtx")});
  expect_converged(document);
  EXPECT_TRUE(document["error"].is_null());
  expect_one_error_line(run({"solve", "poisson2d:9", "--rhs", file("b.mtx")}), 1,
                        "the right-hand side is 2 x 1 and should be 9 x 1");
  expect_one_error_line(run({"solve", "poisson2d:9", "--rhs", file("none.mtx")}), 1, "none.mtx");
}

TEST_F(Solve, WhereOnesGiveZeroTheErrorIsNotKnown) {
  write_file("a.mtx",
             "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 2 1\n2 1 -1\n");
  const Json document = run_json({"solve", file("a.mtx")});
  EXPECT_EQ(document["converged"], true);
  EXPECT_EQ(document["residual"], 0);
  EXPECT_TRUE(document["error"].is_null());
}

TEST_F(Solve, TextTellsTheMethodTheCheckAndTheStates) {
  environment["SWITCHYARD_DEVICES"] = "none";
  environment["SWITCHYARD_REPRODUCIBLE"] = "1";  // whatever the products take
  const Ended ended = run({"solve", "poisson2d:400"});
  EXPECT_EQ(ended.exit_code, 0);
  for (const char* part :
       {"matrix     poisson2d:400: 400 x 400", "\nprofile    ",
        "\nmethod     cg, because the matrix", "\nconverged  yes (relative residual ",
        "\nerror      ", "\niterations ", "\ntime       ", "\nstates     csr@host"}) {
    EXPECT_NE(ended.output.find(part), std::string::npos) << part << "\n" << ended.output;
  }
}

TEST_F(Solve, CountsAndTracesItsProducts) {
  environment["SWITCHYARD_DEVICES"] = "none";
  const Json document = run_json({"solve", "poisson2d:400", "--trace", file("trace.json")});
  const Json& counters = document["counters"];
  EXPECT_GT(counters["calls"].get<int>(), document["iterations"].get<int>() / 2);
  const Json trace = Json::parse(read_file(file("trace.json")));
  int products = 0;
  for (const Json& event : trace["traceEvents"]) {
    products += event["name"].get<std::string>().starts_with("multiply ") ? 1 : 0;
  }
  EXPECT_EQ(products, counters["calls"]);
}

TEST_F(Solve, NotConvergedIsExitOneWithTheOutputThere) {
  expect_failure(run({"solve", "poisson2d:400", "--max-iterations", "3"}),
                 "cg did not converge in 3 iterations: relative residual ");
  expect_failure(run({"solve", "poisson2d:400", "--method", "power", "--max-iterations", "2"}),
                 "power did not converge in 2 iterations");
  const Ended ended = run({"solve", "poisson2d:400", "--max-iterations", "3", "--json"});
  expect_failure(ended, "cg did not converge");
  const Json document = Json::parse(ended.output);
  EXPECT_EQ(document["converged"], false);
  EXPECT_EQ(document["iterations"], 3);
}

TEST_F(Solve, ABreakdownIsToldAndNothingIsNaN) {
  write_indefinite();
  write_file("b.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n-1\n0\n");
  const Ended broken =
      run({"solve", file("indefinite.mtx"), "--method", "cg", "--rhs", file("b.mtx"), "--json"});
  expect_failure(broken, "the matrix is not positive definite");
  const Json document = Json::parse(broken.output);
  EXPECT_EQ(document["breakdown"], "the matrix is not positive definite");
  EXPECT_EQ(document["residual"], 1);
  expect_converged(run_json({"solve", file("indefinite.mtx"), "--method", "gmres"}));
}

TEST_F(Solve, NumbersThatAreNotFiniteAreNotAskedForMoreIterations) {
  write_file("nan.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 nan\n2 2 1\n");
  const Ended ended = run({"solve", file("nan.mtx")});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_NE(ended.errors.find("look for infinite or NaN elements"), std::string::npos)
      << ended.errors;
}

TEST_F(Solve, MatricesThatCannotBeSolvedAreAnError) {
  write_file("wide.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n");
  for (const std::string method : {"cg", "bicgstab", "gmres", "power", "pagerank"}) {
    expect_one_error_line(run({"solve", file("wide.mtx"), "--method", method}), 1,
                          "a matrix of 2 x 3 is not square (");
  }
  environment["SWITCHYARD_DEVICES"] = "none";
  expect_one_error_line(run({"solve", "poisson2d:9", "--state", "csr@device0"}), 1,
                        "there is no such device (device0)");
}

TEST_F(Solve, WordsThatAreOffAreExitTwo) {
  const std::vector<std::pair<Words, std::string>> lines{
      {{"solve"}, "MATRIX is required"},
      {{"solve", "poisson2d:9", "--method", "lu"},
       "'lu' is no method (--method); methods are cg, bicgstab, gmres, power, pagerank"},
      {{"solve", "poisson2d:9", "--rtol", "0"}, "'0' is not above 0 and below 1 (--rtol)"},
      {{"solve", "poisson2d:9", "--rtol", "nan"}, "'nan' is not a number (--rtol)"},
      {{"solve", "poisson2d:9", "--max-iterations", "0"}, "'0' is less than 1 (--max-iterations)"},
      {{"solve", "poisson2d:9", "--restart", "-1"}, "'-1' is less than 1 (--restart)"},
      {{"solve", "poisson2d:9", "--state", "csr@mars"}, "'csr@mars' is no state (--state)"},
      {{"solve", "poisson2d:9", "--state", "csr@device1", "--device", "0"},
       "--state csr@device1 is not on --device 0"},
      {{"solve", "poisson2d:9", "--method", "power", "--rhs", "b.mtx"},
       "--rhs is for methods that solve equations, not for power"}};
  for (const auto& [words, error] : lines) expect_one_error_line(run(words), 2, error);
}

TEST_F(Solve, EmptyAndTinyMatricesAreSolved) {
  write_file("empty.mtx", "%%MatrixMarket matrix coordinate real general\n0 0 0\n");
  write_file("one.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 4\n");
  for (const std::string method : {"cg", "bicgstab", "gmres", "power", "pagerank"}) {
    SCOPED_TRACE(method);
    EXPECT_EQ(run_json({"solve", file("one.mtx"), "--method", method})["converged"], true);
    const Ended ended = run({"solve", file("empty.mtx"), "--method", method});
    EXPECT_TRUE(ended.exit_code == 0 || ended.errors.find("empty.mtx") != std::string::npos)
        << ended.errors;
  }
}

}  // namespace
}  // namespace switchyard::test
