// Opening the machine, and sharing it out.
#include "runtime_state.hpp"

#include <algorithm>
#include <switchyard/backends/opencl.hpp>
#include <switchyard/backends/openmp.hpp>
#include <switchyard/core/version.hpp>
#include <utility>

#include "builtin_models.hpp"
#include "profile_store.hpp"

namespace switchyard {
namespace {

// Of what is there, so that a matrix never pushes out the program that uses it.
constexpr double host_share = 0.8;
constexpr double device_share = 0.9;
constexpr double shared_memory_share = 0.4;  // of a device that computes in the host's own memory

std::size_t default_budget(const ExecutorFacts& facts, bool is_host) {
  const double share = is_host                    ? host_share
                       : facts.shares_host_memory ? shared_memory_share
                                                  : device_share;
  return static_cast<std::size_t>(share * static_cast<double>(facts.memory_bytes));
}

std::vector<std::shared_ptr<Executor>> open_executors(const RuntimeOptions& options) {
  std::vector<std::shared_ptr<Executor>> executors{make_host_executor(options.threads)};
  for (auto& device : open_opencl_devices(options.devices)) executors.push_back(std::move(device));
  for (const auto& executor : executors) {
    const bool is_host = executor->space().is_host();
    const auto& asked = is_host ? options.host_budget : options.device_budget;
    executor->memory()->set_budget(asked.value_or(default_budget(executor->facts(), is_host)));
  }
  return executors;
}

Fingerprint fingerprint_of(const std::vector<std::shared_ptr<Executor>>& executors) {
  Fingerprint fingerprint;
  fingerprint.cpu = executors.front()->facts().name;
  fingerprint.threads = executors.front()->facts().compute_units;
  fingerprint.library_version = library_version;
  for (std::size_t i = 1; i < executors.size(); ++i) {
    fingerprint.devices.push_back({executors[i]->facts().name, executors[i]->facts().driver});
  }
  return fingerprint;
}

/// What one thread has done with vectors for the runtime of that number. A thread that uses two
/// runtimes in turn begins anew each time.
struct ThreadWork {
  std::uint64_t runtime = 0;
  VectorWork work;
};
thread_local ThreadWork thread_work;

VectorWork& work_for(std::uint64_t runtime) noexcept {
  if (thread_work.runtime != runtime) thread_work = {runtime, {}};
  return thread_work.work;
}

std::atomic<std::uint64_t> runtimes_made{0};

}  // namespace

RuntimeState::RuntimeState(const RuntimeOptions& options)
    : number_(++runtimes_made),
      executors_(open_executors(options)),
      fingerprint_(fingerprint_of(executors_)),
      config_home_(options.config_home),
      builtin_(builtin_models(fingerprint_, executors_)),
      reproducible_(options.reproducible),
      trace_(options.trace),
      set_aside_(executors_.size()) {
  auto choice = choose_profile(options, fingerprint_, builtin_);
  profile_ = std::make_shared<const Profile>(std::move(choice.profile));
  corrected_ = profile_;
  profile_problem_ = std::move(choice.problem);
  if (!profile_problem_.empty()) {
    // A profile that was asked for by name and is not used is worth more than a hint, and so is a
    // damaged one.
    const bool worse = options.profile || choice.damaged;
    const LogLevel level = worse ? LogLevel::Warning : LogLevel::Info;
    log(level, profile_problem_ + "; planning with the built-in models");
  }
}

Executor* RuntimeState::executor(Space space) const noexcept {
  const auto index = static_cast<std::size_t>(space.index());
  return index < executors_.size() ? executors_[index].get() : nullptr;
}

void RuntimeState::note_vector_work(const VectorWork& work) const noexcept {
  VectorWork& sum = work_for(number_);
  sum.operations += work.operations;
  sum.sums += work.sums;
  sum.bytes += work.bytes;
}

VectorWork RuntimeState::take_vector_work() const noexcept {
  return std::exchange(work_for(number_), {});
}

std::shared_ptr<const Profile> RuntimeState::profile() const {
  const std::lock_guard lock(mutex_);
  return profile_;
}

std::shared_ptr<const Profile> RuntimeState::corrected_profile() const {
  const std::lock_guard lock(mutex_);
  return corrected_;
}

void RuntimeState::learn(const ModelKey& key, const Features& features, double seconds) {
  std::optional<std::string> drift;
  {
    const std::lock_guard lock(mutex_);
    drift = learnt(key, features, seconds);
  }
  // Whoever is told may ask the runtime.
  if (drift) log(LogLevel::Warning, *drift);
}

std::optional<std::string> RuntimeState::learnt(const ModelKey& key, const Features& features,
                                                double seconds) {
  const CostModel* const model = profile_->find(key);
  if (!model) return std::nullopt;
  const double predicted = model->predict(features).seconds;
  if (residuals_.learn(key, seconds / predicted)) {
    corrected_ = std::make_shared<const Profile>(residuals_.corrected(*profile_));
    ++version_;
  }
  // Built-in models are not measured, so there is no accuracy to fall short of.
  const bool is_calibrated = profile_->calibrated && !model->built_in;
  return is_calibrated ? residuals_.drift(key, model->quality.p95_error) : std::nullopt;
}

std::string RuntimeState::profile_problem() const {
  const std::lock_guard lock(mutex_);
  return profile_problem_;
}

void RuntimeState::use_profile(Profile profile) {
  if (!knows_products(profile)) {
    throw Error(ErrorCode::ProfileMismatch, "the profile has no model of a multiplication",
                profile.file, "calibrate again");
  }
  const std::lock_guard lock(mutex_);
  profile_ = std::make_shared<const Profile>(std::move(profile));
  corrected_ = profile_;
  residuals_.clear();
  profile_problem_.clear();
  ++version_;
}

std::vector<SpaceOutlook> RuntimeState::outlook(Precision precision,
                                                const Structure& structure) const {
  const std::lock_guard lock(mutex_);
  std::vector<SpaceOutlook> spaces;
  for (std::size_t i = 0; i < executors_.size(); ++i) {
    const Executor& executor = *executors_[i];
    SpaceOutlook outlook = outlook_of(executor, precision, structure);
    outlook.why_not = set_aside_[i];
    if (!executor.supports(precision)) outlook.why_not = "the device has no double precision";
    outlook.usable = outlook.why_not.empty();
    spaces.push_back(std::move(outlook));
  }
  return spaces;
}

void RuntimeState::set_aside(Space space, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  auto& entry = set_aside_[static_cast<std::size_t>(space.index())];
  if (space.is_host() || !entry.empty()) return;
  entry = "set aside: " + reason;
  ++version_;
  log(LogLevel::Error, name(space) + " is set aside: " + reason);
}

std::string RuntimeState::set_aside_reason(Space space) const {
  const std::lock_guard lock(mutex_);
  const auto index = static_cast<std::size_t>(space.index());
  return index < set_aside_.size() ? set_aside_[index] : std::string{};
}

void RuntimeState::enroll(const std::shared_ptr<CopyHolder>& holder) {
  const std::lock_guard lock(mutex_);
  std::erase_if(holders_, [](const auto& weak) { return weak.expired(); });
  holders_.push_back(holder);
}

std::vector<std::shared_ptr<CopyHolder>> RuntimeState::holders() {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<CopyHolder>> alive;
  for (const auto& weak : holders_) {
    if (auto holder = weak.lock()) alive.push_back(std::move(holder));
  }
  return alive;
}

void RuntimeState::retire(const Counters& counters) noexcept {
  const std::lock_guard lock(mutex_);
  retired_ += counters;
}

Counters RuntimeState::counters() const {
  Counters sum;
  std::vector<std::shared_ptr<CopyHolder>> alive;
  {
    const std::lock_guard lock(mutex_);
    sum = retired_;
    for (const auto& weak : holders_) {
      if (auto holder = weak.lock()) alive.push_back(std::move(holder));
    }
  }
  // Each has a lock of its own, which a conversion may hold for long.
  for (const auto& holder : alive) sum += holder->counters();
  return sum;
}

bool RuntimeState::make_room(Space space, std::size_t bytes) {
  const auto& memory = executor(space)->memory();
  const auto candidates = holders();
  while (memory->available() < bytes) {
    CopyHolder* oldest = nullptr;
    std::uint64_t oldest_use = 0;
    for (const auto& holder : candidates) {
      const auto use = holder->oldest_spare(space);
      if (use && (!oldest || *use < oldest_use)) {
        oldest = holder.get();
        oldest_use = *use;
      }
    }
    if (!oldest || !oldest->drop_oldest_spare(space)) return false;
  }
  return true;
}

}  // namespace switchyard
