// `switchyard inspect`.
#include <fcntl.h>
#include <unistd.h>

#include "command_runner.hpp"

namespace switchyard::test {
namespace {

// Rows of 0, 1, 3 and 4 nonzeros, of which one is stored as zero.
constexpr auto staircase =
    "%%MatrixMarket matrix coordinate real general\n4 5 8\n"
    "2 1 1\n3 1 1\n3 3 -1\n3 5 1\n4 1 1\n4 2 1\n4 4 0\n4 5 1e300\n";

class Inspect : public CommandTest {};

TEST_F(Inspect, CountsRowsAndBytes) {
  write_file("a.mtx", staircase);
  const Json document = run_json({"inspect", file("a.mtx")});
  EXPECT_EQ(document["matrix"]["rows"], 4);
  EXPECT_EQ(document["matrix"]["cols"], 5);
  EXPECT_EQ(document["matrix"]["nnz"], 8);
  EXPECT_EQ(document["matrix"]["density"].get<double>(), 8.0 / 20.0);
  EXPECT_EQ(document["format"], "csr");
  const Json& lengths = document["row_length"];
  EXPECT_EQ(lengths["mean"], 2.0);
  EXPECT_EQ(lengths["longest"], 4);
  EXPECT_EQ(lengths["empty_rows"], 1);
  EXPECT_EQ(lengths["histogram"],
            Json::parse(R"([{"from":0,"to":0,"rows":1},{"from":1,"to":1,"rows":1},
                            {"from":2,"to":3,"rows":1},{"from":4,"to":7,"rows":1}])"));
  EXPECT_EQ(document["bytes"]["dense"]["float"], 80);
  EXPECT_EQ(document["bytes"]["dense"]["double"], 160);
  EXPECT_EQ(document["bytes"]["csr"]["float"], 8 * 8 + 5 * 4);
  EXPECT_EQ(document["bytes"]["csr"]["double"], 8 * 12 + 5 * 4);
}

TEST_F(Inspect, CountsTheNonzerosOfDenseFiles) {
  write_file("a.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n0\n2\n0\n");
  const Json document = run_json({"inspect", file("a.mtx")});
  EXPECT_EQ(document["format"], "dense");
  EXPECT_EQ(document["matrix"]["nnz"], 2);
  EXPECT_EQ(document["row_length"]["empty_rows"], 1);
}

TEST_F(Inspect, DrawsTheHistogram) {
  write_file("a.mtx", staircase);
  const Ended ended = run({"inspect", file("a.mtx")});
  EXPECT_EQ(ended.exit_code, 0);
  const std::string bar(50, '#');
  EXPECT_NE(ended.output.find("     2-3     1  " + bar), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("4 x 5, 8 nonzeros (40 %)"), std::string::npos) << ended.output;
}

TEST_F(Inspect, LargeMeansAreWrittenLikeOtherCounts) {
  write_file(
      "a.mtx", "%%MatrixMarket matrix array real general\n1 17690\n" + [] {
        std::string ones;
        for (int i = 0; i < 17690; ++i) ones += "1\n";
        return ones;
      }());
  const Ended ended = run({"inspect", file("a.mtx")});
  EXPECT_NE(ended.output.find("17.7k nonzeros on average"), std::string::npos) << ended.output;
  EXPECT_EQ(ended.output.find("e+"), std::string::npos) << ended.output;
  const Ended json = run({"inspect", file("a.mtx"), "--json"});
  EXPECT_NE(json.output.find("\"float\": 70760,"), std::string::npos) << json.output;
}

TEST_F(Inspect, ArchivesOfOthersAreRead) {
  const std::filesystem::path archives = SWITCHYARD_TEST_ARCHIVES;
  const Json npz = run_json({"inspect", archives / "scipy-csr-deflated.npz"});
  EXPECT_EQ(npz["matrix"]["rows"], 4);
  EXPECT_EQ(npz["matrix"]["nnz"], 7);
  const Json tar = run_json({"inspect", archives / "gnu-long-name.tar"});
  EXPECT_EQ(tar["matrix"]["cols"], 3);
  const std::string archive = read_file(archives / "scipy-csr-deflated.npz");
  write_file("cut.npz", archive.substr(0, archive.size() / 2));
  expect_one_error_line(run({"inspect", file("cut.npz")}), 1, "the zip archive is cut short");
}

TEST_F(Inspect, FilesThatBreakSmallRulesAreReadLeniently) {
  write_file("a.mtx",
             "%%MatrixMarket matrix coordinate real general\n2 2 2\n% note\n1 1 1D0\n2 2 1 x\n");
  for (const char* command : {"inspect", "explain", "multiply", "solve"}) {
    expect_one_error_line(run({command, file("a.mtx")}), 1, "a.mtx:3); comments stand before");
    const Ended ended = run({command, "--lenient", file("a.mtx")});
    EXPECT_EQ(ended.exit_code, 0) << ended.errors;
    EXPECT_NE(ended.errors.find("read leniently: further words on a line, ignored (1)"),
              std::string::npos)
        << ended.errors;
  }
  EXPECT_EQ(run_json({"inspect", file("a.mtx"), "--lenient"})["matrix"]["nnz"], 2);
}

TEST_F(Inspect, StandardInputIsAMatrixToo) {
  const auto from = [&](const std::string& name) {
    in_child = [path = file(name)] {
      close(STDIN_FILENO);
      if (open(path.c_str(), O_RDONLY) != STDIN_FILENO) _exit(126);
    };
  };
  write_file("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 5 2\n1 1 1\n2 5 1\n");
  EXPECT_EQ(run({"generate", "poisson2d", "--rows", "9", "--output", file("b.mtx.gz")}).exit_code,
            0);
  from("a.mtx");
  for (const char* command : {"inspect", "explain", "multiply"}) {
    EXPECT_EQ(run_json({command, "-"})["matrix"]["nnz"], 2) << command;
  }
  from("b.mtx.gz");
  EXPECT_EQ(run_json({"solve", "-"})["matrix"]["rows"], 9);
  expect_one_error_line(run({"solve", "-", "--rhs", "-"}), 2, "both the matrix and b");
  expect_one_error_line(run({"bench", "kernels", "--matrix", "-"}), 2, "read only once");
  write_file("a.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 x 1\n");
  from("a.mtx");
  expect_one_error_line(run({"inspect", "-"}), 1, "(standard input:3)");
  in_child = [] { close(STDIN_FILENO); };
  expect_one_error_line(run({"inspect", "-"}), 1, "(standard input)");
}

TEST_F(Inspect, EmptyMatricesAreMatricesToo) {
  write_file("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 0\n");
  const Json document = run_json({"inspect", file("a.mtx")});
  EXPECT_EQ(document["matrix"]["nnz"], 0);
  EXPECT_EQ(document["row_length"]["histogram"], Json::parse(R"([{"from":0,"to":0,"rows":3}])"));
}

TEST_F(Inspect, NamesMayHoldAnything) {
  const std::string odd = "a\x1b[31m\nb.mtx";
  write_file(odd, "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n");
  const Ended ended = run({"inspect", file(odd)});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.output.find('\x1b'), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find(" b.mtx: 2 x 2, 1 nonzero "), std::string::npos) << ended.output;
  const Ended absent = run({"inspect", file("\x1b[2J\nabsent.mtx")});
  expect_one_error_line(absent, 1, "absent.mtx");
  EXPECT_EQ(absent.errors.find('\x1b'), std::string::npos) << absent.errors;
}

}  // namespace
}  // namespace switchyard::test
