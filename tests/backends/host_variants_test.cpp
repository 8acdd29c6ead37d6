// How many threads the host's variants of a product use, and which of them are candidates.
#include <gtest/gtest.h>

#include <string>
#include <switchyard/backends/openmp.hpp>
#include <switchyard/backends/operations.hpp>
#include <vector>

#include "openmp/team.hpp"

namespace switchyard {
namespace {

TEST(HostVariants, AreCandidatesOnlyWhereTheyDiffer) {
  const auto suited = [](int processors) {
    ExecutorFacts facts;
    facts.compute_units = processors;
    std::vector<std::string> variants;
    for (const auto& operation : multiply_operations<float>()) {
      if (operation.backend != Backend::OpenMP || operation.format != Format::Csr) continue;
      if (!operation.computes(Request{})) continue;
      if (operation.suited(facts, Structure{})) variants.emplace_back(operation.variant);
    }
    return variants;
  };
  EXPECT_EQ(suited(1), (std::vector<std::string>{"balanced"}));
  EXPECT_EQ(suited(2), (std::vector<std::string>{"serial", "balanced"}));
  EXPECT_EQ(suited(16), (std::vector<std::string>{"serial", "half", "balanced"}));
}

TEST(HostVariants, UseAsManyThreadsAsTheySay) {
  EXPECT_EQ(find_multiply<float>(Format::Csr, Backend::OpenMP, "serial")->threads, Threads::One);
  const ExecutorFacts six = make_host_executor(6)->facts();
  EXPECT_EQ(openmp::team_size(six, Threads::One), 1);
  EXPECT_EQ(openmp::team_size(six, Threads::Half), 3);
  EXPECT_EQ(openmp::team_size(six, Threads::All), 6);
  const ExecutorFacts one = make_host_executor(1)->facts();
  EXPECT_EQ(openmp::team_size(one, Threads::Half), 1) << "one thread at least";
}

}  // namespace
}  // namespace switchyard
