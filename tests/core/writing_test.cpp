// Writing a matrix: what may be called from the callback, borrowed memory, handles that were moved.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <functional>
#include <limits>
#include <switchyard/switchyard.hpp>

#include "core/fixtures.hpp"
#include "execution/owned_mutex.hpp"
#include "states.hpp"

namespace switchyard {
namespace {

using testing::random_dense;

using testing::csr_host;
using testing::dense_host;

/// Expects that `call` throws `Error(InvalidArgument)`.
template <class Call>
void expect_refused(const Call& call) {
  try {
    call();
    ADD_FAILURE() << "an error was to be thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument) << error.what();
  }
}

/// y = A x by every state on the host, and by copies of every format: all of them say the same.
void expect_one_answer(const GMatrix<float>& matrix) {
  const Storage<float> truth = matrix.copy_out(Format::Dense);
  const std::vector<float> x(static_cast<std::size_t>(matrix.cols()), 1);
  std::vector<float> y(static_cast<std::size_t>(matrix.rows()));
  const auto expected = reference_multiply<float>(truth, 1.0F, x, 0.0F, {});
  for (const State state : {dense_host, csr_host}) {
    matrix.pin(state);
    matrix.multiply(std::span<const float>(x), std::span<float>(y));
    EXPECT_LE(worst_error<float>(expected, std::span<const float>(y)), 1) << name(state);
  }
  matrix.unpin();
}

/// Everything that would work with half-written contents.
std::vector<std::function<void()>> work_with(GMatrix<float>& matrix) {
  return {
      [&] {
        const Vector<float> x(matrix.cols(), 1.0F);
        Vector<float> y(matrix.rows());
        matrix.multiply(x, y);
      },
      [&] {
        const std::vector<float> x(static_cast<std::size_t>(matrix.cols()), 1);
        std::vector<float> y(static_cast<std::size_t>(matrix.rows()));
        matrix.multiply(std::span<const float>(x), std::span<float>(y));
      },
      [&] { static_cast<void>(matrix.copy_out(Format::Csr)); },
      [&] { static_cast<void>(matrix.copy_out(Format::Dense)); },
      [&] { matrix.bring_to(csr_host); },
      [&] { static_cast<void>(matrix.evict(dense_host)); },
      [&] { matrix.assign(random_dense<float>(3, 3, 1, 1)); },
      [&] { matrix.write_csr([](const Csr<float>&, std::span<float>) {}); },
      [&] { matrix.expect_calls(10); },
      [&] { matrix.pin(csr_host); },
  };
}

TEST(Writing, TheCallbackMayNotWorkWithHalfWrittenContents) {
  const Runtime runtime(testing::host_only());
  auto matrix = runtime.matrix(random_dense<float>(12, 9, 0.4, 4));
  const auto works = work_with(matrix);
  matrix.write_dense([&](std::span<float> values) {
    values[0] = 1;
    for (const auto& work : works) expect_refused(work);
    values[0] = 10;
  });
  EXPECT_EQ(matrix.states(), std::vector{dense_host});
  expect_one_answer(matrix);
  matrix.write_csr([&](const Csr<float>&, std::span<float> values) {
    values[0] = 1;
    for (const auto& work : works) expect_refused(work);
    values[0] = 100;
  });
  EXPECT_EQ(matrix.states(), std::vector{csr_host});
  expect_one_answer(matrix);
}

TEST(Writing, TheCallbackMayLook) {
  const Runtime runtime(testing::host_only());
  auto matrix = runtime.matrix(random_dense<float>(12, 9, 0.4, 4));
  matrix.write_dense([&](std::span<float>) {
    EXPECT_EQ(matrix.rows(), 12);
    EXPECT_EQ(matrix.structure().cols, 9);
    EXPECT_EQ(matrix.states(), std::vector{dense_host});
    EXPECT_TRUE(matrix.history().empty());
    EXPECT_FALSE(matrix.explain().empty());
    EXPECT_EQ(matrix.pinned(), std::nullopt);
    EXPECT_EQ(matrix.counters(), runtime.counters());
  });
}

// Room for another matrix is made by asking all of them, the one that is being written too.
TEST(Writing, TheCallbackMayUseAnotherMatrixThatNeedsRoom) {
  RuntimeOptions options = testing::host_only();
  options.host_budget = 100'000;
  const Runtime runtime(options);
  auto matrix = runtime.matrix(random_dense<float>(100, 100, 0.1, 4));
  const auto other = runtime.matrix(random_dense<float>(100, 100, 0.9, 4));
  matrix.write_dense([&](std::span<float> values) {
    EXPECT_THROW(other.bring_to(csr_host), Error);
    values[0] = 3;
  });
  EXPECT_EQ(matrix.states(), std::vector{dense_host});
  expect_one_answer(matrix);
}

TEST(Writing, ACallbackThatWorksAndThenThrowsLeavesTheMatrixWhole) {
  const Runtime runtime(testing::host_only());
  auto matrix = runtime.matrix(random_dense<float>(12, 9, 0.4, 4));
  for (const auto& work : work_with(matrix)) {
    const auto change = [&](std::span<float> values) {
      values[0] += 1;
      try {
        work();
      } catch (const Error&) {
      }
      throw std::runtime_error("no more");
    };
    EXPECT_THROW(matrix.write_dense(change), std::runtime_error);
    EXPECT_EQ(matrix.states(), std::vector{dense_host});
    expect_one_answer(matrix);
  }
}

/// Memory that cannot be written, as that of a file mapped for reading.
class ReadOnlyMemory {
 public:
  explicit ReadOnlyMemory(const std::vector<float>& values)
      : size_(values.size()),
        memory_(
            ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    std::memcpy(memory_, values.data(), bytes());
    ::mprotect(memory_, bytes(), PROT_READ);
  }
  ~ReadOnlyMemory() { ::munmap(memory_, bytes()); }
  ReadOnlyMemory(const ReadOnlyMemory&) = delete;
  ReadOnlyMemory& operator=(const ReadOnlyMemory&) = delete;
  [[nodiscard]] std::span<const float> values() const {
    return {static_cast<const float*>(memory_), size_};
  }

 private:
  [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(float); }
  std::size_t size_;
  void* memory_;
};

TEST(Writing, BorrowedMemoryIsNotWritten) {
  const ReadOnlyMemory memory({1, 2, 0, 4});
  const Runtime runtime(testing::host_only());
  auto dense = runtime.matrix(Dense<float>{2, 2, Array<float>::borrow(memory.values())});
  dense.write_dense([](std::span<float> values) { values[0] = 5; });
  EXPECT_EQ(std::get<Dense<float>>(dense.copy_out(Format::Dense)).values[0], 5);
  EXPECT_EQ(memory.values()[0], 1);

  auto csr = csr_from_triplets<float>(2, 2, std::vector<Triplet<float>>{{0, 0, 1}, {1, 1, 4}});
  csr.values = Array<float>::borrow(memory.values().first(2));
  auto sparse = runtime.matrix(Storage<float>(std::move(csr)));
  sparse.write_csr([](const Csr<float>&, std::span<float> values) { values[1] = 7; });
  EXPECT_EQ(std::get<Csr<float>>(sparse.copy_out(Format::Csr)).values[1], 7);
  EXPECT_EQ(memory.values()[1], 2);
}

TEST(Writing, AHandleThatWasMovedFromSaysSo) {
  const Runtime runtime(testing::host_only());
  auto matrix = runtime.matrix(random_dense<float>(12, 9, 0.4, 4));
  auto works = work_with(matrix);
  works.insert(
      works.end(),
      {[&] { static_cast<void>(matrix.states()); }, [&] { static_cast<void>(matrix.structure()); },
       [&] { static_cast<void>(matrix.plan()); }, [&] { static_cast<void>(matrix.pinned()); },
       [&] { static_cast<void>(matrix.counters()); }, [&] { matrix.measure_products(true); },
       [&] { matrix.unpin(); }});
  const GMatrix<float> taken = std::move(matrix);
  EXPECT_EQ(matrix.rows(), 0);
  EXPECT_EQ(matrix.cols(), 0);
  for (const auto& work : works) expect_refused(work);
  EXPECT_EQ(taken.rows(), 12);
  matrix = runtime.matrix(random_dense<float>(2, 3, 0.4, 4));
  EXPECT_EQ(matrix.cols(), 3);
}

TEST(Writing, TheLargestNumberOfExpectedCallsIsANumberLikeAnother) {
  RuntimeOptions options = testing::host_only();
  options.reproducible = true;  // a slow build's times would make it plan anew
  const Runtime runtime(options);
  const auto matrix = runtime.matrix(random_dense<float>(12, 9, 0.4, 4));
  matrix.expect_calls(std::numeric_limits<Index>::max());
  const Vector<float> x(9, 1.0F);
  Vector<float> y(12);
  for (int i = 0; i < 20; ++i) matrix.multiply(x, y);
  EXPECT_EQ(matrix.plan().yard.horizon, std::numeric_limits<Index>::max() - 20);
  EXPECT_GE(matrix.counters().decisions_remembered, 18) << "one decision holds for very many calls";
  expect_one_answer(matrix);
}

TEST(OwnedMutex, ASecondLockByTheSameThreadIsAnError) {
  OwnedMutex mutex;
  EXPECT_FALSE(mutex.held_here());
  mutex.lock();
  EXPECT_TRUE(mutex.held_here());
  EXPECT_THROW(mutex.lock(), Error);
  EXPECT_FALSE(mutex.try_lock());
  { const LookingLock looking(mutex); }
  EXPECT_TRUE(mutex.held_here()) << "looking gives nothing back that was held before";
  mutex.unlock();
  { const LookingLock looking(mutex); }
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
  EXPECT_FALSE(mutex.held_here());
}

}  // namespace
}  // namespace switchyard
