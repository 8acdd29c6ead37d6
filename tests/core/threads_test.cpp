// Eight threads on everything that threads may share.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <switchyard/switchyard.hpp>
#include <switchyard/tuning/calibrate.hpp>
#include <thread>

#include "core/fixtures.hpp"

namespace switchyard {
namespace {

using testing::random_dense;
using testing::random_vector;
using Clock = std::chrono::steady_clock;

constexpr std::size_t threads = 8;
constexpr Index rows = 96;
constexpr Index cols = 80;

/// A second and a half, or as many seconds as SWITCHYARD_TEST_SECONDS says.
std::chrono::duration<double> duration() {
  const char* const asked = std::getenv("SWITCHYARD_TEST_SECONDS");
  return std::chrono::duration<double>(asked ? std::atof(asked) : 1.5);
}

/// Runs `work(thread)` in all threads at once.
void in_threads(const std::function<void(std::size_t)>& work) {
  std::barrier start(std::ptrdiff_t{threads});
  std::vector<std::thread> running;
  for (std::size_t t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      start.arrive_and_wait();
      work(t);
    });
  }
  for (auto& thread : running) thread.join();
}

/// Products that are known, to be made by any thread in any way.
struct Known {
  explicit Known(unsigned seed)
      : dense(random_dense<float>(rows, cols, 0.3, seed)),
        x(random_vector<float>(cols, seed)),
        expected(reference_multiply<float>(dense, 1.0F, x, 0.0F, {})),
        x_transposed(random_vector<float>(rows, seed)),
        expected_transposed(reference_multiply<float>(dense, 1.0F, x_transposed, 0.0F, {},
                                                      {.operand = Operand::Transpose})) {}
  [[nodiscard]] GMatrix<float> made(const Runtime& runtime) const {
    return runtime.matrix(transferred(dense, plain_host_memory()));
  }
  [[nodiscard]] bool right(std::span<const float> y) const {
    return worst_error<float>(expected, y) <= 1;
  }
  [[nodiscard]] bool multiplies(const GMatrix<float>& matrix) const {
    std::vector<float> y(rows);
    matrix.multiply(std::span<const float>(x), std::span<float>(y));
    return right(y);
  }
  [[nodiscard]] bool multiplies_transposed(const GMatrix<float>& matrix) const {
    std::vector<float> y(cols);
    matrix.multiply_transposed(std::span<const float>(x_transposed), std::span<float>(y));
    return worst_error<float>(expected_transposed, std::span<const float>(y)) <= 1;
  }
  Storage<float> dense;
  std::vector<float> x;
  std::vector<ReferenceRow> expected;
  std::vector<float> x_transposed;
  std::vector<ReferenceRow> expected_transposed;
};

/// What the environment asks for, so that the thread sanitizer can do without a device.
State state_for(const Runtime& runtime, std::size_t k) {
  const auto& executors = runtime.executors();
  return {executors[k % executors.size()]->space(), static_cast<Format>(k / 2 % 2)};
}

/// One kind of work for each thread on one runtime, and one matrix that all share.
class SharedYard {
 public:
  SharedYard() : matrix_(known_.made(runtime_)), x_(std::span<const float>(known_.x)) {}

  /// Returns whether what was computed is right.
  bool work(std::size_t thread, std::size_t round) {
    switch (thread) {
      case 0:
        return multiply_with_vectors(round);
      case 1:
        return known_.multiplies_transposed(matrix_);
      case 2:
        return known_.multiplies(matrix_);
      case 3:
        return look_and_move(round);
      case 4:
        return use_own_matrix(unsigned(round % 5));
      case 5:
        return use_another_runtime();
      case 6:
        return combine_vectors();
      default:
        return calibrate_a_little();
    }
  }

 private:
  bool multiply_with_vectors(std::size_t round) {
    if (round % 8 == 0) matrix_.pin(state_for(runtime_, round / 8));
    if (round % 8 == 4) matrix_.unpin();
    Vector<float> y(rows);
    matrix_.multiply(x_, y);
    return known_.right(y.read());
  }
  bool look_and_move(std::size_t round) {
    const State state = state_for(runtime_, round);
    matrix_.expect_calls(1 + static_cast<Index>(round % 50));
    matrix_.bring_to(state);
    const bool told = !matrix_.explain().empty() && !matrix_.states().empty();
    static_cast<void>(matrix_.history());
    static_cast<void>(matrix_.evict(state));
    return told && bytes_of(matrix_.copy_out(Format::Csr)) > 0;
  }
  bool use_own_matrix(unsigned seed) {
    const Known own(seed);
    auto matrix = own.made(runtime_);
    matrix.write_dense([](std::span<float> values) { values[0] += 0.0F; });
    return own.multiplies(matrix) && own.multiplies(matrix);
  }
  bool use_another_runtime() {
    const Runtime another(testing::host_only());
    return known_.multiplies(known_.made(another));
  }
  bool combine_vectors() {
    Vector<float> u(1000, 2.0F);
    Vector<float> v(1000, 3.0F);
    axpby(runtime_, 2.0F, u, -1.0F, v);
    return dot(runtime_, u, v) == 2000.0F && sum(runtime_, x_) == sum(runtime_, x_);
  }
  bool calibrate_a_little() {
    CalibrationOptions options;
    options.effort = Effort::Quick;
    int asked = 0;
    options.interrupted = [&asked] { return ++asked > 2; };
    // By a clock that runs fast, so that nothing is measured for long.
    double seconds = 0;
    options.clock = [&seconds] { return seconds += 0.1; };
    return !calibrate(runtime_.executors(), runtime_.fingerprint(), options).complete;
  }

  const Known known_{1};
  const Runtime runtime_;
  const GMatrix<float> matrix_;
  const Vector<float> x_;
};

TEST(Threads, WorkBesideEachOtherOnEverything) {
  SharedYard yard;
  std::atomic<long> wrong{0};
  std::atomic<long> rounds{0};
  const auto end = Clock::now() + duration();
  in_threads([&](std::size_t thread) {
    for (std::size_t round = 0; round == 0 || Clock::now() < end; ++round) {
      if (!yard.work(thread, round)) ++wrong;
      ++rounds;
    }
  });
  EXPECT_EQ(wrong, 0);
  RecordProperty("rounds", std::to_string(rounds));
}

TEST(Threads, TheFirstUseIsByAllAtOnce) {
  const Known known(2);
  std::atomic<long> wrong{0};
  for (std::size_t k = 0; k < 8; ++k) {
    const Runtime runtime;
    const auto matrix = known.made(runtime);
    in_threads([&](std::size_t thread) {
      if (thread % 2 == 0) matrix.pin(state_for(runtime, k));
      if (!known.multiplies(matrix)) ++wrong;
    });
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, RuntimesComeAndGo) {
  const Known known(3);
  std::atomic<long> wrong{0};
  in_threads([&](std::size_t thread) {
    for (int k = 0; k < 3; ++k) {
      // A matrix keeps what it needs of its runtime.
      auto runtime = std::make_unique<Runtime>();
      const auto matrix = known.made(*runtime);
      matrix.pin(state_for(*runtime, thread));
      if (k % 2 == 0) runtime.reset();
      if (!known.multiplies(matrix)) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace switchyard
