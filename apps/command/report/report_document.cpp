// Putting a report's parts together, in a size that a page can hold.
#include "report_document.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <switchyard/core/version.hpp>

#include "decisions_file.hpp"
#include "model_views.hpp"
#include "state_map.hpp"
#include "state_prices.hpp"

namespace switchyard::command::report {
namespace {

// A number takes three bytes (packed_json.hpp), and the page shall have less than 2 MB.
constexpr std::size_t most_map_numbers = 80'000;
constexpr std::size_t most_surface_numbers = 60'000;
constexpr std::size_t most_points = 72'000;
constexpr std::size_t finest = 525;

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

/// As fine as the number of states and models allows.
Grid grid_for(const Profile& profile) {
  const std::vector<State> states = states_of(profile);
  const std::size_t numbers = 2 * states.size() * (starts_among(states).size() + 1);
  const std::size_t models = profile.models().size();
  return report_grid(std::min({finest, most_map_numbers / std::max<std::size_t>(numbers, 1),
                               most_surface_numbers / std::max<std::size_t>(models, 1)}));
}

Json machine_json(const Profile& profile) {
  const Fingerprint& fingerprint = profile.fingerprint();
  Json devices = Json::array();
  for (std::size_t k = 0; k < fingerprint.devices.size(); ++k) {
    devices.push_back({{"space", name(Space::device(static_cast<int>(k)))},
                       {"name", fingerprint.devices[k].name},
                       {"driver", fingerprint.devices[k].driver}});
  }
  return {{"cpu", fingerprint.cpu},
          {"threads", fingerprint.threads},
          {"library_version", fingerprint.library_version},
          {"devices", devices},
          {"profile", std::filesystem::path(profile.file).filename().string()},
          {"created", profile.created},
          {"calibrated", profile.calibrated},
          {"calibration_seconds", brief(profile.calibration_seconds)}};
}

}  // namespace

Json report_document(const Profile& profile,
                     const std::optional<std::filesystem::path>& decisions) {
  if (states_of(profile).empty()) {
    throw Error(ErrorCode::Unsupported, "there is nothing to report: no product has a model",
                profile.file, "'switchyard calibrate' makes a profile");
  }
  const Grid grid = grid_for(profile);
  Json document{{"schema_version", schema_version},
                {"switchyard", library_version},
                {"made", utc_now()},
                {"machine", machine_json(profile)},
                {"decisions", decisions ? decisions_view(*decisions) : Json()}};
  document["map"] = state_map(profile, grid);
  document["turning_points"] = turning_points(profile, grid);
  document.update(model_views(profile, grid, most_points));
  return document;
}

}  // namespace switchyard::command::report
