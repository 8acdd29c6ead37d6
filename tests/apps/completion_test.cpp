// `switchyard completion`: bash is asked for what it would offer.
#include <array>
#include <cstdio>
#include <sstream>

#include "command_runner.hpp"

namespace switchyard::test {
namespace {

class Completion : public CommandTest {
 protected:
  Completion() {
    const Ended ended = run({"completion", "bash"});
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_EQ(ended.errors, "");
    write_file("script", ended.output);
  }

  /// What bash offers for the last of these words.
  Words offered(const Words& words) {
    std::string line = "bash --norc -c 'source \"" + file("script") + "\"; COMP_WORDS=(switchyard";
    for (const std::string& word : words) line += " \"" + word + "\"";
    line += "); COMP_CWORD=" + std::to_string(words.size()) +
            "; _switchyard; printf \"%s\\n\" \"${COMPREPLY[@]}\"' 2>&1";
    FILE* const bash = popen(line.c_str(), "r");
    std::string text;
    std::array<char, 4096> piece{};
    while (const std::size_t got = fread(piece.data(), 1, piece.size(), bash)) {
      text.append(piece.data(), got);
    }
    EXPECT_EQ(pclose(bash), 0) << text;
    std::istringstream lines(text);
    Words result;
    for (std::string offer; std::getline(lines, offer);) {
      if (!offer.empty()) result.push_back(offer);
    }
    return result;
  }
};

TEST_F(Completion, CommandsAndOptionsAreOffered) {
  EXPECT_EQ(offered({"mul"}), Words{"multiply"});
  EXPECT_EQ(offered({"--quiet", "mul"}), Words{"multiply"});
  EXPECT_EQ(offered({"help", "cal"}), Words{"calibrate"});
  EXPECT_EQ(offered({"--vers"}), Words{"--version"});
  EXPECT_EQ(offered({"multiply", "--trans"}), Words{"--transposed"});
  EXPECT_EQ(offered({"multiply", "a.mtx", "--verify", "--out"}), Words{"--output"});
  EXPECT_EQ(offered({"inspect", "--trans"}), Words{});
}

TEST_F(Completion, ValuesThatAreWordsAreOffered) {
  EXPECT_EQ(offered({"solve", "a.mtx", "--method", "bi"}), Words{"bicgstab"});
  EXPECT_EQ(offered({"solve", "a.mtx", "--method", "=", "gm"}), Words{"gmres"});
  EXPECT_EQ(offered({"solve", "a.mtx", "--precision", "="}), (Words{"float", "double"}));
  EXPECT_EQ(offered({"multiply", "a.mtx", "--state", "csr@h"}), Words{"csr@host"});
  EXPECT_EQ(offered({"generate", "pow"}), Words{"powerlaw"});
  EXPECT_EQ(offered({"bench", "ker"}), Words{"kernels"});
  // Files and numbers are bash's own matter.
  EXPECT_EQ(offered({"multiply", ""}), Words{});
  EXPECT_EQ(offered({"multiply", "a.mtx", "--x", "--c"}), Words{});
  EXPECT_EQ(offered({"unknown", "x"}), Words{});
}

TEST_F(Completion, EveryOptionOfTheHelpIsOffered) {
  for (const char* command : {"devices", "doctor", "calibrate", "generate", "inspect", "explain",
                              "multiply", "solve", "bench", "report", "completion"}) {
    const Words options = offered({command, "--"});
    const std::string help = run({command, "--help"}).output;
    std::size_t found = 0;
    for (const std::string& option : options) found += help.find(option) != std::string::npos;
    EXPECT_EQ(found, options.size()) << command;
    EXPECT_GE(options.size(), 4U) << command;
  }
}

TEST_F(Completion, OtherShellsAreRefused) {
  expect_one_error_line(run({"completion", "fish"}), 2, "'fish' is no shell");
}

}  // namespace
}  // namespace switchyard::test
