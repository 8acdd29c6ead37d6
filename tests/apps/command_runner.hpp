// Running the built command in a home of its own, and looking at what it leaves.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace switchyard::test {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

/// How a command ended.
struct Ended {
  int exit_code = -1;  ///< minus the signal, where one ended it
  std::string output;
  std::string errors;    ///< without the lines of `progress`
  std::string progress;  ///< lines that say what it is doing, where that takes long
};

/// Whether this machine has pseudo-terminals, which a bare chroot may be without.
[[nodiscard]] bool has_terminals();

/// Where standard output goes.
enum class Output { Captured, Full, Closed, BrokenPipe, Terminal };

/// Each test has a folder of its own, which is also where the command finds its configuration, so
/// that nobody's profile is touched. What OpenCL compiles is kept for the next test.
class CommandTest : public testing::Test {
 protected:
  CommandTest();
  ~CommandTest() override;

  /// Runs `switchyard WORDS...` to its end.
  Ended run(const Words& words, Output output = Output::Captured);
  /// The same, where it has to succeed with one JSON document.
  Json run_json(Words words);

  /// Starts it and returns at once; `wait` brings it to its end.
  pid_t start(const Words& words, Output output = Output::Captured);
  Ended wait(pid_t child);

  /// Runs it with a terminal as standard output, and returns what a terminal would have got.
  Ended run_on_terminal(const Words& words);

  /// A file in the test's folder.
  [[nodiscard]] std::string file(const std::string& name) const {
    return (folder_ / name).string();
  }
  void write_file(const std::string& name, const std::string& text) const;

  /// More of the environment, for all later runs.
  std::map<std::string, std::string> environment;
  /// Called in the child before the command takes its place, for all later runs.
  std::function<void()> in_child;
  /// Stands before the names of the files that catch output and errors: where several run at once.
  std::string streams;

 private:
  std::filesystem::path folder_;
  std::string terminal_;  // the name of the one that is open
};

/// Expects standard output to be a JSON document that says why the command failed.
void expect_error_document(const Ended& ended);

[[nodiscard]] std::string read_file(const std::filesystem::path& file);

/// Expects what every error looks like: nothing on standard output but, where the words ask for
/// JSON, a document with the same error; one line on standard error.
void expect_one_error_line(const Ended& ended, int exit_code, const std::string& part);

}  // namespace switchyard::test
