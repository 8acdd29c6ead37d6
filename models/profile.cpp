// The models of a machine by key, and how two machines differ.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <switchyard/containers/out_of_memory.hpp>
#include <switchyard/models/profile.hpp>

#include "bandwidth.hpp"

namespace switchyard {

namespace {

/// Spreads the bits of both over all bits of the result.
std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) noexcept {
  constexpr std::uint64_t scatter = 0x9E3779B97F4A7C15U;
  hash = (hash ^ value) * scatter;
  return hash ^ hash >> 32U;
}

std::uint64_t hash_of(const ModelKey& key) noexcept {
  std::uint64_t fields = static_cast<std::uint64_t>(key.operation);
  const auto add = [&](std::uint64_t field) { fields = fields << 8U | (field & 0xFFU); };
  add(static_cast<std::uint64_t>(key.from.space.index()));
  add(static_cast<std::uint64_t>(key.from.format));
  add(static_cast<std::uint64_t>(key.to.space.index()));
  add(static_cast<std::uint64_t>(key.to.format));
  add(static_cast<std::uint64_t>(key.precision));
  add(static_cast<std::uint64_t>(key.operand) << 1U | (key.many_columns ? 1U : 0U));
  std::uint64_t hash = mixed(key.variant.size(), fields);
  for (std::size_t at = 0; at < key.variant.size(); at += sizeof fields) {
    std::uint64_t letters = 0;
    std::memcpy(&letters, key.variant.data() + at,
                std::min(sizeof letters, key.variant.size() - at));
    hash = mixed(hash, letters);
  }
  return hash;
}

std::string differing(std::string_view what, std::string_view profile, std::string_view here) {
  return fmt::format("{} \"{}\", here \"{}\"", what, profile, here);
}

}  // namespace

std::string difference(const Fingerprint& profile, const Fingerprint& here) {
  const std::vector<std::string> all = differences(profile, here);
  return all.empty() ? std::string{} : all.front();
}

std::vector<std::string> differences(const Fingerprint& profile, const Fingerprint& here) {
  std::vector<std::string> all;
  const auto compare = [&all](const auto& what, const std::string& theirs,
                              const std::string& ours) {
    if (theirs != ours) all.push_back(differing(what, theirs, ours));
  };
  compare("processor", profile.cpu, here.cpu);
  if (profile.threads != here.threads) {
    all.push_back(fmt::format("threads {}, here {}", profile.threads, here.threads));
  }
  compare("library version", profile.library_version, here.library_version);
  if (profile.devices.size() != here.devices.size()) {
    all.push_back(fmt::format("devices {}, here {}", profile.devices.size(), here.devices.size()));
  }
  for (std::size_t i = 0; i < std::min(profile.devices.size(), here.devices.size()); ++i) {
    compare(fmt::format("device{}", i), profile.devices[i].name, here.devices[i].name);
    compare(fmt::format("driver of device{}", i), profile.devices[i].driver,
            here.devices[i].driver);
  }
  return all;
}

Profile::Profile(Fingerprint fingerprint, std::vector<CostModel> models)
    : fingerprint_(std::move(fingerprint)), models_(std::move(models)) {
  std::sort(models_.begin(), models_.end(),
            [](const CostModel& a, const CostModel& b) { return a.key < b.key; });
  const auto twin =
      std::adjacent_find(models_.begin(), models_.end(),
                         [](const CostModel& a, const CostModel& b) { return a.key == b.key; });
  if (twin == models_.end()) {
    index_models();
    return;
  }
  throw Error(ErrorCode::InvalidArgument,
              fmt::format("two models of {} {} to {}", name(twin->key.operation),
                          name(twin->key.from), name(twin->key.to)));
}

void Profile::index_models() {
  // At least as many free places as taken ones: a search ends after one or two.
  places_.assign(std::bit_ceil(2 * models_.size() + 1), no_model);
  for (std::size_t k = 0; k < models_.size(); ++k) {
    places_[place_of(models_[k].key)] = static_cast<std::uint32_t>(k);
  }
}

std::size_t Profile::place_of(const ModelKey& key) const noexcept {
  const std::size_t mask = places_.size() - 1;
  std::size_t place = hash_of(key) & mask;
  while (places_[place] != no_model && models_[places_[place]].key != key) {
    place = (place + 1) & mask;
  }
  return place;
}

const CostModel* Profile::find(const ModelKey& key) const noexcept {
  if (places_.empty()) return nullptr;
  const std::uint32_t model = places_[place_of(key)];
  return model == no_model ? nullptr : &models_[model];
}

Profile Profile::with(Fingerprint fingerprint, std::vector<CostModel> models) const {
  Profile other(std::move(fingerprint), std::move(models));
  other.calibrated = calibrated;
  other.created = created;
  other.calibration_seconds = calibration_seconds;
  other.load = load;
  other.file = file;
  return other;
}

bool is_quiet(const CalibrationLoad& load, int threads) noexcept {
  constexpr double most_others = 0.25;  // processors, beyond those that no thread needed
  // Of the samples. Alone, a tenth is disturbed by the threads of an OpenCL device on the
  // processor; above this share the system itself withholds processors, as a container's limit
  // does.
  constexpr double most_disturbed = 0.3;
  const double unused = std::max(load.processors - threads, 0);
  const double taken = std::max(load.others_before, load.others) + load.steal;
  return taken <= unused + most_others && load.disturbed <= most_disturbed;
}

Profile completed_with_builtin(Profile profile, const Profile& builtin) try {
  std::vector<CostModel> models;
  std::map<Space, std::vector<BandwidthLimit>> limits;
  for (const CostModel& model : builtin.models()) {
    if (profile.find(model.key)) continue;
    const Space space = model.key.from.space;
    const bool moves_a_matrix =
        model.key.operation == Operation::Multiply || model.key.operation == Operation::Convert;
    if (moves_a_matrix && !limits.contains(space)) limits[space] = bandwidth_limits(profile, space);
    models.push_back(moves_a_matrix ? limited(model, limits[space]) : model);
    models.back().built_in = true;
  }
  if (models.empty()) return profile;
  models.insert(models.end(), profile.models().begin(), profile.models().end());
  return profile.with(profile.fingerprint(), std::move(models));
} catch (const std::bad_alloc&) {
  throw_out_of_memory();
}

}  // namespace switchyard
