// Skeletons of matrices on every executor, each beside a plain loop.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <switchyard/backends/matrix_skeletons.hpp>
#include <switchyard/backends/openmp.hpp>
#include <switchyard/core/user_folds.hpp>
#include <switchyard/core/user_functions.hpp>

#include "awkward_matrices.hpp"
#include "opencl_multiply_fixture.hpp"
#include "own_device.hpp"

namespace switchyard::opencl::testing {

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
  all.push_back(open_changed([](ExecutorFacts& facts) { facts.is_gpu = true; }));
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

}  // namespace switchyard::opencl::testing
