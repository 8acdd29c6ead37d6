// Devices without room, with a largest allocation, and kernels that do not build.
#include <algorithm>

#include "faults/faulty_device.hpp"

namespace switchyard::testing {
namespace {

/// What the library logs while it lives, from warnings on.
class Warnings {
 public:
  Warnings() {
    set_log_level(LogLevel::Warning);
    set_log_sink([this](LogLevel, std::string_view line) { lines_.emplace_back(line); });
  }
  ~Warnings() {
    set_log_sink([](LogLevel, std::string_view) {});
    set_log_level(LogLevel::Off);
  }
  Warnings(const Warnings&) = delete;
  Warnings& operator=(const Warnings&) = delete;
  [[nodiscard]] std::int64_t with(const std::string& words) const {
    return std::ranges::count_if(
        lines_, [&](const std::string& line) { return line.find(words) != std::string::npos; });
  }

 private:
  std::vector<std::string> lines_;
};

class MemoryFaults : public OnFaultyDevice {};

std::string reason_for(const Plan& plan, State state) {
  const auto found = std::ranges::find(plan.yard.refused, state, &RefusedState::state);
  return found == plan.yard.refused.end() ? "" : found->reason.text();
}

/// Makes products until states have settled; all must be right.
void multiply_all(const GMatrix<float>& matrix, const Problem<float>& problem) {
  Injection none({});
  for (int i = 0; i < 3; ++i) expect_right(none, matrix, problem);
}

TEST_F(MemoryFaults, AMatrixAboveTheLargestAllocationIsRefusedWithTheReason) {
  const Problem<float> problem(64, 256, 0, 0.02);  // 64 KB dense, a few KB in CSR
  fault_layer()->set_disguise({.largest_allocation = 32 << 10});
  const Runtime runtime = runtime_preferring(dense_device);
  EXPECT_EQ(runtime.executors()[1]->facts().largest_allocation, 32U << 10);
  const auto idle = runtime.matrix(problem.storage(Format::Csr));
  idle.bring_to(csr_device);
  const auto matrix = runtime.matrix(problem.storage(Format::Dense));
  multiply_all(matrix, problem);
  EXPECT_NE(reason_for(matrix.plan(), dense_device).find("at once"), std::string::npos);
  EXPECT_EQ(runtime.set_aside_reason(Space::device(0)), "");
  EXPECT_EQ(idle.states(), (std::vector{csr_host, csr_device})) << "no room would have helped";
}

TEST_F(MemoryFaults, IdleCopiesGiveWayAndItSucceeds) {
  const Problem<float> problem(64, 256, 0.5F);
  fault_layer()->set_disguise({.total_allocation = 100 << 10});
  const Runtime runtime = runtime_preferring(dense_device);
  const auto idle = runtime.matrix(problem.storage(Format::Dense));
  idle.bring_to(dense_device);
  const auto matrix = runtime.matrix(problem.storage(Format::Dense));
  multiply_all(matrix, problem);
  EXPECT_EQ(idle.states(), std::vector{dense_host});
  EXPECT_EQ(matrix.states(), (std::vector{dense_host, dense_device}));
  multiply_all(idle, problem);
}

TEST_F(MemoryFaults, WhereNothingCanGiveWayTheHostComputes) {
  const Problem<float> problem(64, 256, 0.5F);
  for (const std::size_t total : {1U, 1U << 10U, 65U << 10U, 66U << 10U, 67U << 10U}) {
    fault_layer()->set_disguise({.total_allocation = total});
    const Warnings warnings;
    const Runtime runtime = runtime_preferring(dense_device);
    const auto matrix = runtime.matrix(problem.storage(Format::Dense));
    multiply_all(matrix, problem);
    EXPECT_LE(warnings.with("dense@device0 is not used"), 1) << total;
    EXPECT_EQ(runtime.set_aside_reason(Space::device(0)), "") << total;
  }
}

class BuildFaults : public OnFaultyDevice {};

TEST_F(BuildFaults, OneAfterAnotherAndAll) {
  const Problem<float> problem(23, 17, 0.5F);
  for (const State from : {dense_host, csr_host}) {
    for (const State to : {dense_device, csr_device}) {
      const auto scenario = [&](Injection& injection) {
        const Runtime runtime = runtime_preferring(to);
        const auto matrix = runtime.matrix(problem.storage(from.format));
        injection.arm();
        expect_right(injection, matrix, problem);
        expect_right(injection, matrix, problem);
        EXPECT_EQ(runtime.set_aside_reason(Space::device(0)), "");
      };
      sweep("builds for " + name(from) + " to " + name(to), scenario,
            {.codes = {CL_BUILD_PROGRAM_FAILURE, CL_COMPILER_NOT_AVAILABLE, CL_INVALID_BINARY,
                       CL_INVALID_BUILD_OPTIONS},
             .only = "clBuildProgram"});
    }
  }
}

TEST_F(BuildFaults, AVariantThatDoesNotBuildIsOffAndNotTriedAgain) {
  const Problem<float> problem(23, 17, 0.5F);
  const Warnings warnings;
  const Runtime runtime = runtime_preferring(csr_device, "merge");
  const auto first = runtime.matrix(problem.storage(Format::Csr));
  const auto second = runtime.matrix(problem.storage(Format::Csr));
  first.pin(csr_device);
  second.pin(csr_device);
  fault_layer()->set_plan({.nth = 1, .only = "clBuildProgram", .code = CL_BUILD_PROGRAM_FAILURE});
  multiply_all(first, problem);
  multiply_all(second, problem);
  EXPECT_EQ(warnings.with("the kernels in csr_merge are not used"), 1);
  EXPECT_EQ(fault_layer()->calls(), 2) << "merge in vain, then the variant next to it, once each";
  for (const auto* const matrix : {&first, &second}) {
    EXPECT_EQ(matrix->plan().multiply_step().to, csr_device);
    EXPECT_NE(matrix->plan().multiply_step().variant, "merge");
  }
}

TEST_F(BuildFaults, AStateWithoutKernelsIsRefusedWithTheLog) {
  const Problem<float> problem(23, 17, 0.5F);
  const Warnings warnings;
  const Runtime runtime = runtime_preferring(csr_device);
  fault_layer()->set_plan(
      {.nth = 1, .only = "clBuildProgram", .code = CL_BUILD_PROGRAM_FAILURE, .for_ever = true});
  for (int i = 0; i < 2; ++i) {
    const auto matrix = runtime.matrix(problem.storage(Format::Csr));
    matrix.pin(csr_device);
    multiply_all(matrix, problem);
    matrix.unpin();
    const std::string reason = reason_for(matrix.plan(), csr_device);
    EXPECT_NE(reason.find("clBuildProgram"), std::string::npos) << reason;
  }
  EXPECT_EQ(warnings.with("the kernels in csr_multiply are not used"), 1);
}

// PoCL keeps what it built itself. Asked for binaries, it compiles every kernel once more.
TEST_F(BuildFaults, ADriverThatKeepsBinariesIsNotAskedForThem) {
  const Problem<float> problem(23, 17, 0.5F);
  const Runtime runtime = runtime_preferring(csr_device);
  const auto matrix = runtime.matrix(problem.storage(Format::Csr));
  matrix.pin(csr_device);
  fault_layer()->set_plan({.only = "clGetProgramInfo"});
  multiply_all(matrix, problem);
  EXPECT_EQ(matrix.plan().multiply_step().to, csr_device);
  EXPECT_EQ(fault_layer()->calls(), 0);
}

TEST_F(BuildFaults, VectorsAreWorkedOnByTheHost) {
  const Warnings warnings;
  const Runtime runtime = runtime_preferring(csr_device);
  Vector<float> x(100, 1.0F);
  fault_layer()->set_plan({.nth = 1, .only = "clBuildProgram", .code = CL_BUILD_PROGRAM_FAILURE});
  for (int i = 0; i < 5; ++i) {
    scale(runtime, 2, on_device(runtime, x));
    static_cast<void>(sum(runtime, on_device(runtime, x)));
  }
  EXPECT_EQ(copied(x), std::vector<float>(100, 32.0F));
  EXPECT_EQ(fault_layer()->calls(), 1);
  EXPECT_EQ(warnings.with("the kernels in vector_operations are not used"), 1);
}

}  // namespace
}  // namespace switchyard::testing
