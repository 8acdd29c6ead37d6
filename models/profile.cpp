// The models of a machine by key, and how two machines differ.
#include <fmt/format.h>

#include <algorithm>
#include <switchyard/models/profile.hpp>

namespace switchyard {

namespace {

std::string differing(std::string_view what, std::string_view profile, std::string_view here) {
  return fmt::format("{} \"{}\", here \"{}\"", what, profile, here);
}

}  // namespace

std::string difference(const Fingerprint& profile, const Fingerprint& here) {
  if (profile.cpu != here.cpu) return differing("processor", profile.cpu, here.cpu);
  if (profile.threads != here.threads) {
    return fmt::format("threads {}, here {}", profile.threads, here.threads);
  }
  if (profile.library_version != here.library_version) {
    return differing("library version", profile.library_version, here.library_version);
  }
  if (profile.devices.size() != here.devices.size()) {
    return fmt::format("devices {}, here {}", profile.devices.size(), here.devices.size());
  }
  for (std::size_t i = 0; i < here.devices.size(); ++i) {
    const Fingerprint::Device& theirs = profile.devices[i];
    const Fingerprint::Device& ours = here.devices[i];
    if (theirs.name != ours.name) {
      return differing(fmt::format("device{}", i), theirs.name, ours.name);
    }
    if (theirs.driver != ours.driver) {
      return differing(fmt::format("driver of device{}", i), theirs.driver, ours.driver);
    }
  }
  return {};
}

Profile::Profile(Fingerprint fingerprint, std::vector<CostModel> models)
    : fingerprint_(std::move(fingerprint)), models_(std::move(models)) {
  std::sort(models_.begin(), models_.end(),
            [](const CostModel& a, const CostModel& b) { return a.key < b.key; });
  const auto twin =
      std::adjacent_find(models_.begin(), models_.end(),
                         [](const CostModel& a, const CostModel& b) { return a.key == b.key; });
  if (twin == models_.end()) return;
  throw Error(ErrorCode::InvalidArgument,
              fmt::format("two models of {} {} to {}", name(twin->key.operation),
                          name(twin->key.from), name(twin->key.to)));
}

const CostModel* Profile::find(const ModelKey& key) const noexcept {
  const auto found =
      std::lower_bound(models_.begin(), models_.end(), key,
                       [](const CostModel& model, const ModelKey& k) { return model.key < k; });
  return found != models_.end() && found->key == key ? &*found : nullptr;
}

}  // namespace switchyard
