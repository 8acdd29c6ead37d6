// What the commands of the program share: their options, what they leave behind, how they fail.
#pragma once

#include <functional>
#include <string>
#include <switchyard/containers/error.hpp>

namespace CLI {
class App;
}

namespace switchyard::command {

/// What every command can be told.
struct CommonOptions {
  bool json = false;
  bool quiet = false;
  bool verbose = false;
};

/// What a command ends with.
struct Outcome {
  std::string output;        ///< for standard output: all of it, written at once at the end
  std::string failure = {};  ///< `WHAT (WHERE); HINT` where the work failed though output is there
  std::string notes = {};    ///< for standard error, where standard output holds something else
};

/// The words on the command line are off: exit 2, not 1.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& what, const std::string& where = {},
                      const std::string& hint = {})
      : Error(ErrorCode::InvalidArgument, what, where, hint) {}
};

/// The work of one command. Runs after the command line was parsed; throws `Error` and
/// `UsageError`.
using Action = std::function<Outcome(const CommonOptions&)>;

// Each declares a command's options on `app` and returns its work.
[[nodiscard]] Action add_devices(CLI::App& app);
[[nodiscard]] Action add_doctor(CLI::App& app);
[[nodiscard]] Action add_calibrate(CLI::App& app);
[[nodiscard]] Action add_generate(CLI::App& app);
[[nodiscard]] Action add_inspect(CLI::App& app);
[[nodiscard]] Action add_explain(CLI::App& app);
[[nodiscard]] Action add_multiply(CLI::App& app);
[[nodiscard]] Action add_solve(CLI::App& app);
[[nodiscard]] Action add_bench(CLI::App& app);
[[nodiscard]] Action add_report(CLI::App& app);
[[nodiscard]] Action add_completion(CLI::App& app);

}  // namespace switchyard::command
