// `switchyard completion`: what a shell needs to complete the words of a command line.
#include "completion.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <switchyard/containers/formats.hpp>

#include "command.hpp"

namespace switchyard::command {
namespace {

/// The words that a value can be, by the name that --help gives to it; empty for files and numbers,
/// which the shell completes as it does elsewhere.
std::string words_of_type(const std::string& type) {
  if (type == "TYPE") return "float double";
  if (type == "METHOD") return "cg bicgstab gmres power pagerank";
  if (type == "KIND") return "uniform banded poisson2d poisson3d powerlaw pruned";
  if (type == "BENCHMARK") return "kernels conversions transfers callers programs decisions";
  if (type == "SHELL") return "bash";
  if (type == "SPACE") return "host device0";
  if (type != "STATE") return {};
  std::string words = "auto";
  for (const FormatFacts& facts : format_table) {
    words += fmt::format(" {0}@host {0}@device0", facts.name);
  }
  return words;
}

std::vector<const CLI::App*> commands_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> long_names(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) text += std::string(text.empty() ? "" : separator) + word;
  return text;
}

/// What bash is to know of one command: a branch of the script's `case`.
std::string branch(const CLI::App& command) {
  std::vector<std::string> options;
  std::string values;
  std::string words;
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string> names = long_names(*option);
    options.insert(options.end(), names.begin(), names.end());
    if (names.empty()) words = words_of_type(option->get_name());
    if (names.empty() || option->get_items_expected_max() == 0) continue;
    values += fmt::format("        {}) words='{}' value=yes ;;\n", joined(names, " | "),
                          words_of_type(option->get_type_name()));
  }
  std::string text = fmt::format("    {})\n      options='{}' words='{}'\n", command.get_name(),
                                 joined(options, " "), words);
  if (!values.empty()) text += "      case $before in\n" + values + "      esac\n";
  return text + "      ;;\n";
}

constexpr auto script_begin =
    R"(# Completes the words of switchyard in bash. Made by 'switchyard completion bash'.
_switchyard() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= value= i
  # bash takes the sign in --option=value for a word.
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i]} != -* ]]; then command=${COMP_WORDS[i]}; break; fi
  done
  local options words
  case $command in
)";

constexpr auto script_end = R"(    *) return ;;
  esac
  if [[ $word == -* && -z $value ]]; then words=$options; fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o bashdefault -o default -F _switchyard switchyard
)";

}  // namespace

std::string bash_completion(const CLI::App& program) {
  std::vector<std::string> names{"help"};
  std::string branches;
  for (const CLI::App* command : commands_of(program)) {
    names.push_back(command->get_name());
    branches += branch(*command);
  }
  std::vector<std::string> options;
  for (const CLI::Option* option : program.get_options()) {
    for (const std::string& name : long_names(*option)) options.push_back(name);
  }
  const std::string all = joined(names, " ");
  return fmt::format("{}    '') options='{}' words='{}' ;;\n    help) options= words='{}' ;;\n{}{}",
                     script_begin, joined(options, " "), all, all, branches, script_end);
}

Action add_completion(CLI::App& app) {
  const auto parse = [](const std::string& shell) {
    if (shell == "bash") return;
    throw UsageError("'" + shell + "' is no shell that words are completed in", "SHELL",
                     "bash is; zsh takes the same after 'bashcompinit'");
  };
  app.add_option_function<std::string>("SHELL", parse, "bash")->type_name("")->required();
  return [&app](const CommonOptions&) -> Outcome { return {bash_completion(*app.get_parent())}; };
}

}  // namespace switchyard::command
