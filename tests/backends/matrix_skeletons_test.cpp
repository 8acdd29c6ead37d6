// Skeletons that know the places of a matrix's elements, on every backend, against plain loops.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <switchyard/backends/matrix_skeletons.hpp>
#include <switchyard/backends/openmp.hpp>
#include <switchyard/core/user_functions.hpp>

#include "awkward_matrices.hpp"
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

/// Equal numbers, or both NaN.
template <Element T>
void expect_equal(const std::vector<T>& found, const std::vector<T>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    if (std::isnan(wanted[k]) && std::isnan(found[k])) continue;
    ASSERT_EQ(found[k], wanted[k]) << "element " << k;
  }
}

constexpr auto weighted = [](auto row, auto column, auto a, auto x) {
  return where(row % 2 < column % 3, a * x, x * 0.5F);
};
constexpr auto step = [](auto a, auto x) { return a + x; };
constexpr auto shifted = [](auto row, auto column, auto a) {
  return where(column % 4 == row % 4, a * a, a - 2);
};

constexpr auto mixed = [](auto row, auto, auto a, auto b, auto c) {
  return where(row % 2 == 0, a * b - c, a + b + c * c);
};
constexpr auto product = [](auto a, auto x) { return a * x; };
constexpr auto placed = [](auto row, auto column, auto a, auto r, auto c) {
  return where(row < column, a * r + 1, a - min(c, r));
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
      const MatrixSkeletons<T>& skeletons = matrix_skeletons<T>(executor->backend());
      const auto fold = [&] {
        return skeletons.fold_places(*executor, places_.function_for(*executor),
                                     places_.fold_for(*executor), storage);
      };
      const double found = fold();
      EXPECT_NEAR(found, sum, 1e-12 * weight);
      EXPECT_EQ(found, fold());
      skeletons.map_places(*executor, places_.function_for(*executor), storage);
      EXPECT_EQ(fetched(values_of(storage)), mapped);
    }
  }

  /// Expects that every executor transposes and merges as the host does, bit by bit.
  void expect_merged(const Csr<T>& a, const Csr<T>& b, const Csr<T>& c) {
    const auto f = skeleton::user_function<T, skeleton::Place::RowAndColumn, 3>(mixed);
    RecordedFunction recorded;
    f.record(f.object, recorded);
    ASSERT_EQ(recorded.problem, nullptr);
    const Csr<T> wanted = merged_by_loop(a, b, c);
    for (const auto& executor : executors_) {
      const auto there = [&](const Csr<T>& csr) {
        return transferred(Storage<T>(copy_of_csr(csr)), executor->memory());
      };
      const std::array storages{there(a), there(b), there(c)};
      const std::array operands{&std::get<Csr<T>>(storages[0]), &std::get<Csr<T>>(storages[1]),
                                &std::get<Csr<T>>(storages[2])};
      const bool on_host = executor->space().is_host();
      const Storage<T> found(matrix_skeletons<T>(executor->backend())
                                 .merge(*executor, {f, on_host ? nullptr : &recorded}, operands));
      const Storage<T> home = transferred(found, plain_host_memory());
      const auto& csr = std::get<Csr<T>>(home);
      csr.check();
      ASSERT_EQ(csr.nnz, wanted.nnz);
      for (Index i = 0; i <= csr.rows; ++i) ASSERT_EQ(csr.offset(i), wanted.offset(i));
      EXPECT_TRUE(std::ranges::equal(csr.columns.span(), wanted.columns.span()));
      expect_equal(fetched(csr.values), fetched(wanted.values));
    }
  }

  /// The same by looking up each element of each operand.
  Csr<T> merged_by_loop(const Csr<T>& a, const Csr<T>& b, const Csr<T>& c) {
    std::vector<Triplet<T>> elements;
    std::vector<T> rows(static_cast<std::size_t>(3 * a.cols));
    for (Index i = 0; i < a.rows; ++i) {
      std::ranges::fill(rows, T(0));
      const auto value = [&](Index k, Index j) -> T& {
        return rows[static_cast<std::size_t>(k * a.cols + j)];
      };
      a.row(i, [&](Column j, T v) { value(0, j) = v; });
      b.row(i, [&](Column j, T v) { value(1, j) = v; });
      c.row(i, [&](Column j, T v) { value(2, j) = v; });
      for (Index j = 0; j < a.cols; ++j) {
        const T result = mixed(i, j, value(0, j), value(1, j), value(2, j));
        if (result != T(0)) elements.push_back({i, j, result});
      }
    }
    return csr_from_triplets<T>(a.rows, a.cols, elements);
  }

  static Csr<T> copy_of_csr(const Csr<T>& csr) {
    return {csr.rows,
            csr.cols,
            csr.nnz,
            copy_of_offsets(csr),
            copy_of(csr.columns.span()),
            copy_of(csr.values.span())};
  }

  /// Expects that every executor changes the elements of that matrix with vectors beside it as a
  /// loop does, with one and with both.
  void expect_beside(const Storage<T>& host) {
    const auto rs = random_values<T>(rows_of(host), 8);
    auto cs = random_values<T>(cols_of(host), 9);
    if (!cs.empty()) cs.back() = std::numeric_limits<T>::infinity();
    const auto two = skeleton::user_function<T, skeleton::Place::None, 2>(product);
    const auto three = skeleton::user_function<T, skeleton::Place::RowAndColumn, 3>(placed);
    for (const auto& executor : executors_) {
      const auto& memory = executor->memory();
      const Array<T> r = transferred(Array<T>::borrow(rs), memory);
      const Array<T> c = transferred(Array<T>::borrow(cs), memory);
      const auto check = [&](const UserFunction<T>& f, const Array<T>* of_rows,
                             const Array<T>* of_columns, const auto& wanted) {
        RecordedFunction recorded;
        f.record(f.object, recorded);
        const bool on_host = executor->space().is_host();
        Storage<T> changed = transferred(host, memory);
        matrix_skeletons<T>(executor->backend())
            .map_beside(*executor, {{f, on_host ? nullptr : &recorded}, of_rows, of_columns},
                        changed);
        const Storage<T> home = transferred(changed, plain_host_memory());
        for (Index i = 0; i < rows_of(host); ++i) {
          std::vector<T> before(static_cast<std::size_t>(cols_of(host)));
          std::vector<T> after(before.size());
          const auto row_into = [&](const Storage<T>& storage, std::vector<T>& to) {
            std::visit(
                [&](const auto& m) {
                  m.row(i, [&](Column j, T v) { to[static_cast<std::size_t>(j)] = v; });
                },
                storage);
          };
          row_into(host, before);
          row_into(home, after);
          for (std::size_t j = 0; j < before.size(); ++j) {
            if (before[j] != T(0)) before[j] = wanted(i, static_cast<Index>(j), before[j]);
          }
          expect_equal(after, before);
        }
      };
      const auto at = [](const std::vector<T>& values, Index i) {
        return values[static_cast<std::size_t>(i)];
      };
      check(two, &r, nullptr, [&](Index i, Index, T a) { return product(a, at(rs, i)); });
      check(two, nullptr, &c, [&](Index, Index j, T a) { return product(a, at(cs, j)); });
      check(three, &r, &c,
            [&](Index i, Index j, T a) { return placed(i, j, a, at(rs, i), at(cs, j)); });
    }
  }

  /// Expects that every executor makes the transpose, and of that the matrix.
  void expect_transposed(const Storage<T>& host) {
    for (const auto& executor : executors_) {
      const MatrixSkeletons<T>& skeletons = matrix_skeletons<T>(executor->backend());
      const Storage<T> there = transferred(host, executor->memory());
      const Storage<T> turned = skeletons.transpose(*executor, there);
      EXPECT_EQ(rows_of(turned), cols_of(host));
      EXPECT_EQ(cols_of(turned), rows_of(host));
      const Storage<T> home = transferred(turned, plain_host_memory());
      for (Index j = 0; j < cols_of(host); ++j) {
        std::visit(
            [&](const auto& matrix) {
              matrix.row(j, [&](Column i, T v) { expect_equal<T>({v}, {element(host, i, j)}); });
            },
            home);
      }
      const Storage<T> back =
          transferred(skeletons.transpose(*executor, turned), plain_host_memory());
      ASSERT_EQ(format_of(back), format_of(host));
      expect_equal(fetched(values_of(back)), fetched(values_of(host)));
    }
  }

  static T element(const Storage<T>& storage, Index i, Index j) {
    T found{};
    std::visit(
        [&](const auto& matrix) {
          matrix.row(i, [&](Column at, T v) {
            if (at == j) found = v;
          });
        },
        storage);
    return found;
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

/// A matrix with elements here and there, empty rows, and a full row with values of all kinds.
template <Element T>
Csr<T> scattered(Index rows, Index cols, Index step, unsigned seed) {
  std::vector<Triplet<T>> elements;
  const auto values = random_values<T>(rows * cols, seed);
  const std::array special{std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN(),
                           T(-0.0), T(0), T(-1)};
  for (Index k = 0; k < rows * cols; ++k) {
    const Index row = k / cols;
    const bool is_there = row % 5 != 2 && (k + Index{seed}) % step == 0;
    if (row == 3) {
      elements.push_back({row, k % cols, special[static_cast<std::size_t>(k + Index{seed}) % 5]});
    } else if (is_there) {
      elements.push_back({row, k % cols, values[static_cast<std::size_t>(k)]});
    }
  }
  return csr_from_triplets<T>(rows, cols, elements);
}

TYPED_TEST(MatrixSkeletonKernels, MergeMatricesOfAllPatterns) {
  using T = TypeParam;
  for (const auto& [rows, cols] :
       {std::pair{0, 7}, std::pair{7, 0}, std::pair{1, 1}, std::pair{5, 3000}, std::pair{63, 40},
        std::pair{64, 41}, std::pair{65, 3}, std::pair{700, 90}}) {
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols));
    this->expect_merged(scattered<T>(rows, cols, 3, 2), scattered<T>(rows, cols, 7, 3),
                        scattered<T>(rows, cols, 2, 4));
    this->expect_merged(scattered<T>(rows, cols, 50, 2), csr_from_triplets<T>(rows, cols, {}),
                        scattered<T>(rows, cols, 1, 3));
  }
  const auto wide = [](Index step, unsigned seed) {
    return std::get<Csr<T>>(switchyard::testing::wide_offsets(scattered<T>(70, 80, step, seed)));
  };
  const Csr<T> a = scattered<T>(70, 80, 3, 2);
  this->expect_merged(wide(3, 2), wide(4, 3), wide(9, 5));
  // Equal and opposite: what becomes zero is not stored.
  this->expect_merged(a, a, a);
}

TYPED_TEST(MatrixSkeletonKernels, ChangeElementsWithVectorsBesideThem) {
  using T = TypeParam;
  for (const auto& [rows, cols] : {std::pair{0, 7}, std::pair{7, 0}, std::pair{1, 1},
                                   std::pair{2, 5000}, std::pair{130, 40}, std::pair{3000, 9}}) {
    Csr<T> csr = scattered<T>(rows, cols, 3, 2);
    if (csr.nnz > 2) csr.values[2] = T(0);
    this->expect_beside(Storage<T>(this->copy_of_csr(csr)));
    this->expect_beside(Storage<T>(Csc<T>{cols, rows, csr.nnz, this->copy_of_csr(csr)}));
    this->expect_beside(
        dense_where<T>(rows, cols, [](Index i, Index j) { return (i + j) % 3 != 0; }));
  }
}

TYPED_TEST(MatrixSkeletonKernels, TransposeByCopying) {
  using T = TypeParam;
  for (const auto& [rows, cols] : {std::pair{0, 7}, std::pair{7, 0}, std::pair{1, 1},
                                   std::pair{31, 33}, std::pair{64, 32}, std::pair{200, 70}}) {
    const Csr<T> csr = scattered<T>(rows, cols, 3, 2);
    this->expect_transposed(Storage<T>(this->copy_of_csr(csr)));
    this->expect_transposed(Storage<T>(Csc<T>{cols, rows, csr.nnz, this->copy_of_csr(csr)}));
    this->expect_transposed(
        dense_where<T>(rows, cols, [](Index i, Index j) { return (i + j) % 3 != 0; }));
  }
}

TYPED_TEST(MatrixSkeletonKernels, KnowThePlacesOfColumnsToo) {
  using T = TypeParam;
  const Csr<T> csr = scattered<T>(300, 40, 3, 2);
  const Storage<T> host(Csc<T>{csr.cols, csr.rows, csr.nnz, this->copy_of_csr(csr)});
  std::vector<T> mapped;
  for (Index j = 0; j < csr.rows; ++j) {
    csr.row(j, [&](Column i, T a) { mapped.push_back(shifted(Index{i}, j, a)); });
  }
  for (const auto& executor : this->executors_) {
    Storage<T> storage = transferred(host, executor->memory());
    matrix_skeletons<T>(executor->backend())
        .map_places(*executor, this->places_.function_for(*executor), storage);
    expect_equal(fetched(values_of(storage)), mapped);
  }
}

}  // namespace
}  // namespace switchyard::opencl::testing
