// What is assumed of a machine that nobody has calibrated.
#include "builtin_models.hpp"

#include <algorithm>
#include <iterator>
#include <switchyard/backends/operations.hpp>
#include <switchyard/models/builtin.hpp>

namespace switchyard {
namespace {

/// Usual figures of 2020s hardware, each within a factor of two or so: a server's memory gives a
/// core some 15 GB/s and a socket some 80, caches 25 and more lines of x each, a discrete GPU has
/// 1 TB/s behind 12 GB/s of PCI Express.
/// Waking a hot team takes 0.4 us for two threads and 3 us for fifteen.
SpaceFigures figures_of(const Executor& executor, Threads threads) {
  const ExecutorFacts& facts = executor.facts();
  const auto all = static_cast<double>(std::max(facts.compute_units, 1));
  const double cores = threads == Threads::All    ? all
                       : threads == Threads::Half ? std::max(all / 2, 1.0)
                                                  : 1.0;
  SpaceFigures figures;
  if (facts.is_gpu) {
    figures.bytes_per_second = facts.shares_host_memory ? 5e10 : 1e12;
    figures.gathers_per_second = figures.bytes_per_second / 32;
    figures.launch_seconds = 1e-5;
    figures.link_bytes_per_second = facts.shares_host_memory ? 2e10 : 1.2e10;
    figures.link_seconds = 2e-5;
    figures.build_seconds = 0.2;
    figures.row_step_seconds = gpu_row_step_seconds;
    return figures;
  }
  figures.bytes_per_second = std::min(1.5e10 * cores, 8e10);
  figures.gathers_per_second = 3e8 * cores;
  figures.launch_seconds = executor.space().is_host() ? 2e-7 * cores : 3e-5;
  figures.link_bytes_per_second = 8e9;
  figures.link_seconds = 5e-6;
  figures.build_seconds = executor.space().is_host() ? 0 : 0.2;
  figures.cache_bytes = static_cast<double>(facts.cache_bytes);
  figures.cached_bytes_per_second = 2.5e10 * cores;
  figures.cached_gathers_per_second = 1e9 * cores;
  return figures;
}

/// A request that the model is for.
Request request_of(const ModelKey& key) { return {key.operand, key.many_columns ? 2 : 1}; }

template <Element T>
void add_keys(std::vector<ModelKey>& keys, const Executor& executor) {
  constexpr Precision precision = precision_of<T>;
  const Space space = executor.space();
  std::vector<std::string_view> programs;
  for (const auto& operation : multiply_operations<T>()) {
    if (operation.backend != executor.backend()) continue;
    keys.push_back(
        multiply_key({space, operation.format}, operation.request(), precision, operation.variant));
    programs.push_back(operation.program);
  }
  for (const auto& operation : convert_operations<T>()) {
    if (operation.backend != executor.backend()) continue;
    keys.push_back(convert_key(operation.from, operation.to, space, precision));
    programs.push_back(operation.program);
  }
  std::ranges::sort(programs);
  programs.erase(std::ranges::unique(programs).begin(), programs.end());
  for (const auto program : programs) {
    if (!program.empty()) keys.push_back(build_key(space, precision, program));
  }
}

}  // namespace

Threads threads_of(const ModelKey& key) {
  if (key.operation != Operation::Multiply || !key.from.space.is_host()) return Threads::All;
  const auto* const kernel =
      find_multiply<float>(key.from.format, Backend::OpenMP, key.variant, request_of(key));
  return kernel ? kernel->threads : Threads::All;
}

std::vector<ModelKey> operation_keys(const std::vector<std::shared_ptr<Executor>>& executors) {
  std::vector<ModelKey> keys;
  for (const auto& executor : executors) {
    add_keys<float>(keys, *executor);
    if (executor->supports(Precision::Double)) add_keys<double>(keys, *executor);
    if (executor->space().is_host()) continue;
    keys.push_back(transfer_key(Space::host(), executor->space()));
    keys.push_back(transfer_key(executor->space(), Space::host()));
  }
  return keys;
}

Profile builtin_models(const Fingerprint& fingerprint,
                       const std::vector<std::shared_ptr<Executor>>& executors) {
  const std::vector<ModelKey> keys = operation_keys(executors);
  std::vector<CostModel> models;
  for (const Threads threads : {Threads::One, Threads::Half, Threads::All}) {
    std::vector<ModelKey> of_threads;
    std::ranges::copy_if(keys, std::back_inserter(of_threads),
                         [&](const ModelKey& key) { return threads_of(key) == threads; });
    std::vector<SpaceFigures> figures;
    for (const auto& executor : executors) figures.push_back(figures_of(*executor, threads));
    const Profile part = builtin_profile(fingerprint, of_threads, figures);
    models.insert(models.end(), part.models().begin(), part.models().end());
  }
  Profile profile(fingerprint, std::move(models));
  profile.calibrated = false;
  return profile;
}

}  // namespace switchyard
