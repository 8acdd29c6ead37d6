// `switchyard devices`: what there is to compute with.
#include <CLI/CLI.hpp>

#include "activity.hpp"
#include "command.hpp"
#include "devices_report.hpp"

namespace switchyard::command {

Action add_devices(CLI::App&) {
  return [](const CommonOptions& common) -> Outcome {
    Activity activity(!common.quiet);
    activity.now("opening the devices");
    const auto options = RuntimeOptions::from_environment();
    const Runtime runtime(options);
    const std::string place = profile_place(runtime, options);
    if (common.json) return {json_text(devices_document(runtime, place))};
    return {devices_text(runtime, place)};
  };
}

}  // namespace switchyard::command
