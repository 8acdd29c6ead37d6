// How many threads run at once, and where: what the user asked for, else what the system allows.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <switchyard/containers/group_limits.hpp>
#include <switchyard/containers/threads.hpp>

namespace switchyard {
namespace {

int allowed_threads() noexcept try {
  const auto limit = processor_limit();
  return limit && *limit < most_threads ? static_cast<int>(std::ceil(*limit)) : most_threads;
} catch (const std::exception&) {
  return most_threads;
}

}  // namespace

int host_threads() noexcept {
  // OpenMP has read OMP_NUM_THREADS and the affinity mask, but knows no limit of a container.
  static const bool is_asked_for = std::getenv("OMP_NUM_THREADS") != nullptr;
  static const int allowed = allowed_threads();
  const int threads = omp_get_max_threads();
  const bool is_default = !is_asked_for && threads == omp_get_num_procs();
  return std::clamp(is_default ? std::min(threads, allowed) : threads, 1, most_threads);
}

std::vector<int> processors_of_places() {
  std::vector<int> processors;
  for (int place = 0; place < omp_get_num_places(); ++place) {
    std::vector<int> ids(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, ids.data());
    processors.insert(processors.end(), ids.begin(), ids.end());
  }
  std::ranges::sort(processors);
  processors.erase(std::ranges::unique(processors).begin(), processors.end());
  return processors;
}

}  // namespace switchyard
