// `multiply --x --output` and `solve --output`: vectors from and to files.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "command_runner.hpp"

namespace switchyard::test {
namespace {

namespace fs = std::filesystem;

const std::string array = "%%MatrixMarket matrix array real general\n";

class VectorFiles : public CommandTest {
 protected:
  VectorFiles() {
    environment["SWITCHYARD_DEVICES"] = "none";
    // [1 0 2; 0 3 0]
    write_file("a.mtx",
               "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1\n1 3 2\n2 2 3\n");
  }

  /// What `multiply` writes with these words besides.
  std::string product(Words words) {
    words.insert(words.begin(), {"multiply", file("a.mtx"), "--verify"});
    words.insert(words.end(), {"--output", file("y.mtx")});
    const Ended ended = run(words);
    EXPECT_EQ(ended.exit_code, 0) << ended.errors;
    EXPECT_EQ(ended.errors, "");
    return read_file(file("y.mtx"));
  }
};

TEST_F(VectorFiles, ProductsOfTheUsersVectorsAreWritten) {
  write_file("x.mtx", array + "3 1\n1\n10\n100\n");
  EXPECT_EQ(product({"--x", file("x.mtx")}), array + "2 1\n201\n30\n");
  EXPECT_EQ(product({"--x", file("x.mtx"), "--calls", "5", "--iterations", "2"}),
            array + "2 1\n201\n30\n");
  write_file("x.mtx", "%%MatrixMarket matrix coordinate real general\n3 1 1\n3 1 0.5\n");
  EXPECT_EQ(product({"--x", file("x.mtx"), "--precision", "double"}), array + "2 1\n1\n0\n");
}

TEST_F(VectorFiles, ColumnsAndTransposesAreProductsToo) {
  write_file("x.mtx", array + "3 2\n1\n10\n100\n2\n0\n0\n");
  EXPECT_EQ(product({"--x", file("x.mtx"), "--columns", "2"}), array + "2 2\n201\n30\n2\n0\n");
  write_file("x.mtx", array + "2 2\n1\n10\n0\n1\n");
  EXPECT_EQ(product({"--x", file("x.mtx"), "--columns", "2", "--transposed"}),
            array + "3 2\n1\n30\n2\n0\n3\n0\n");
}

TEST_F(VectorFiles, WhatIsWrittenIsReadBack) {
  product({"--columns", "2", "--transposed"});
  const Ended ended = run({"multiply", file("a.mtx"), "--x", file("y.mtx"), "--columns", "2",
                           "--verify", "--output", file("z.mtx.gz")});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_EQ(run_json({"inspect", file("z.mtx.gz")})["matrix"]["rows"], 2);
}

TEST_F(VectorFiles, OtherShapesAreRefused) {
  write_file("x.mtx", array + "2 1\n1\n10\n");
  expect_one_error_line(run({"multiply", file("a.mtx"), "--x", file("x.mtx")}), 1,
                        "x is 2 x 1 and should be 3 x 1");
  write_file("x.mtx", array + "3 2\n1\n1\n1\n1\n1\n1\n");
  expect_one_error_line(run({"multiply", file("a.mtx"), "--x", file("x.mtx")}), 1,
                        "give --columns 2");
  expect_one_error_line(run({"multiply", file("a.mtx"), "--x", file("absent.mtx")}), 1, "absent");
  // Sparse files of any size may say so in a few bytes.
  write_file("x.mtx", "%%MatrixMarket matrix coordinate real general\n3 2000000000 0\n");
  expect_one_error_line(run({"multiply", file("a.mtx"), "--x", file("x.mtx")}), 1,
                        "should be 3 x 1");
}

TEST_F(VectorFiles, StandardStreamsTakeTheVectors) {
  write_file("x.mtx", array + "3 1\n1\n10\n100\n");
  in_child = [path = file("x.mtx")] {
    close(STDIN_FILENO);
    if (open(path.c_str(), O_RDONLY) != STDIN_FILENO) _exit(126);
  };
  const Ended ended = run({"multiply", file("a.mtx"), "--x", "-", "--output", "-"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.output, array + "2 1\n201\n30\n");
  EXPECT_NE(ended.errors.find("verified"), std::string::npos) << ended.errors;
  EXPECT_EQ(run({"multiply", file("a.mtx"), "--x", "-", "--output", "-", "--quiet"}).errors, "");
  expect_one_error_line(run({"multiply", "-", "--x", "-"}), 2, "both the matrix and x");
  expect_one_error_line(run({"multiply", file("a.mtx"), "--output", "-", "--json"}), 2,
                        "both the result and a JSON document");
}

TEST_F(VectorFiles, SolutionsAreWritten) {
  write_file("d.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 4\n");
  write_file("b.mtx", array + "2 1\n1\n1\n");
  const Words words{"solve", file("d.mtx"), "--rhs", file("b.mtx"), "--output"};
  const auto to = [&](const std::string& name) {
    Words all = words;
    all.push_back(name);
    return run(all);
  };
  EXPECT_EQ(to(file("x.mtx")).exit_code, 0);
  EXPECT_EQ(read_file(file("x.mtx")), array + "2 1\n0.5\n0.25\n");
  EXPECT_EQ(to("-").output, array + "2 1\n0.5\n0.25\n");
}

TEST_F(VectorFiles, AFileThatCannotBeWrittenIsOneErrorAndNothingIsLeft) {
  expect_one_error_line(run({"multiply", file("a.mtx"), "--output", file("none/y.mtx")}), 1,
                        "cannot write");
  write_file("y.mtx", "kept");
  in_child = [] {
    const struct rlimit none { 0, 0 };
    setrlimit(RLIMIT_FSIZE, &none);
  };
  // Its own streams cannot be written either.
  EXPECT_EQ(run({"multiply", file("a.mtx"), "--output", file("y.mtx")}).exit_code, 1);
  EXPECT_EQ(read_file(file("y.mtx")), "kept");
  const fs::directory_iterator files(fs::path(file("y.mtx")).parent_path());
  EXPECT_TRUE(std::none_of(begin(files), end(files), [](const auto& entry) {
    return entry.path().string().find(".part") != std::string::npos;
  }));
}

}  // namespace
}  // namespace switchyard::test
