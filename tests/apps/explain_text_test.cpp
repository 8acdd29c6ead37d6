// `switchyard explain` as text: what it names, how wide it is, and its colours.
#include <algorithm>
#include <filesystem>
#include <sstream>

#include "another_machine.hpp"
#include "command_runner.hpp"

namespace switchyard::test {
namespace {

class ExplainText : public CommandTest {};

TEST_F(ExplainText, NamesThePlanAndWhatWasRejected) {
  environment["SWITCHYARD_DEVICES"] = "none";
  const Ended ended = run({"explain", "uniform:500:0.01", "--calls", "3"});
  EXPECT_EQ(ended.exit_code, 0);
  for (const char* part : {"uniform:500:0.01: 500 x 500", "multiply 3 times in csr@host",
                           "Rejected", "dense@host", "built-in models"}) {
    EXPECT_NE(ended.output.find(part), std::string::npos) << part << "\n" << ended.output;
  }
}

/// Lines of at most 100 columns, without anything that steers a terminal.
void expect_plain_and_fitting(const std::string& text) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const auto width = std::ranges::count_if(
        line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
    EXPECT_LE(width, 100) << line;
    for (const char c : line) EXPECT_GE(static_cast<unsigned char>(c), ' ') << line;
  }
}

std::string without_colours(std::string text) {
  for (std::size_t at = text.find('\x1b'); at != std::string::npos; at = text.find('\x1b')) {
    text.erase(at, text.find('m', at) - at + 1);
  }
  return text;
}

TEST_F(ExplainText, ColoursAreForTerminalsAlone) {
  if (!has_terminals()) GTEST_SKIP() << "there are no pseudo-terminals";
  environment["SWITCHYARD_DEVICES"] = "none";
  environment["TERM"] = "xterm";
  const Words words{"explain", "uniform:500:0.1", "--calls", "3"};
  const Ended piped = run(words);
  expect_plain_and_fitting(piped.output);
  const Ended shown = run_on_terminal(words);
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_NE(shown.output.find("\x1b[1mPlan for 3 calls"), std::string::npos) << shown.output;
  EXPECT_EQ(without_colours(shown.output), piped.output);
  Words json = words;
  json.push_back("--json");
  EXPECT_TRUE(Json::accept(run_on_terminal(json).output));
  environment["NO_COLOR"] = "1";
  EXPECT_EQ(run_on_terminal(words).output, piped.output);
  environment["NO_COLOR"] = "";
  EXPECT_EQ(run_on_terminal(words).output, shown.output);
  environment["TERM"] = "dumb";
  EXPECT_EQ(run_on_terminal(words).output, piped.output);
}

TEST_F(ExplainText, FitsAHundredColumnsWhateverTheNamesAndNumbers) {
  environment["SWITCHYARD_DEVICES"] = "none";
  const std::string folder = file(std::string(120, 'd'));
  std::filesystem::create_directories(folder);
  const std::string matrix = folder + "/" + std::string(150, 'm') + "\x1b[31m\n.mtx";
  write_file(matrix.substr(file("").size()),
             "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 1\n");
  save_profile(elsewhere(), folder + "/" + std::string(100, 'p') + ".json");
  for (const std::string calls : {"1", "999999999999999999"}) {
    for (const std::string& name : {matrix, std::string("powerlaw:3000")}) {
      const Ended ended =
          run({"explain", name, "--calls", calls, "--from", "dense@device1,csr@device0", "--x",
               "device1", "--profile", folder + "/" + std::string(100, 'p') + ".json"});
      EXPECT_EQ(ended.exit_code, 0) << ended.errors;
      expect_plain_and_fitting(ended.output);
    }
  }
  expect_plain_and_fitting(run({"multiply", matrix, "--calls", "3"}).output);
  expect_plain_and_fitting(run({"solve", matrix}).output);
}

}  // namespace
}  // namespace switchyard::test
