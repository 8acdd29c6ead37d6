// A host whose results are always larger than its caches.
#pragma once

#include <switchyard/backends/executor.hpp>

namespace switchyard::testing {

/// The host, were its caches as small as can be: what is written goes past them.
class WithoutCaches final : public Executor {
 public:
  explicit WithoutCaches(const Executor& host)
      : Executor(Backend::OpenMP, host.memory(), without_caches(host.facts())) {}
  [[nodiscard]] bool built(std::string_view, Precision) const override { return true; }
  void build(std::string_view, Precision) override {}
  void finish() override {}

 private:
  static ExecutorFacts without_caches(ExecutorFacts facts) {
    facts.cache_bytes = 1;
    return facts;
  }
};

}  // namespace switchyard::testing
