// Without an OpenCL platform or device, and with a device of little memory: each test is a process
// of its own, since loaders and drivers look at the environment once.
#include <CL/cl.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>

#include "faults/faulty_device.hpp"
#include "own_process.hpp"

namespace switchyard::testing {
namespace {

/// The exit status of this program's test `Alone.<name>` under those settings.
int run_alone(const std::string& name, const std::string& settings) {
  const std::string command =
      settings + " " + command_of_case("DISABLED_Alone." + name) + " > /dev/null 2>&1";
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// That the host computes where those settings leave OpenCL without a device, which not every
/// loader and not every driver lets them do.
void expect_host_computes(const std::string& settings) {
  if (run_alone("OpenClHasNoDevice", settings) != 0) {
    GTEST_SKIP() << "OpenCL here has a device, " << settings << " or not";
  }
  EXPECT_EQ(run_alone("TheHostComputes", settings), 0);
}

TEST(AbsentDevice, NoPlatform) { expect_host_computes("OCL_ICD_VENDORS=/nowhere"); }

TEST(AbsentDevice, NoDriverThatLoads) {
  expect_host_computes("OCL_ICD_FILENAMES=/nowhere/libnone.so OCL_ICD_VENDORS=/nowhere");
}

TEST(AbsentDevice, PlatformsWithoutADevice) { expect_host_computes("POCL_DEVICES=none"); }

TEST(AbsentDevice, LittleMemory) {
  EXPECT_EQ(run_alone("TheBudgetIsSmall", "POCL_MEMORY_LIMIT=1"), 0);
}

TEST(DISABLED_Alone, OpenClHasNoDevice) {
  cl_uint count = 0;
  clGetPlatformIDs(0, nullptr, &count);
  std::vector<cl_platform_id> platforms(count);
  if (count > 0) clGetPlatformIDs(count, platforms.data(), nullptr);
  for (cl_platform_id platform : platforms) {
    cl_uint devices = 0;
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &devices);
    EXPECT_EQ(devices, 0U);
  }
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
  EXPECT_NE(refused->reason.text().find("budget"), std::string::npos);
}

}  // namespace
}  // namespace switchyard::testing
