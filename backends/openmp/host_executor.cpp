// The host as an executor: what it is, and that it is always ready.
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <switchyard/backends/openmp.hpp>
#include <switchyard/containers/group_limits.hpp>
#include <switchyard/containers/threads.hpp>
#include <vector>

namespace switchyard {
namespace {

/// The value of the first line `key : value` of /proc/cpuinfo; "unknown" where there is none.
std::string processor_field(std::string_view key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with(key) && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::size_t system_value(int name) { return static_cast<std::size_t>(std::max(sysconf(name), 0L)); }

/// Of the machine, or as much of it as a container leaves to this process.
std::size_t memory_of_host() {
  const std::size_t all = system_value(_SC_PHYS_PAGES) * system_value(_SC_PAGESIZE);
  const auto limit = memory_limit();
  return limit && *limit < static_cast<double>(all) ? static_cast<std::size_t>(*limit) : all;
}

/// The first word of a file; empty where there is none.
std::string word_in(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

/// The processors that this process may use.
std::vector<int> usable_processors() {
  std::vector<int> processors = processors_of_places();
  if (!processors.empty()) return processors;
  cpu_set_t usable;
  CPU_ZERO(&usable);
  // Fails where the system may have more processors than a set has room for.
  static_cast<void>(sched_getaffinity(0, sizeof usable, &usable));
  for (int k = 0; k < CPU_SETSIZE; ++k) {
    if (CPU_ISSET(static_cast<std::size_t>(k), &usable)) processors.push_back(k);
  }
  return processors;
}

/// Of all last-level caches of the processors that this process may use; in a virtual machine those
/// that it is given, where the C library names all of the processor that it runs on.
std::size_t cache_of_host() {
  std::size_t bytes = 0;
  std::set<std::string> counted;
  for (const int k : usable_processors()) {
    const std::string cache = "/sys/devices/system/cpu/cpu" + std::to_string(k) + "/cache/index3/";
    const std::string sharing = word_in(cache + "shared_cpu_list");
    if (sharing.empty() || !counted.insert(sharing).second) continue;
    // For example 32768K.
    bytes += std::strtoull(word_in(cache + "size").c_str(), nullptr, 10) * 1024;
  }
  return bytes > 0 ? bytes : system_value(_SC_LEVEL3_CACHE_SIZE);
}

/// Clang's version has its name in it, GCC's has not.
std::string compiler() {
  const std::string version = __VERSION__;
  return version.find("lang") == std::string::npos ? "GCC " + version : version;
}

ExecutorFacts host_facts(int threads) {
  ExecutorFacts facts;
  facts.name = processor_field("model name");
  facts.vendor = processor_field("vendor_id");
  facts.driver = "OpenMP, " + compiler();
  facts.memory_bytes = memory_of_host();
  facts.largest_allocation = facts.memory_bytes;
  // Once: a file is read for each processor.
  static const std::size_t cache_bytes = cache_of_host();
  facts.cache_bytes = cache_bytes;
  facts.compute_units = threads > 0 ? std::min(threads, most_threads) : host_threads();
  facts.on_host_processors = true;
  return facts;
}

class HostExecutor final : public Executor {
 public:
  explicit HostExecutor(int threads)
      : Executor(Backend::OpenMP, std::make_shared<HostMemory>(), host_facts(threads)) {}
  [[nodiscard]] bool built(std::string_view, Precision) const override { return true; }
  void build(std::string_view, Precision) override {}
  void finish() override {}
};

/// Before a fork the calling thread's team is sent home, and made again when it is next needed:
/// GCC's OpenMP would leave the child waiting for threads that only its parent has.
void end_team_before_forks() {
  static const int registered =
      pthread_atfork([] { omp_pause_resource_all(omp_pause_soft); }, nullptr, nullptr);
  static_cast<void>(registered);
}

}  // namespace

std::shared_ptr<Executor> make_host_executor(int threads) {
  end_team_before_forks();
  return std::make_shared<HostExecutor>(threads);
}

}  // namespace switchyard
