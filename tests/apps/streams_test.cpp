// What goes to which stream, and what happens where a stream does not work.
#include <unistd.h>

#include <filesystem>

#include "command_runner.hpp"

namespace switchyard::test {
namespace {

namespace fs = std::filesystem;

class Streams : public CommandTest {
 protected:
  Streams() { environment["SWITCHYARD_DEVICES"] = "none"; }
};

TEST_F(Streams, AFullDiskIsAnError) {
  for (const Words& words :
       {Words{"devices"}, Words{"devices", "--json"}, Words{"--help"}, Words{"--version"}}) {
    expect_one_error_line(run(words, Output::Full), 1, "standard output cannot be written");
  }
}

TEST_F(Streams, AClosedOutputIsAnErrorAndTakesNoFilesPlace) {
  write_file("a.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2.5\n");
  const std::string before = read_file(file("a.mtx"));
  expect_one_error_line(run({"inspect", file("a.mtx")}, Output::Closed), 1,
                        "standard output cannot be written");
  EXPECT_EQ(read_file(file("a.mtx")), before);
}

TEST_F(Streams, AReaderThatIsGoneEndsItQuietly) {
  const Ended ended = run({"devices"}, Output::BrokenPipe);
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.errors, "");
}

TEST_F(Streams, LogsStayOffStandardOutput) {
  environment["SWITCHYARD_LOG"] = "trace";
  const Ended ended = run({"multiply", "uniform:100:0.2", "--calls", "3", "--json"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_TRUE(Json::accept(ended.output)) << ended.output;
  EXPECT_NE(ended.errors.find("plan A 100x100 nnz="), std::string::npos) << ended.errors;
}

TEST_F(Streams, WithoutBeingAskedTheCommandIsSilent) {
  const Ended ended = run({"explain", "uniform:100:0.2"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.errors, "");
}

TEST_F(Streams, VerboseSaysMoreAndQuietLess) {
  environment["SWITCHYARD_PROFILE"] = file("absent.json");
  EXPECT_NE(run({"explain", "uniform:9"}).errors.find("warning"), std::string::npos);
  EXPECT_EQ(run({"explain", "uniform:9", "--quiet"}).errors, "");
  environment.erase("SWITCHYARD_PROFILE");
  EXPECT_NE(run({"explain", "uniform:9", "--verbose"}).errors.find("info"), std::string::npos);
  EXPECT_EQ(run({"--quiet", "explain", "uniform:9"}).errors, "");
}

TEST_F(Streams, TheEnvironmentsMistakesAreToldToo) {
  environment["SWITCHYARD_LOG"] = "loud";
  expect_one_error_line(run({"devices"}), 1, "(SWITCHYARD_LOG)");
  environment["SWITCHYARD_LOG"] = "warning";
  environment["SWITCHYARD_HOST_BUDGET"] = "plenty";
  expect_one_error_line(run({"devices"}), 1, "(SWITCHYARD_HOST_BUDGET)");
  environment.erase("SWITCHYARD_HOST_BUDGET");
  environment["SWITCHYARD_DEVICES"] = "unheard-of";
  expect_one_error_line(run({"devices"}), 1, "'unheard-of' names no OpenCL device");
}

TEST_F(Streams, FilesThatCannotBeReadAreOneLine) {
  write_file("bad.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1.0\n");
  write_file("cut.mtx", "\x1f\x8b\x08");
  write_file("secret.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n");
  fs::permissions(file("secret.mtx"), fs::perms::none);
  for (const char* command : {"inspect", "explain", "multiply", "solve"}) {
    expect_one_error_line(run({command, file("absent.mtx")}), 1, "absent.mtx");
    expect_one_error_line(run({command, file("")}), 1, "directory");
    expect_one_error_line(run({command, file("bad.mtx")}), 1, "bad.mtx:3");
    expect_one_error_line(run({command, file("cut.mtx")}), 1, "cut.mtx");
    if (geteuid() == 0) continue;  // who may read everything
    expect_one_error_line(run({command, file("secret.mtx")}), 1, "secret.mtx");
  }
  expect_one_error_line(run({"explain", "uniform:9", "--profile", file("")}), 1, "ordinary file");
}

}  // namespace
}  // namespace switchyard::test
