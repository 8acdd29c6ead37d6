// Skeletons that know the places of a matrix's elements, on every backend, against plain loops.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <switchyard/backends/matrix_skeletons.hpp>
#include <switchyard/backends/openmp.hpp>
#include <switchyard/core/user_functions.hpp>

#include "opencl/device_memory.hpp"
#include "opencl/platforms.hpp"
#include "opencl_multiply_fixture.hpp"

namespace switchyard::opencl::testing {
namespace {

/// A user's function and operation, and what is recorded of them.
template <Element T>
class Recorded {
 public:
  Recorded(const UserFunction<T>& function, const UserFold<T>& fold)
      : function_(function), fold_(fold) {
    function.record(function.object, recorded_);
    EXPECT_EQ(recorded_.problem, nullptr);
  }
  ElementFunction<T> function_for(const Executor& executor) {
    return {function_, executor.space().is_host() ? nullptr : &recorded_};
  }
  ElementFold<T> fold_for(const Executor& executor) {
    if (executor.space().is_host()) return {fold_, nullptr};
    recorded_fold_ = {};
    fold_.record(fold_.object, fold_.in_double && executor.facts().supports_double, recorded_fold_);
    return {fold_, &recorded_fold_};
  }

 private:
  UserFunction<T> function_;
  UserFold<T> fold_;
  RecordedFunction recorded_;
  RecordedFunction recorded_fold_;
};

/// The host, the first device, and that device as if it were a GPU.
template <Element T>
std::vector<std::shared_ptr<Executor>> all_executors() {
  std::vector<std::shared_ptr<Executor>> all{make_host_executor()};
  const auto devices = open_opencl_devices();
  if (devices.empty() || !devices.front()->supports(precision_of<T>)) return all;
  all.push_back(devices.front());
  const FoundDevice found = find_devices().front();
  ExecutorFacts facts = found.facts;
  facts.is_gpu = true;
  const cl::Context context(found.device);
  const cl::CommandQueue queue(context, found.device);
  const auto memory = std::make_shared<DeviceMemory>(Space::device(0), context, queue, facts);
  all.push_back(std::make_shared<Device>(facts, memory, context, queue, found.device,
                                         build_files_for(found.platform)));
  return all;
}

/// Rows of those lengths, with every fifth stored element a zero.
template <Element T>
Csr<T> with_zeros(const std::vector<Index>& lengths, Index cols, bool wide) {
  Csr<T> csr = with_lengths<T>(lengths, cols, wide);
  for (Index k = 3; k < csr.nnz; k += 5) csr.values[k] = T(0);
  return csr;
}

template <Element T>
Offsets copy_of_offsets(const Csr<T>& csr) {
  return std::visit([](const auto& offsets) -> Offsets { return copy_of(offsets.span()); },
                    csr.offsets);
}

template <Element T>
std::vector<T> fetched(const Array<T>& array) {
  const Array<T> copy = transferred(array, plain_host_memory());
  return {copy.span().begin(), copy.span().end()};
}

constexpr auto weighted = [](auto row, auto column, auto a, auto x) {
  return where(row % 2 < column % 3, a * x, x * 0.5F);
};
constexpr auto step = [](auto a, auto x) { return a + x; };
constexpr auto shifted = [](auto row, auto column, auto a) {
  return where(column % 4 == row % 4, a * a, a - 2);
};

template <class T>
class MatrixSkeletonKernels : public ::testing::Test {
 protected:
  // PoCL 3.1 sometimes mixes up groups that two of its threads compute at once, in the kernels for
  // GPUs where a fold chooses between numbers: 10 of 60 runs of FoldRowsOfEveryLength failed, none
  // of 60 with one thread, and none on a GPU or under oclgrind. It reads this when its first device
  // is opened.
  static void SetUpTestSuite() { ::setenv("POCL_MAX_PTHREAD_COUNT", "1", 0); }
  /// Expects that every executor folds the rows of that matrix as a loop does, twice alike.
  void expect_rows(const Storage<T>& host) {
    std::vector<T> least(static_cast<std::size_t>(rows_of(host)),
                         std::numeric_limits<T>::infinity());
    std::vector<double> sums(least.size());
    std::vector<double> weights(least.size());
    const auto xs = random_values<T>(cols_of(host), 7);
    std::visit(
        [&](const auto& matrix) {
          for (Index i = 0; i < matrix.rows; ++i) {
            const auto at = static_cast<std::size_t>(i);
            matrix.row(i, [&](Column j, T a) {
              if (a == T(0)) return;
              const T x = xs[static_cast<std::size_t>(j)];
              const auto value = static_cast<double>(weighted(i, Index{j}, a, x));
              sums[at] += value;
              weights[at] += std::fabs(value);
              least[at] = std::min(least[at], step(a, x));
            });
          }
        },
        host);
    for (std::size_t number = 0; number < executors_.size(); ++number) {
      SCOPED_TRACE("executor " + std::to_string(number));
      const auto& executor = executors_[number];
      const auto& memory = executor->memory();
      const Storage<T> matrix = transferred(host, memory);
      const Array<T> x = transferred(Array<T>::borrow(xs), memory);
      EXPECT_EQ(folded(*executor, least_, matrix, x), least);
      const auto found = folded(*executor, sums_, matrix, x);
      EXPECT_TRUE(same_bits(found, folded(*executor, sums_, matrix, x)));
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const double bound =
            1e-12 * weights[i] + std::fabs(sums[i]) * std::numeric_limits<T>::epsilon();
        ASSERT_NEAR(found[i], sums[i], bound) << "row " << i;
      }
    }
  }

  /// Expects that every executor maps and folds the stored elements as a loop does.
  void expect_places(const Csr<T>& csr) {
    std::vector<T> mapped;
    double sum = 0;
    double weight = 0;
    for (Index i = 0; i < csr.rows; ++i) {
      csr.row(i, [&](Column j, T a) {
        mapped.push_back(shifted(i, Index{j}, a));
        sum += static_cast<double>(mapped.back());
        weight += std::fabs(static_cast<double>(mapped.back()));
      });
    }
    const Storage<T> host(Csr<T>{csr.rows, csr.cols, csr.nnz, copy_of_offsets(csr),
                                 copy_of(csr.columns.span()), copy_of(csr.values.span())});
    for (const auto& executor : executors_) {
      Storage<T> storage = transferred(host, executor->memory());
      auto& matrix = std::get<Csr<T>>(storage);
      const MatrixSkeletons<T>& skeletons = matrix_skeletons<T>(executor->backend());
      const auto fold = [&] {
        return skeletons.fold_places(*executor, places_.function_for(*executor),
                                     places_.fold_for(*executor), matrix);
      };
      const double found = fold();
      EXPECT_NEAR(found, sum, 1e-12 * weight);
      EXPECT_EQ(found, fold());
      skeletons.map_places(*executor, places_.function_for(*executor), matrix);
      EXPECT_EQ(fetched(matrix.values), mapped);
    }
  }

  std::vector<T> folded(Executor& executor, Recorded<T>& work, const Storage<T>& matrix,
                        const Array<T>& x) {
    Array<T> y =
        transferred(Array<T>(std::vector<T>(static_cast<std::size_t>(rows_of(matrix)), T(-77))),
                    executor.memory());
    matrix_skeletons<T>(executor.backend())
        .fold_rows(executor, {work.function_for(executor), work.fold_for(executor), matrix, x}, y);
    return fetched(y);
  }

  std::vector<std::shared_ptr<Executor>> executors_ = all_executors<T>();
  Recorded<T> sums_{skeleton::user_function<T, skeleton::Place::RowAndColumn, 2>(weighted),
                    skeleton::user_fold<T>(fold::plus)};
  Recorded<T> least_{skeleton::user_function<T, skeleton::Place::None, 2>(step),
                     skeleton::user_fold<T>(fold::min)};
  Recorded<T> places_{skeleton::user_function<T, skeleton::Place::RowAndColumn, 1>(shifted),
                      skeleton::user_fold<T>(fold::plus)};
};

TYPED_TEST_SUITE(MatrixSkeletonKernels, Elements);

TYPED_TEST(MatrixSkeletonKernels, FoldAsManyRowsAsAGroupHas) {
  using T = TypeParam;
  for (const Index rows : {0, 1, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1025}) {
    for (const bool wide : {false, true}) {
      std::vector<Index> lengths(static_cast<std::size_t>(rows));
      for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = static_cast<Index>(i % 5);
      this->expect_rows(with_zeros<T>(lengths, 40, wide));
    }
  }
}

/// Rows that their lanes fold, that teams fold and that whole groups fold, side by side.
TYPED_TEST(MatrixSkeletonKernels, FoldRowsOfEveryLength) {
  using T = TypeParam;
  std::vector<Index> lengths(6000, 2);
  for (const Index border : {1, 4, 32, 64, 128, 256, 512, 1024, 2048}) {
    for (const Index more : {-1, 0, 1}) {
      lengths[static_cast<std::size_t>(3 * border / 2 + more)] = border + more;
      lengths[static_cast<std::size_t>(5990 - border / 128 + more)] = border + more;
    }
  }
  lengths[17] = lengths[5999] = 5000;
  this->expect_rows(with_zeros<T>(lengths, 5000, false));
  this->expect_rows(with_zeros<T>({5000, 0, 4999, 1}, 5000, true));
}

TYPED_TEST(MatrixSkeletonKernels, FoldDenseRows) {
  using T = TypeParam;
  const auto kept = [](Index i, Index j) { return i == 1 || (i + j) % 3 != 0; };
  for (const Index cols : {0, 1, 31, 32, 33, 255, 256, 257, 1030}) {
    for (const Index rows : {1, 7, 8, 9, 65}) {
      this->expect_rows(dense_where<T>(rows, cols, kept));
    }
  }
  this->expect_rows(dense_where<T>(2049, 3, kept));
}

/// As many elements as a group takes, and twice, with empty rows everywhere.
TYPED_TEST(MatrixSkeletonKernels, FindTheRowOfEachElement) {
  using T = TypeParam;
  for (const Index border : {1, 128, 256, 512, 1024, 4096}) {
    for (const Index elements : {border - 1, border, border + 1}) {
      for (const bool wide : {false, true}) {
        this->expect_places(with_zeros<T>({elements}, 5000, wide));
        this->expect_places(
            with_zeros<T>({0, 0, elements / 3, 0, 1, 0, 0, elements, 0}, 5000, wide));
      }
      this->expect_places(
          with_zeros<T>(std::vector<Index>(static_cast<std::size_t>(elements), 1), 9, false));
    }
  }
  std::vector<Index> lengths(20'000, 0);
  for (std::size_t i = 0; i < lengths.size(); i += 3) lengths[i] = static_cast<Index>(i % 200);
  this->expect_places(with_zeros<T>(lengths, 300, false));
}

}  // namespace
}  // namespace switchyard::opencl::testing
