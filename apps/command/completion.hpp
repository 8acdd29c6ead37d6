// Scripts that complete the words of a command line, made from the parser's own commands.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace switchyard::command {

/// For bash: commands, their options, and the values that are words. Files are left to bash.
[[nodiscard]] std::string bash_completion(const CLI::App& program);

}  // namespace switchyard::command
