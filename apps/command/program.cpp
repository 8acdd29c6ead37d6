// Finds the command asked for, runs it, and turns errors into exit codes.
#include "program.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <switchyard/containers/log.hpp>
#include <switchyard/core/options.hpp>
#include <switchyard/core/version.hpp>
#include <system_error>

#include "output.hpp"
#include "suggestion.hpp"

namespace switchyard::command {
namespace {

constexpr int done = 0;
constexpr int failed = 1;
constexpr int words_off = 2;

/// A command as the program knows it.
struct Command {
  const char* name;
  const char* what;
  const char* usage;  ///< what follows the name
  Action (*add)(CLI::App& app);
};

constexpr std::array commands{
    Command{"devices", "Show the host, every OpenCL device, and which profile fits", "[options]",
            &add_devices},
    Command{"doctor", "Check devices, profile, threads and memory, and say what to do", "[options]",
            &add_doctor},
    Command{"calibrate", "Measure this machine and write its profile",
            "[--quick|--thorough] [options]", &add_calibrate},
    Command{"generate", "Write a matrix with a real problem's structure to a file",
            "KIND --rows N --output FILE [options]", &add_generate},
    Command{"inspect", "Show a matrix's shape, its row lengths and its bytes in each format",
            "MATRIX [options]", &add_inspect},
    Command{"explain", "Show the plan for a matrix and the alternatives, with predicted times",
            "MATRIX [--calls K] [options]", &add_explain},
    Command{"multiply", "Multiply a matrix with a vector, measure the time and check the result",
            "MATRIX [--calls K] [options]", &add_multiply},
    Command{"solve", "Solve A x = b, or find an eigenvector, with an iterative method",
            "MATRIX [--method METHOD] [options]", &add_solve},
    Command{
        "bench",
        "Measure operations against peak bandwidth, and decisions against the best in hindsight",
        "[kernels|conversions|transfers|callers|programs|decisions] [--peers] [options]",
        &add_bench},
    Command{"report", "Write a page that shows the models, their decisions and their accuracy",
            "[PROFILE] [--output FILE.html] [--decisions BENCH.json]", &add_report},
    Command{"completion", "Print a script that completes words in a shell", "SHELL",
            &add_completion},
};

/// The place of the command asked for, or the number of commands.
std::size_t chosen(const Program& program) {
  std::size_t i = 0;
  while (i < commands.size() && !program.app.got_subcommand(commands[i].name)) ++i;
  return i;
}

void add_common(CLI::App& app, CommonOptions& common) {
  app.add_flag("--json", common.json, "print one JSON document instead of text");
  app.add_flag("--quiet", common.quiet, "print no progress and no warnings");
  app.add_flag("--verbose", common.verbose, "print more details");
  app.set_help_flag("--help,-h", "print this help");
}

std::vector<std::string> command_names() {
  std::vector<std::string> names{"help"};
  for (const Command& command : commands) names.emplace_back(command.name);
  return names;
}

/// The long names, without dashes, of the options that the command asked for, or the program,
/// takes.
std::vector<std::string> option_names(const Program& program) {
  const std::size_t i = chosen(program);
  const CLI::App* const app =
      i == commands.size() ? &program.app : program.app.get_subcommand(commands[i].name);
  std::vector<std::string> names;
  for (const CLI::Option* option : app->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  }
  return names;
}

UsageError unknown_command(const std::string& word) {
  return UsageError("unknown command '" + word + "'", {}, did_you_mean(word, command_names()));
}

/// The error for words that nothing takes.
UsageError unknown_word(const Program& program) {
  const auto words = program.app.remaining(true);
  const std::string word = words.empty() ? "" : words.front();
  if (word.starts_with('-')) {
    const std::string bare = word.substr(std::min(word.find_first_not_of('-'), word.size()));
    const std::string option = nearest(bare.substr(0, bare.find('=')), option_names(program));
    return UsageError("unknown option '" + word + "'", {},
                      option.empty() ? "" : "did you mean '--" + option + "'?");
  }
  if (chosen(program) == commands.size()) return unknown_command(word);
  return UsageError("unexpected word '" + word + "'");
}

/// The variables that are read, a few to the line.
std::string environment_words() {
  constexpr std::size_t width = 78;
  std::string text = "Environment:";
  std::size_t begin = 0;
  for (const std::string_view name : environment_variables()) {
    const bool fits = text.size() - begin + 1 + name.size() < width;
    if (!fits) begin = text.size() + 1;
    text += fits ? " " : "\n";
    text += std::string(name) + ',';
  }
  text.back() = '.';
  return text;
}

}  // namespace

void declare(Program& program) {
  add_common(program.app, program.common);
  program.app.set_version_flag("--version", "switchyard " + std::string(library_version),
                               "print the version");
  program.app.require_subcommand(0, 1);
  program.app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  program.app.get_formatter()->label("Subcommands", "Commands");
  program.app.get_formatter()->label("REQUIRED", "");
  program.app.footer("'switchyard help COMMAND' describes one command and its options.\n" +
                     environment_words());
  for (const Command& command : commands) {
    CLI::App& app = *program.app.add_subcommand(command.name, command.what);
    program.actions.push_back(command.add(app));
    add_common(app, program.common);
  }
}

namespace {

/// The words after the program's name, the last one first as the parser takes them.
/// `help` and `help COMMAND` become `--help` and `COMMAND --help`.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    const auto known = command_names();
    // The parser would answer with the program's own help.
    const bool unknown = !words.empty() && !words.front().starts_with('-') &&
                         std::ranges::find(known, words.front()) == known.end();
    if (unknown) throw unknown_command(words.front());
    words.emplace_back("--help");
  }
  std::ranges::reverse(words);
  return words;
}

/// The parser's "--calls: 1 required N missing" and "--rows: At Most 1 required but received 2".
std::string in_plain_words(const std::string& message) {
  const std::string option = message.substr(0, message.find(':'));
  if (message.ends_with(" missing")) return option + " needs a value";
  if (message.find("At Most 1 required") != std::string::npos) {
    return option + " is given more than once";
  }
  return message;
}

}  // namespace

std::optional<std::string> parse(Program& program, int argc, char** argv) {
  try {
    program.app.parse(words_of(argc, argv));
  } catch (const CLI::CallForHelp&) {
    return program.app.help();
  } catch (const CLI::CallForVersion& version) {
    return version.what() + std::string("\n");
  } catch (const CLI::ExtrasError&) {
    throw unknown_word(program);
  } catch (const CLI::ArgumentMismatch& error) {
    throw UsageError(in_plain_words(error.what()));
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  if (chosen(program) == commands.size()) throw UsageError("no command is given");
  if (program.common.quiet && program.common.verbose) {
    throw UsageError("--quiet and --verbose exclude each other");
  }
  return std::nullopt;
}

namespace {

/// SWITCHYARD_LOG says what is wanted; the command line can only narrow or widen that.
void set_up_log(const CommonOptions& common) {
  LogLevel level = log_level_from_environment().value_or(LogLevel::Warning);
  if (common.quiet) level = std::max(level, LogLevel::Error);
  if (common.verbose) level = std::min(level, LogLevel::Info);
  set_log_level(level);
}

Outcome work(Program& program, int argc, char** argv) {
  if (auto text = parse(program, argc, argv)) return {std::move(*text)};
  set_up_log(program.common);
  return program.actions[chosen(program)](program.common);
}

std::string usage_of(const Program& program) {
  const std::size_t i = chosen(program);
  if (i == commands.size()) return "usage: switchyard COMMAND [options]; see switchyard --help";
  return std::string("usage: switchyard ") + commands[i].name + " " + commands[i].usage;
}

/// How the program fails: its exit code, and the error on standard error and, where a JSON document
/// is wanted and none was made, as that document.
struct Failure {
  int exit_code = failed;
  std::string message;
  std::string_view code = name(ErrorCode::Internal);
  std::string where = {};
};

int fail(const Failure& failure, bool as_json) {
  if (as_json) {
    const Json where = failure.where.empty() ? Json(nullptr) : Json(failure.where);
    const Json document{{"error",
                         {{"code", failure.code},
                          {"message", failure.message},
                          {"where", where},
                          {"exit_code", failure.exit_code}}}};
    // The line below says what failed; that the document cannot be written either adds nothing.
    static_cast<void>(write_output(json_text(document)));
  }
  write_error(failure.message);
  return failure.exit_code;
}

/// Whether the words ask for JSON, also where they could not be parsed.
bool wants_json(int argc, char** argv) {
  return std::any_of(argv + std::min(argc, 1), argv + argc,
                     [](std::string_view word) { return word == "--json"; });
}

int finish(const Outcome& outcome, bool as_json) {
  write_diagnostic(outcome.notes);
  if (!outcome.failure.empty() && outcome.output.empty()) {
    return fail({.message = outcome.failure}, as_json);
  }
  if (!write_output(outcome.output)) {
    // A reader that has seen enough, like head, needs no words about it.
    if (errno != EPIPE) {
      write_error("standard output cannot be written: " + std::generic_category().message(errno));
    }
    return failed;
  }
  if (outcome.failure.empty()) return done;
  write_error(outcome.failure);
  return failed;
}

}  // namespace

int run(int argc, char** argv) {
  prepare_streams();
  Program program;
  declare(program);
  if (argc <= 1) {
    write_diagnostic(program.app.help());
    return words_off;
  }
  const bool as_json = wants_json(argc, argv);
  try {
    return finish(work(program, argc, argv), as_json);
  } catch (const UsageError& error) {
    return fail(
        {words_off, error.what() + ("; " + usage_of(program)), name(error.code()), error.where()},
        as_json);
  } catch (const Error& error) {
    return fail({failed, error.what(), name(error.code()), error.where()}, as_json);
  } catch (const std::bad_alloc&) {
    return fail({failed, "out of memory", name(ErrorCode::OutOfMemory)}, as_json);
  } catch (const std::exception& error) {
    return fail({.message = error.what()}, as_json);
  } catch (...) {
    return fail({.message = "an unknown failure"}, as_json);
  }
}

}  // namespace switchyard::command
