// Processes that end while a device still works: each test runs this program once more.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <switchyard/backends/operations.hpp>
#include <switchyard/switchyard.hpp>
#include <thread>

#include "own_process.hpp"

namespace switchyard::opencl::testing {
namespace {

namespace fs = std::filesystem;

/// How `DISABLED_Ending.<name>` of this program ends in a process of its own, without any kernel
/// compiled before: its exit status, or minus the signal.
int status_of(const std::string& name) {
  std::string pattern = (fs::temp_directory_path() / "switchyard-exit-XXXXXX").string();
  const fs::path folder = ::mkdtemp(pattern.data());
  const std::string command = "POCL_CACHE_DIR='" + folder.string() + "' XDG_CACHE_HOME='" +
                              folder.string() + "' exec timeout 120 " +
                              switchyard::testing::command_of_case("DISABLED_Ending." + name) +
                              " > /dev/null 2>&1";
  const int status = std::system(command.c_str());
  fs::remove_all(folder);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

class OpenClExit : public ::testing::Test {
 protected:
  void SetUp() override {
    if (Runtime(RuntimeOptions{}).executors().size() < 2) {
      GTEST_SKIP() << "there is no OpenCL device on this machine";
    }
  }
};

TEST_F(OpenClExit, AGlobalMatrixWithWorkInFlight) { EXPECT_EQ(status_of("GlobalMatrix"), 0); }
TEST_F(OpenClExit, AMatrixThatIsNeverDestroyed) { EXPECT_EQ(status_of("LeakedMatrix"), 0); }
TEST_F(OpenClExit, AnExitInAThread) { EXPECT_EQ(status_of("ExitInAThread"), 0); }
TEST_F(OpenClExit, AnExitWhileAnotherThreadBuilds) { EXPECT_EQ(status_of("ExitDuringBuild"), 0); }
TEST_F(OpenClExit, AnExitWhileAnotherThreadMultiplies) {
  EXPECT_EQ(status_of("ExitDuringProducts"), 0);
}
TEST_F(OpenClExit, AStaticObjectThatMultipliesWhenItIsDestroyed) {
  EXPECT_EQ(status_of("ProductAtExit"), 0);
}

constexpr Index size = 2000;

/// A matrix pinned to the device, and vectors that live there.
struct Work {
  Runtime runtime{RuntimeOptions{}};
  GMatrix<float> matrix = runtime.matrix(tridiagonal());
  Vector<float> x = Vector<float>(size, 1.0F);
  Vector<float> y = Vector<float>(size);

  static Storage<float> tridiagonal() {
    std::vector<Triplet<float>> triplets;
    for (Index i = 0; i < size; ++i) {
      for (Index j = std::max<Index>(0, i - 1); j < std::min(size, i + 2); ++j) {
        triplets.push_back({i, j, 1.0F});
      }
    }
    return csr_from_triplets<float>(size, size, triplets);
  }
  void multiply() { matrix.multiply(x, y); }
  [[nodiscard]] bool is_right() const { return y.read()[1] == 3.0F; }

  Work() { matrix.pin({Space::device(0), Format::Csr}); }
};

// Constructed before, and destroyed after, all that the driver's libraries construct.
std::unique_ptr<Work> global;

TEST(DISABLED_Ending, GlobalMatrix) {
  global = std::make_unique<Work>();
  global->multiply();
}

TEST(DISABLED_Ending, LeakedMatrix) {
  static Work* leaked = new Work;
  leaked->multiply();
}

TEST(DISABLED_Ending, ExitInAThread) {
  global = std::make_unique<Work>();
  global->multiply();
  std::thread([] { std::exit(0); }).join();
}

/// What a thread uses while the process ends is not destroyed. One multiplication is done: a driver
/// whose very first build is interrupted cannot be saved.
Work& leaked_after_one_product() {
  static Work& work = *new Work;
  work.multiply();
  EXPECT_TRUE(work.is_right());
  return work;
}

TEST(DISABLED_Ending, ExitDuringBuild) {
  Work& work = leaked_after_one_product();
  Executor& device = *work.runtime.executors().back();
  std::thread([&] {
    try {
      for (const auto& operation : multiply_operations<float>()) {
        if (operation.backend == Backend::OpenCL) device.build(operation.program, Precision::Float);
      }
    } catch (const Error& error) {
      // A busy machine takes longer to end the process than the next build is held back.
      if (error.code() != ErrorCode::DeviceUnavailable) throw;
    }
  }).detach();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::exit(0);
}

TEST(DISABLED_Ending, ExitDuringProducts) {
  Work& work = leaked_after_one_product();
  std::thread([&] {
    for (;;) work.multiply();
  }).detach();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::exit(0);
}

/// The device takes no work any more; its host does.
struct MultipliesAtExit {
  std::unique_ptr<Work> work;
  ~MultipliesAtExit() {
    if (!work) return;
    work->matrix.unpin();
    work->multiply();
    if (!work->is_right()) ::_exit(1);
  }
};

MultipliesAtExit at_exit;

TEST(DISABLED_Ending, ProductAtExit) {
  at_exit.work = std::make_unique<Work>();
  at_exit.work->multiply();
  (void)at_exit.work->y.read();
}

}  // namespace
}  // namespace switchyard::opencl::testing
