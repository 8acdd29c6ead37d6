// The host as an executor: what it is, and that it is always ready.
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <switchyard/backends/openmp.hpp>

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

ExecutorFacts host_facts() {
  ExecutorFacts facts;
  facts.name = processor_field("model name");
  facts.vendor = processor_field("vendor_id");
  facts.driver = "OpenMP, compiled by " + std::string(__VERSION__);
  facts.memory_bytes = system_value(_SC_PHYS_PAGES) * system_value(_SC_PAGESIZE);
  facts.largest_allocation = facts.memory_bytes;
  facts.cache_bytes = system_value(_SC_LEVEL3_CACHE_SIZE);
  facts.compute_units = omp_get_max_threads();
  return facts;
}

class HostExecutor final : public Executor {
 public:
  HostExecutor() : Executor(Backend::OpenMP, std::make_shared<HostMemory>(), host_facts()) {}
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

std::shared_ptr<Executor> make_host_executor() {
  end_team_before_forks();
  return std::make_shared<HostExecutor>();
}

}  // namespace switchyard
