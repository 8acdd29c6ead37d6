// What matrices and vectors of one runtime have to do with each other, and what they have not.
#include <gtest/gtest.h>

#include <algorithm>
#include <switchyard/switchyard.hpp>
#include <thread>

#include "core/fixtures.hpp"
#include "states.hpp"

namespace switchyard {
namespace {

using testing::linear_model;
using testing::random_dense;

using testing::csr_host;
using testing::dense_host;

bool holds(const GMatrix<float>& matrix, State state) {
  const auto states = matrix.states();
  return std::ranges::find(states, state) != states.end();
}

void multiply_in(const GMatrix<float>& matrix, State state) {
  const Vector<float> x(matrix.cols(), 1.0F);
  Vector<float> y(matrix.rows());
  matrix.pin(state);
  matrix.multiply(x, y);
}

TEST(SharedRuntime, RoomIsMadeByTheLeastRecentlyUsedCopyOfAll) {
  const Runtime runtime(testing::host_only());
  std::vector<GMatrix<float>> matrices;
  for (unsigned seed = 0; seed < 3; ++seed) {
    matrices.push_back(runtime.matrix(random_dense<float>(100, 100, 0.1, seed)));
    matrices.back().bring_to(csr_host);
  }
  const auto last = runtime.matrix(random_dense<float>(100, 100, 0.1, 3));
  // From the one that was not used for longest to the one that is used now.
  for (const std::size_t k : {1U, 2U, 0U}) {
    multiply_in(matrices[k], dense_host);
    multiply_in(matrices[k], csr_host);
  }
  MemorySpace& memory = *runtime.executor(Space::host())->memory();
  memory.set_budget(memory.used());
  last.bring_to(csr_host);
  EXPECT_EQ(matrices[1].states(), std::vector{csr_host});
  EXPECT_EQ(matrices[2].states(), (std::vector{dense_host, csr_host}));
  EXPECT_EQ(matrices[0].states(), (std::vector{dense_host, csr_host}));
}

TEST(SharedRuntime, AProductMakesItsCopyTheMostRecentlyUsed) {
  const Runtime runtime(testing::host_only());
  const auto one = runtime.matrix(random_dense<float>(100, 100, 0.1, 1));
  const auto other = runtime.matrix(random_dense<float>(100, 100, 0.1, 2));
  for (const auto* const matrix : {&one, &other}) {
    multiply_in(*matrix, csr_host);
    multiply_in(*matrix, dense_host);
  }
  multiply_in(one, csr_host);
  MemorySpace& memory = *runtime.executor(Space::host())->memory();
  memory.set_budget(memory.used());
  const auto third = runtime.matrix(generate<float>({.rows = 100, .density = 0.001}));
  third.bring_to(dense_host);
  EXPECT_TRUE(holds(one, csr_host));
}

TEST(SharedRuntime, WorkWithVectorsBelongsToTheCallThatFollows) {
  const Runtime runtime{RuntimeOptions{}};
  if (runtime.executors().size() < 2) GTEST_SKIP() << "there is no OpenCL device";
  const auto one = runtime.matrix(random_dense<float>(64, 64, 0.3, 1));
  const auto other = runtime.matrix(random_dense<float>(64, 64, 0.3, 2));
  Vector<float> x(64, 1.0F);
  Vector<float> y(64);
  for (int i = 0; i < 6; ++i) {
    one.multiply(x, y);
    static_cast<void>(dot(runtime, x, y));
    other.multiply(x, y);
    for (int k = 0; k < 3; ++k) axpby(runtime, 0.5F, y, 0.5F, x);
  }
  EXPECT_EQ(one.plan().yard.vectors.between.operations, 3);
  EXPECT_EQ(one.plan().yard.vectors.between.sums, 0);
  EXPECT_EQ(other.plan().yard.vectors.between.operations, 1);
  EXPECT_EQ(other.plan().yard.vectors.between.sums, 1);
}

TEST(SharedRuntime, WorkWithVectorsCountsTheBytesOfEachOperand) {
  const Runtime runtime{RuntimeOptions{}};
  if (runtime.executors().size() < 2) GTEST_SKIP() << "there is no OpenCL device";
  constexpr Index bytes = 64 * sizeof(float);
  Vector<float> x(64, 1.0F);
  Vector<float> y(64);
  Vector<float> z(64);
  const auto bytes_of_work = [&](const auto& work) {
    const auto matrix = runtime.matrix(random_dense<float>(64, 64, 0.3, 1));
    for (int i = 0; i < 6; ++i) {
      matrix.multiply(x, y);
      work();
    }
    return matrix.plan().yard.vectors.between.bytes;
  };
  EXPECT_EQ(bytes_of_work([&] { scale(runtime, 0.5F, x); }), bytes);
  EXPECT_EQ(bytes_of_work([&] { axpby(runtime, 0.5F, y, 0.5F, x); }), 2 * bytes);
  EXPECT_EQ(bytes_of_work([&] { multiply_elements(runtime, x, y, z); }), 3 * bytes);
  EXPECT_EQ(bytes_of_work([&] { static_cast<void>(dot(runtime, x, y)); }), 2 * bytes);
  EXPECT_EQ(bytes_of_work([&] { static_cast<void>(dot(runtime, x, x)); }), bytes);
}

TEST(SharedRuntime, WorkWithEmptyVectorsIsNone) {
  const Runtime runtime{RuntimeOptions{}};
  if (runtime.executors().size() < 2) GTEST_SKIP() << "there is no OpenCL device";
  const auto matrix = runtime.matrix(random_dense<float>(64, 64, 0.3, 1));
  Vector<float> x(64, 1.0F);
  Vector<float> y(64);
  Vector<float> none;
  for (int i = 0; i < 6; ++i) {
    matrix.multiply(x, y);
    scale(runtime, 0.5F, x);
    scale(runtime, 0.5F, none);
    axpby(runtime, 0.5F, none, 0.5F, none);
    multiply_elements(runtime, none, none, none);
    static_cast<void>(sum(runtime, none));
  }
  EXPECT_EQ(matrix.plan().yard.vectors.between.operations, 1);
}

TEST(SharedRuntime, WorkWithVectorsBelongsToTheThreadThatDoesIt) {
  const Runtime runtime{RuntimeOptions{}};
  if (runtime.executors().size() < 2) GTEST_SKIP() << "there is no OpenCL device";
  const auto matrix = runtime.matrix(random_dense<float>(64, 64, 0.3, 1));
  Vector<float> x(64, 1.0F);
  Vector<float> y(64);
  for (int i = 0; i < 6; ++i) {
    matrix.multiply(x, y);
    scale(runtime, 0.5F, y);
    std::thread([&runtime, i] {
      Vector<float> mine(64, 1.0F);
      for (int k = 0; k < 10 * (i + 1); ++k) scale(runtime, 0.5F, mine);
    }).join();
  }
  EXPECT_EQ(matrix.plan().yard.vectors.between.operations, 1);
}

// Where several spaces hold all operands, the last product decides.
TEST(SharedRuntime, VectorsFollowTheLastProduct) {
  const Runtime runtime{RuntimeOptions{}};
  if (runtime.executors().size() < 2) GTEST_SKIP() << "there is no OpenCL device";
  const auto matrix = runtime.matrix(random_dense<float>(64, 64, 0.3, 1));
  const auto& device = runtime.executor(Space::device(0))->memory();
  for (const Space space : {Space::host(), Space::device(0), Space::host()}) {
    multiply_in(matrix, {space, Format::Csr});
    EXPECT_EQ(runtime.last_product_space(), space);
    const Vector<float> x(64, 1.0F);
    Vector<float> y(64, 2.0F);
    static_cast<void>(x.in(device));
    static_cast<void>(y.in(device));
    axpby(runtime, 1.0F, x, 1.0F, y);
    EXPECT_TRUE(y.valid_in(space)) << name(space);
    EXPECT_EQ(y.valid_in(Space::host()), space.is_host()) << name(space);
  }
}

TEST(SharedRuntime, AConversionTellsHowManyNonzerosThereAre) {
  const Runtime runtime(testing::host_only());
  const Dense<float> dense = random_dense<float>(400, 300, 0.2, 1);
  const Index nonzeros = structure_of(dense).nnz;
  const auto matrix = runtime.matrix(
      transferred(Storage<float>(random_dense<float>(400, 300, 0.2, 1)), plain_host_memory()));
  EXPECT_FALSE(matrix.structure().exact) << "a sample tells only about how many";
  matrix.bring_to(csr_host);
  EXPECT_TRUE(matrix.structure().exact);
  EXPECT_EQ(matrix.structure().nnz, nonzeros);
  EXPECT_EQ(matrix.structure().rows, 400);
}

/// Models of dense products only, and nothing of how to go elsewhere.
Profile of_dense_alone(const Fingerprint& fingerprint) {
  return Profile(fingerprint,
                 {linear_model(multiply_key(dense_host, Precision::Float, "rows"), 1e-3, 0)});
}

TEST(SharedRuntime, APinIsKeptWhereTheProfileHasNoModel) {
  Runtime runtime{RuntimeOptions{}};
  runtime.use_profile(of_dense_alone(runtime.fingerprint()));
  const auto matrix = runtime.matrix(random_dense<float>(40, 30, 0.2, 1));
  const Storage<float> truth = matrix.copy_out(Format::Dense);
  const std::vector<float> x(30, 1);
  std::vector<float> y(40);
  const auto expected = reference_multiply<float>(truth, 1.0F, x, 0.0F, {});
  for (const auto& executor : runtime.executors()) {
    for (const FormatFacts& facts : testing::formats_for(matrix.structure())) {
      const State state{executor->space(), facts.format};
      matrix.pin(state);
      matrix.multiply(std::span<const float>(x), std::span<float>(y));
      EXPECT_LE(worst_error<float>(expected, std::span<const float>(y)), 1) << name(state);
      EXPECT_EQ(matrix.plan().target(), state);
      EXPECT_TRUE(matrix.plan().pinned);
      EXPECT_TRUE(holds(matrix, state)) << name(state);
    }
  }
}

}  // namespace
}  // namespace switchyard
