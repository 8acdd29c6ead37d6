// The host's operations against the reference, on random and awkward matrices.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <switchyard/backends/openmp.hpp>
#include <switchyard/backends/operations.hpp>
#include <switchyard/backends/reference.hpp>
#include <switchyard/containers/generate.hpp>

#include "awkward_matrices.hpp"
#include "formats.hpp"
#include "sampling.hpp"
#include "sharing.hpp"
#include "without_caches.hpp"

namespace switchyard {
namespace {

template <Element T>
std::vector<T> random_values(Index size, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<T> values(static_cast<std::size_t>(size));
  for (T& v : values) v = static_cast<T>(value(engine));
  return values;
}

template <class T>
class OpenMp : public ::testing::Test {
 protected:
  /// One product of a matrix, and what must come out.
  struct Problem {
    T alpha;
    T beta;
    Array<T> x;
    std::vector<T> y;
    std::vector<ReferenceRow> expected;
  };
  static std::vector<Problem> problems(const Storage<T>& matrix) {
    std::vector<Problem> all;
    for (const auto& [alpha, beta] : {std::pair{T(1), T(0)}, {T(-2), T(0.5)}, {T(0), T(1)}}) {
      Problem& made = all.emplace_back();
      made = {alpha,
              beta,
              Array<T>(random_values<T>(cols_of(matrix), 1)),
              random_values<T>(rows_of(matrix), 2),
              {}};
      made.expected = reference_multiply<T>(matrix, alpha, made.x.span(), beta, made.y);
    }
    return all;
  }

  /// `all` are of this matrix, in whatever format.
  void expect_right(const Storage<T>& matrix, const std::vector<Problem>& all,
                    const std::string& what) {
    for (const auto& operation : multiply_operations<T>()) {
      if (operation.backend != Backend::OpenMP || operation.format != format_of(matrix)) continue;
      if (!operation.computes(Request{})) continue;  // others: csc_test, columns_test
      for (const Problem& problem : all) {
        Array<T> y = copy_of(std::span<const T>(problem.y));
        operation.run({*host_, matrix, problem.alpha, problem.x, problem.beta, y});
        EXPECT_LE(worst_error<T>(problem.expected, y.span()), 1)
            << what << " " << operation.variant;
      }
    }
  }
  void expect_products_right(const Storage<T>& matrix, const std::string& what) {
    expect_right(matrix, problems(matrix), what);
  }
  std::shared_ptr<Executor> host_ = make_host_executor();
};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(OpenMp, Elements);

TYPED_TEST(OpenMp, ProductsAreRightOnAwkwardMatrices) {
  testing::Sample sample;
  for (auto& [what, csr] : testing::awkward_matrices<TypeParam>()) {
    const auto problems = TestFixture::problems(testing::wide_offsets(csr));
    this->expect_right(testing::wide_offsets(csr), problems, what + ", wide");
    const Structure structure = testing::structure_with_all_values(csr);
    const Storage<TypeParam> matrix = std::move(csr);
    for (const FormatFacts& facts : format_table) {
      if (facts.bytes(structure, sizeof(TypeParam)) > 16e6 || !sample.next()) continue;
      this->expect_right(testing::in_format(matrix, facts.format), problems,
                         what + " in " + std::string(facts.name));
    }
  }
}

TYPED_TEST(OpenMp, ConversionsThereAndBackKeepTheMatrix) {
  using T = TypeParam;
  const auto* const to_dense = find_convert<T>(Format::Csr, Format::Dense, Backend::OpenMP);
  const auto* const to_csr = find_convert<T>(Format::Dense, Format::Csr, Backend::OpenMP);
  for (const auto& [what, csr] : testing::awkward_matrices<T>()) {
    if (csr.rows * csr.cols > 2'000'000) continue;
    const Storage<T> start =
        transferred(Storage<T>(testing::wide_offsets(csr)), plain_host_memory());
    const Storage<T> back = to_csr->run(*this->host_, to_dense->run(*this->host_, start));
    const auto& result = std::get<Csr<T>>(back);
    // Stored zeros are not stored again.
    Index k = 0;
    for (Index i = 0; i < csr.rows; ++i) {
      for (Index j = csr.offset(i); j < csr.offset(i + 1); ++j) {
        if (csr.values[j] == T{0}) continue;
        ASSERT_LT(k, result.nnz) << what;
        EXPECT_EQ(result.columns[k], csr.columns[j]);
        EXPECT_EQ(result.values[k], csr.values[j]);
        ++k;
      }
      EXPECT_EQ(result.offset(i + 1), k) << what;
    }
  }
}

// Between sparse formats everything is kept, zeros too.
TYPED_TEST(OpenMp, ConversionsOfSparseMatricesKeepEveryElement) {
  using T = TypeParam;
  testing::Sample sample;
  for (const auto& [what, csr] : testing::awkward_matrices<T>()) {
    const Storage<T> start = testing::wide_offsets(csr);
    const auto elements = testing::elements_by_row(start);
    const Structure structure = testing::structure_with_all_values(csr);
    for (const FormatFacts& facts : format_table) {
      if (facts.format == Format::Dense || facts.bytes(structure, sizeof(T)) > 16e6) continue;
      if (!sample.next()) continue;
      const Storage<T> there = testing::in_format(start, facts.format);
      const Storage<T> back = testing::in_format(there, Format::Csr);
      EXPECT_NO_THROW(std::visit([](const auto& matrix) { matrix.check(); }, there)) << facts.name;
      if (facts.values == ValueCoding::Plain) {
        EXPECT_EQ(
            slots_of(there),
            std::visit([](const auto& matrix) { return testing::stored_values(matrix); }, there));
      }
      EXPECT_EQ(std::get<Csr<T>>(back).nnz, csr.nnz) << what << ", " << facts.name;
      SCOPED_TRACE(what + ", " + std::string(facts.name));
      testing::expect_elements(there, elements);
      testing::expect_elements(back, elements);
    }
  }
}

TYPED_TEST(OpenMp, PackedRowsShareWithCsrWhatIsTheSame) {
  using T = TypeParam;
  const MemorySpace& memory = *this->host_->memory();
  for (const FormatFacts& facts : format_table) {
    if (!facts.shared_bytes) continue;
    const Storage<T> csr = testing::recoded(testing::mixed_tiles<T>(), facts.format);
    const auto run = [&](Format from, Format to, const Storage<T>& matrix) {
      return find_convert<T>(from, to, Backend::OpenMP)->run(*this->host_, matrix);
    };
    std::optional<Storage<T>> packed(run(Format::Csr, facts.format, csr));
    testing::expect_shared(std::get<Csr<T>>(csr), std::get<Packed<T>>(*packed));
    const double shared = facts.shared_bytes(structure_of(csr));
    EXPECT_EQ(static_cast<double>(memory.used()), static_cast<double>(bytes_of(*packed)) - shared)
        << facts.name;
    const Storage<T> back = run(facts.format, Format::Csr, *packed);
    testing::expect_shared(std::get<Csr<T>>(back), std::get<Packed<T>>(*packed));
    packed.reset();
    SCOPED_TRACE(facts.name);
    testing::expect_elements(back, testing::elements_by_row(csr));
  }
}

// Padding is not multiplied: x may hold anything where a row has no element.
TYPED_TEST(OpenMp, SparseFormatsAgreeOnInfiniteVectors) {
  using T = TypeParam;
  for (const T special :
       {std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN()}) {
    auto elements = random_values<T>(300, 4);
    elements[0] = special;
    const Array<T> x(std::move(elements));
    for (const auto& operation : multiply_operations<T>()) {
      if (operation.backend != Backend::OpenMP || operation.format == Format::Dense) continue;
      const Storage<T> start = testing::wide_offsets(testing::recoded(
          generate<T>({.kind = MatrixKind::PowerLaw, .rows = 300, .seed = 5}), operation.format));
      const auto expected = reference_multiply<T>(start, T(1), x.span(), T(0), {});
      Array<T> y(300);
      const Storage<T> matrix = testing::stored_for(operation, start);
      operation.run({*this->host_, matrix, T(1), x, T(0), y});
      EXPECT_LE(worst_error<T>(expected, y.span()), 1) << name(operation.format);
    }
  }
}

TYPED_TEST(OpenMp, PaddingBeyondTheMemoryIsRefusedBeforeItIsAllocated) {
  using T = TypeParam;
  const auto csr = csr_from_triplets<T>(1000, 2000, [] {
    std::vector<Triplet<T>> row;
    for (Index j = 0; j < 2000; ++j) row.push_back({7, j, T(1)});
    return row;
  }());
  this->host_->memory()->set_budget(1'000'000);
  const auto* const to_ell = find_convert<T>(Format::Csr, Format::Ell, Backend::OpenMP);
  const Storage<T> start = testing::wide_offsets(csr);
  try {
    static_cast<void>(to_ell->run(*this->host_, start));
    ADD_FAILURE() << "2 million slots fitted into a megabyte";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::OutOfMemory);
  }
  EXPECT_EQ(this->host_->memory()->used(), 0U);
}

/// A matrix with rows of these lengths, their nonzeros evenly spread.
template <Element T>
Csr<T> with_row_lengths(const std::vector<Index>& lengths, Index cols) {
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < std::ssize(lengths); ++i) {
    const Index length = lengths[static_cast<std::size_t>(i)];
    for (Index k = 0; k < length; ++k) {
      triplets.push_back({i, k * cols / length, T((i * 31 + k * 17) % 97 - 48) / T(16)});
    }
  }
  return csr_from_triplets<T>(std::ssize(lengths), cols, triplets);
}

TYPED_TEST(OpenMp, RowsOfEveryLengthAndNeighbourhoodAreRight) {
  std::vector<Index> ascending;
  for (Index length = 0; length < 70; ++length) ascending.push_back(length);
  std::vector<Index> mixed;
  for (Index i = 0; i < 5000; ++i) mixed.push_back(i * 7919 % 9 + (i % 50 == 0 ? 40 : 0));
  for (const auto& lengths : {ascending, mixed}) {
    for (const FormatFacts& facts : format_table) {
      const Storage<TypeParam> matrix =
          testing::recoded(with_row_lengths<TypeParam>(lengths, 100), facts.format);
      this->expect_products_right(testing::in_format(matrix, facts.format),
                                  std::string("row lengths in ") + std::string(facts.name));
    }
  }
}

TYPED_TEST(OpenMp, LongRowsAreCutAmongThreads) {
  testing::Sample sample;
  const std::vector<std::vector<Index>> all_lengths{{300'000},
                                                    {5, 300'000, 0, 3},
                                                    {100'000, 100'000, 100'000},
                                                    {0, 0, 2049, 60'000, 2047, 1, 60'000},
                                                    std::vector<Index>(40, 5'000)};
  for (const auto& lengths : all_lengths) {
    for (const Format format : {Format::Csr, Format::Csr16, Format::CsrConst, Format::Csr16Dict8,
                                Format::Csr8, Format::Csr8Dict8}) {
      const Storage<TypeParam> matrix = testing::in_format<TypeParam>(
          testing::recoded(with_row_lengths<TypeParam>(lengths, 300'000), format), format);
      const auto problems = TestFixture::problems(matrix);
      for (const int threads : {1, 2, 3, 5, 16}) {
        if (!sample.next()) continue;
        this->host_ = make_host_executor(threads);
        this->expect_right(matrix, problems, std::to_string(threads) + " threads");
      }
    }
  }
}

TYPED_TEST(OpenMp, DenseMatricesOfEveryShapeAreRight) {
  using T = TypeParam;
  const auto check = [&](Index rows, Index cols) {
    const Storage<T> matrix = Dense<T>{rows, cols, Array<T>(random_values<T>(rows * cols, 5))};
    this->expect_products_right(matrix, std::to_string(rows) + " x " + std::to_string(cols));
  };
  for (const Index rows : {1, 3, 4, 9}) {
    for (const Index cols : {1, 2, 3, 4, 5, 7, 8, 11, 12, 13, 16, 17, 31, 32, 33, 47, 64, 65}) {
      check(rows, cols);
    }
  }
  for (const auto& [rows, cols] : {std::pair<Index, Index>{1, 100'001},
                                   {5, 40'003},
                                   {7, 30'000},
                                   {100'003, 2},
                                   {30'001, 33}}) {
    check(rows, cols);
  }
}

TYPED_TEST(OpenMp, MatricesOfManyBlocksAreConverted) {
  using T = TypeParam;
  testing::WithoutCaches without_caches(*this->host_);
  const auto* const to_csr = find_convert<T>(Format::Dense, Format::Csr, Backend::OpenMP);
  const auto* const to_dense = find_convert<T>(Format::Csr, Format::Dense, Backend::OpenMP);
  // Rows that a sample of 256 does not meet, few long rows, many short ones.
  const auto mostly_missed = [](Index i, Index) { return i % 4 == 1 || i % 4 == 2; };
  const auto scattered = [](Index i, Index j) { return (i * 7 + j * 13) % 11 == 0; };
  const auto check = [&](Index rows, Index cols, const auto& is_nonzero) {
    std::vector<T> elements(static_cast<std::size_t>(rows * cols));
    Index nnz = 0;
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < cols; ++j) {
        if (is_nonzero(i, j))
          elements[static_cast<std::size_t>(i * cols + j)] = T(++nnz % 1000 + 1);
      }
    }
    const Storage<T> dense = Dense<T>{rows, cols, Array<T>(std::vector<T>(elements))};
    for (Executor* const executor : {this->host_.get(), static_cast<Executor*>(&without_caches)}) {
      const Storage<T> csr = to_csr->run(*executor, dense);
      ASSERT_EQ(std::get<Csr<T>>(csr).nnz, nnz);
      ASSERT_EQ(std::get<Csr<T>>(csr).columns.size(), nnz);
      const Storage<T> back = to_dense->run(*executor, csr);
      EXPECT_TRUE(std::ranges::equal(std::get<Dense<T>>(back).values.span(), elements));
    }
  };
  check(1021, 5003, mostly_missed);
  check(1024, 1500, scattered);
  check(3, 400'000, scattered);
  check(400'000, 3, scattered);
  // Nothing to write and nowhere to write it, which the undefined-behaviour sanitizer looks at.
  check(100, 100, [](Index, Index) { return false; });
}

TYPED_TEST(OpenMp, ConversionsKeepToTheBudget) {
  using T = TypeParam;
  const auto* const to_csr = find_convert<T>(Format::Dense, Format::Csr, Backend::OpenMP);
  const Storage<T> dense = Dense<T>{1000, 1000, Array<T>(std::vector<T>(1'000'000, T(1)))};
  const auto needed = static_cast<std::size_t>(1'000'000) * (sizeof(T) + 4) + 1001 * 4;
  this->host_->memory()->set_budget(needed);
  EXPECT_EQ(std::get<Csr<T>>(to_csr->run(*this->host_, dense)).nnz, 1'000'000);
  this->host_->memory()->set_budget(needed - 1);
  EXPECT_THROW(static_cast<void>(to_csr->run(*this->host_, dense)), Error);
  EXPECT_EQ(this->host_->memory()->used(), 0U);

  // Room for what is there, and not for what a sample makes likely.
  std::vector<T> elements(1'000'000);
  for (std::size_t i = 0; i < elements.size(); i += 10) elements[i] = T(1);
  const Storage<T> tenth = Dense<T>{1000, 1000, Array<T>(std::move(elements))};
  this->host_->memory()->set_budget(100'000 * (sizeof(T) + 4) + 1001 * 4);
  EXPECT_EQ(std::get<Csr<T>>(to_csr->run(*this->host_, tenth)).nnz, 100'000);
}

TYPED_TEST(OpenMp, NanAndInfinityAreNonzeros) {
  using T = TypeParam;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const T infinity = std::numeric_limits<T>::infinity();
  const Storage<T> dense =
      Dense<T>{2, 3, Array<T>(std::vector<T>{nan, T(0), -T(0), infinity, T(1), T(0)})};
  const Storage<T> csr =
      find_convert<T>(Format::Dense, Format::Csr, Backend::OpenMP)->run(*this->host_, dense);
  EXPECT_EQ(std::get<Csr<T>>(csr).nnz, 3);
  const Array<T> x(std::vector<T>{T(1), T(1), T(1)});
  Array<T> y(2);
  find_multiply<T>(Format::Csr, Backend::OpenMP, "balanced")
      ->run({*this->host_, csr, T(1), x, T(0), y});
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(y[1], infinity);
}

TYPED_TEST(OpenMp, TheSameCallGivesTheSameBits) {
  using T = TypeParam;
  const Storage<T> matrix = generate<T>({.kind = MatrixKind::PowerLaw, .rows = 5000, .seed = 8});
  const Array<T> x(random_values<T>(5000, 4));
  Array<T> first(5000);
  Array<T> again(5000);
  const auto* const multiply = find_multiply<T>(Format::Csr, Backend::OpenMP, "balanced");
  multiply->run({*this->host_, matrix, T(1), x, T(0), first});
  for (int i = 0; i < 5; ++i) {
    multiply->run({*this->host_, matrix, T(1), x, T(0), again});
    EXPECT_TRUE(std::ranges::equal(first.span(), again.span()));
  }
}

TEST(Reference, TellsRightFromWrong) {
  const Storage<float> matrix = Dense<float>{1, 2, Array<float>(std::vector<float>{1, 2})};
  const std::vector<float> x{3, 4};
  const auto expected = reference_multiply<float>(matrix, 1, x, 0, {});
  EXPECT_EQ(worst_error<float>(expected, std::vector<float>{11}), 0);
  EXPECT_GT(worst_error<float>(expected, std::vector<float>{11.001F}), 1);
  EXPECT_GT(worst_error<float>(expected, std::vector<float>{NAN}), 1);
  EXPECT_GT(worst_error<float>(expected, std::vector<float>{INFINITY}), 1);
  EXPECT_GT(worst_error<float>(expected, std::vector<float>{}), 1);
}

}  // namespace
}  // namespace switchyard
