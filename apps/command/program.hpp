// The program as a whole, apart from its `main`, so that tests can parse words without working.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"

namespace switchyard::command {

/// The parser, and the work of each command.
struct Program {
  CLI::App app{
      "Matrix-vector products (SpMV, GEMV) in the format and on the device predicted to be "
      "fastest.",
      "switchyard"};
  CommonOptions common;
  std::vector<Action> actions;
};

/// Adds every command with its options.
void declare(Program& program);

/// Parses the words, of which the first is the program's name. Throws `UsageError`, and
/// nothing else whatever they are; returns the text asked for instead of work, if any.
[[nodiscard]] std::optional<std::string> parse(Program& program, int argc, char** argv);

/// Parses, works, and writes to the standard streams; returns the exit code.
[[nodiscard]] int run(int argc, char** argv);

}  // namespace switchyard::command
