// Without an OpenCL platform or device, and with a device of little memory: each test is a process
// of its own, since loaders and drivers look at the environment once.
#include <sys/wait.h>

#include <cstdlib>

#include "faults/faulty_device.hpp"

namespace switchyard::testing {
namespace {

/// The exit status of this program's test `Alone.<name>` under those settings.
int run_alone(const std::string& name, const std::string& settings) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const std::string command = settings + " '" + self +
                              "' --gtest_also_run_disabled_tests "
                              "--gtest_filter=DISABLED_Alone." +
                              name + " > /dev/null 2>&1";
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(AbsentDevice, NoPlatform) {
  EXPECT_EQ(run_alone("TheHostComputes", "OCL_ICD_VENDORS=/nowhere"), 0);
  EXPECT_EQ(run_alone("TheHostComputes",
                      "OCL_ICD_FILENAMES=/nowhere/libnone.so "
                      "OCL_ICD_VENDORS=/nowhere"),
            0);
}

TEST(AbsentDevice, PlatformsWithoutADevice) {
  EXPECT_EQ(run_alone("TheHostComputes", "POCL_DEVICES=none"), 0);
}

TEST(AbsentDevice, LittleMemory) {
  EXPECT_EQ(run_alone("TheBudgetIsSmall", "POCL_MEMORY_LIMIT=1"), 0);
}

TEST(DISABLED_Alone, TheHostComputes) {
  const Problem<float> problem;
  const Runtime runtime{RuntimeOptions{}};
  EXPECT_EQ(runtime.executors().size(), 1U);
  const auto matrix = runtime.matrix(problem.storage(Format::Csr));
  Injection none({});
  std::vector<float> y = problem.y;
  matrix.multiply(problem.alpha, std::span<const float>(problem.x), 0.0F, std::span<float>(y));
  problem.expect_product(y);
  EXPECT_THROW(matrix.pin(csr_device), Error);
}

TEST(DISABLED_Alone, TheBudgetIsSmall) {
  const Runtime runtime = runtime_preferring(dense_device);
  if (runtime.executors().size() < 2) return;
  constexpr std::size_t gigabyte = std::size_t{1} << 30;
  EXPECT_LE(runtime.executors()[1]->memory()->budget(), gigabyte);
  // A matrix of 1.6 GB that is never made.
  PlanQuestion question;
  question.structure = {.rows = 20000, .cols = 20000, .nnz = 400000000};
  question.valid = {dense_host};
  const Plan plan = runtime.plan(question);
  EXPECT_EQ(plan.multiply_step().to.space, Space::host());
  const auto refused = std::ranges::find(plan.yard.refused, dense_device, &RefusedState::state);
  ASSERT_NE(refused, plan.yard.refused.end());
  EXPECT_NE(refused->reason.find("budget"), std::string::npos);
}

}  // namespace
}  // namespace switchyard::testing
