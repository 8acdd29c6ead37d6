// What `bench` is where it was left out of the build.
#include <CLI/CLI.hpp>

#include "command/command.hpp"

namespace switchyard::command {

Action add_bench(CLI::App& app) {
  app.allow_extras();
  return [](const CommonOptions&) -> Outcome {
    throw Error(ErrorCode::Unsupported, "this command was built without it", "bench",
                "configure with -DSWITCHYARD_BUILD_BENCH=ON");
  };
}

}  // namespace switchyard::command
