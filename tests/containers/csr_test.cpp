// Making CSR matrices: from sizes, from triplets in any order, from a caller's arrays.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <switchyard/containers/csr.hpp>
#include <switchyard/containers/csr_check.hpp>

#include "containers/well_formed.hpp"
#include "row_buckets.hpp"

namespace switchyard {
namespace {

using testing::expect_well_formed;

using Position = std::pair<Index, Index>;

template <class Action>
ErrorCode code_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorCode::Internal;
}

template <Element T>
std::map<Position, T> elements_of(const Csr<T>& matrix) {
  std::map<Position, T> elements;
  for (Index i = 0; i < matrix.rows; ++i) {
    for (Index k = matrix.offset(i); k < matrix.offset(i + 1); ++k) {
      elements[{i, matrix.columns[k]}] = matrix.values[k];
    }
  }
  return elements;
}

/// Whole numbers, so that sums are exact in any order.
std::vector<Triplet<double>> random_triplets(Index rows, Index cols, int count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<Triplet<double>> triplets;
  for (int k = 0; k < count; ++k) {
    triplets.push_back({static_cast<Index>(random() % static_cast<std::uint64_t>(rows)),
                        static_cast<Index>(random() % static_cast<std::uint64_t>(cols)),
                        static_cast<double>(random() % 100)});
  }
  return triplets;
}

Csr<double> from(Index rows, Index cols, const std::vector<Triplet<double>>& triplets) {
  return csr_from_triplets<double>(rows, cols, triplets);
}

TEST(CsrSized, HasTheSizesAskedFor) {
  const auto matrix = Csr<float>::sized(3, 5, 7);
  EXPECT_EQ(matrix.rows, 3);
  EXPECT_EQ(matrix.cols, 5);
  EXPECT_EQ(matrix.nnz, 7);
  EXPECT_EQ(matrix.columns.size(), 7);
  EXPECT_EQ(matrix.values.size(), 7);
  ASSERT_TRUE(std::holds_alternative<Array<std::int32_t>>(matrix.offsets));
  EXPECT_EQ(std::get<0>(matrix.offsets).size(), 4);
}

TEST(CsrSized, RefusesSizesOutOfRange) {
  constexpr Index most = std::numeric_limits<Index>::max();
  constexpr Index columns = std::numeric_limits<Column>::max();
  for (const auto& [rows, cols, nnz] :
       std::vector<std::tuple<Index, Index, Index>>{{-1, 1, 0},
                                                    {1, -1, 0},
                                                    {1, 1, -1},
                                                    {1, columns + Index{1}, 0},
                                                    {most, 1, 0},
                                                    {Index{1} << 62, 1, 0},
                                                    {1, 1, most},
                                                    {1, 1, Index{1} << 62}}) {
    EXPECT_EQ(code_of([r = rows, c = cols, n = nnz] { (void)Csr<double>::sized(r, c, n); }),
              ErrorCode::OutOfRange)
        << rows << " x " << cols << ", " << nnz;
  }
}

TEST(CsrSized, SaysWhenMemoryIsShort) {
  HostMemory memory;
  const auto small = std::shared_ptr<MemorySpace>(&memory, [](MemorySpace*) {});
  memory.set_budget(100);
  EXPECT_EQ(code_of([&] { (void)Csr<double>::sized(10, 10, 20, small); }), ErrorCode::OutOfMemory);
  EXPECT_EQ(memory.used(), 0u);
}

TEST(OffsetsAreNarrow, UpToTheLargest32BitNumber) {
  EXPECT_TRUE(offsets_are_narrow(std::numeric_limits<std::int32_t>::max()));
  EXPECT_FALSE(offsets_are_narrow(Index{std::numeric_limits<std::int32_t>::max()} + 1));
}

TEST(CsrFromTriplets, SortsAndSums) {
  const auto matrix = from(3, 4, {{2, 3, 1.0}, {0, 1, 2.0}, {2, 0, 3.0}, {0, 1, 4.0}, {0, 0, 5.0}});
  expect_well_formed(matrix);
  EXPECT_EQ(elements_of(matrix), (std::map<Position, double>{
                                     {{0, 0}, 5.0}, {{0, 1}, 6.0}, {{2, 0}, 3.0}, {{2, 3}, 1.0}}));
}

TEST(CsrFromTriplets, TakesEmptyShapes) {
  for (const auto& [rows, cols] : std::vector<Position>{{0, 0}, {0, 7}, {7, 0}, {5000, 3}}) {
    const auto matrix = from(rows, cols, {});
    EXPECT_EQ(matrix.rows, rows);
    EXPECT_EQ(matrix.cols, cols);
    EXPECT_EQ(matrix.nnz, 0);
    expect_well_formed(matrix);
  }
}

TEST(CsrFromTriplets, KeepsZerosAndCancelledSums) {
  const auto matrix = from(1, 2, {{0, 0, 0.0}, {0, 1, 2.0}, {0, 1, -2.0}});
  EXPECT_EQ(elements_of(matrix), (std::map<Position, double>{{{0, 0}, 0.0}, {{0, 1}, 0.0}}));
}

TEST(CsrFromTriplets, SumsFloatsInDoubleInTheOrderGiven) {
  const std::vector<Triplet<float>> triplets{{0, 0, 1e8f}, {0, 0, 1.0f}, {0, 0, -1e8f}};
  const auto matrix = csr_from_triplets<float>(1, 1, triplets);
  ASSERT_EQ(matrix.nnz, 1);
  EXPECT_EQ(matrix.values[0], 1.0f);
}

TEST(CsrFromTriplets, AgreesWithAMapOnRandomMatrices) {
  // Shapes with fewer and more rows than buckets, rows of all lengths, few and many duplicates.
  const std::vector<std::tuple<Index, Index, int>> shapes{
      {1, 1, 10},        {1, 100000, 100000}, {100000, 1, 100000},
      {10, 10, 100000},  {1025, 700, 5000},   {40000, 40000, 100000},
      {3000000, 50, 10}, {1024, 3, 2000},     {2047, 2047, 200000}};
  unsigned seed = 1;
  for (const auto& [rows, cols, count] : shapes) {
    const auto triplets = random_triplets(rows, cols, count, seed++);
    std::map<Position, double> expected;
    for (const auto& [row, col, value] : triplets) expected[{row, col}] += value;
    const auto matrix = from(rows, cols, triplets);
    expect_well_formed(matrix);
    EXPECT_TRUE(elements_of(matrix) == expected) << rows << " x " << cols;
  }
}

TEST(CsrFromTriplets, GivesTheSameBitsForAnyNumberOfThreads) {
  auto triplets = random_triplets(500, 500, 400000, 7);
  std::mt19937_64 random(8);
  for (auto& triplet : triplets) triplet.value = std::generate_canonical<double, 53>(random);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const auto expected = from(500, 500, triplets);
  omp_set_num_threads(5);
  const auto matrix = from(500, 500, triplets);
  omp_set_num_threads(threads);
  EXPECT_TRUE(elements_of(matrix) == elements_of(expected));
}

TEST(CsrFromTriplets, RefusesIndicesOutsideTheShape) {
  for (const auto& [row, col] : std::vector<Position>{
           {-1, 0}, {0, -1}, {3, 0}, {0, 4}, {Index{1} << 40, 0}, {0, Index{1} << 32}}) {
    EXPECT_EQ(code_of([i = row, j = col] {
                (void)from(3, 4, {{0, 0, 1.0}, {i, j, 1.0}});
              }),
              ErrorCode::OutOfRange);
  }
  EXPECT_EQ(code_of([] { (void)from(1, Index{1} << 31, {}); }), ErrorCode::OutOfRange);
  EXPECT_EQ(code_of([] { (void)from(-1, 1, {}); }), ErrorCode::OutOfRange);
}

// A row within its bucket is kept in 32 bits.
TEST(RowBuckets, AsManyRowsAsAreLetInHaveNumbersOfTheirOwn) {
  const RowBuckets buckets(RowBuckets::largest_rows);
  EXPECT_LE(buckets.height(0), Index{1} << 32);
  const Index last = RowBuckets::largest_rows - 1;
  EXPECT_EQ(buckets.first_row(buckets.of(last)) + Index{buckets.within(last)}, last);
  const auto memory = std::make_shared<HostMemory>();
  memory->set_budget(1000);
  const auto sized = [&](Index rows) { (void)Csr<float>::sized(rows, 1, 0, memory); };
  EXPECT_EQ(code_of([&] { sized(RowBuckets::largest_rows); }), ErrorCode::OutOfMemory);
  EXPECT_EQ(code_of([&] { sized(RowBuckets::largest_rows + 1); }), ErrorCode::OutOfRange);
}

TEST(CsrFromTriplets, NamesTheFirstBadElementWhateverTheThreads) {
  auto triplets = random_triplets(100, 100, 300000, 3);
  triplets[70000].row = 100;
  triplets[290000].row = 101;
  try {
    (void)from(100, 100, triplets);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("(100, "), std::string::npos) << error.what();
  }
}

TEST(CsrFromArrays, TakesTheArraysOver) {
  std::vector<Column> columns{1, 0, 2};
  std::vector<double> values{1.5, 2.5, 3.5};
  const auto* const columns_at = columns.data();
  const auto* const values_at = values.data();
  const auto matrix = csr_from_arrays<double>(3, 3, std::vector<Index>{0, 1, 1, 3},
                                              std::move(columns), std::move(values));
  EXPECT_EQ(matrix.columns.data(), columns_at);
  EXPECT_EQ(matrix.values.data(), values_at);
  expect_well_formed(matrix);
  EXPECT_EQ(elements_of(matrix),
            (std::map<Position, double>{{{0, 1}, 1.5}, {{2, 0}, 2.5}, {{2, 2}, 3.5}}));
}

TEST(CsrFromArrays, TakesEmptyMatrices) {
  EXPECT_EQ(csr_from_arrays<float>(0, 5, std::vector<Index>{0}, {}, {}).nnz, 0);
  EXPECT_EQ(csr_from_arrays<float>(2, 0, std::vector<Index>{0, 0, 0}, {}, {}).rows, 2);
}

TEST(CsrCheckElements, AcceptsBorrowedArraysWithOffsetsOfEitherWidth) {
  const std::vector<std::int32_t> narrow{0, 1, 1, 3};
  const std::vector<std::int64_t> wide(narrow.begin(), narrow.end());
  const std::vector<Column> columns{1, 0, 2};
  const std::vector<double> values{1.5, 2.5, 3.5};
  const auto with = [&](Offsets offsets) {
    return Csr<double>{
        3, 3, 3, std::move(offsets), Array<Column>::borrow(columns), Array<double>::borrow(values)};
  };
  EXPECT_NO_THROW(check_elements(with(Array<std::int32_t>::borrow(narrow))));
  EXPECT_NO_THROW(check_elements(with(Array<std::int64_t>::borrow(wide))));
}

struct BadArrays {
  const char* name;
  Index rows;
  Index cols;
  std::vector<Index> offsets;
  std::vector<Column> columns;
  std::size_t values;
  ErrorCode code;
};

TEST(CsrFromArrays, RefusesWhatIsNoCsrMatrix) {
  const auto invalid = ErrorCode::InvalidArgument;
  const auto range = ErrorCode::OutOfRange;
  const std::vector<BadArrays> table{
      {"too few offsets", 2, 2, {0, 1}, {0}, 1, invalid},
      {"no offsets", 0, 0, {}, {}, 0, invalid},
      {"too many offsets", 1, 2, {0, 1, 1}, {0}, 1, invalid},
      {"first not 0", 1, 2, {1, 1}, {0}, 1, invalid},
      {"last too small", 1, 2, {0, 0}, {0}, 1, invalid},
      {"last too large", 1, 2, {0, 2}, {0}, 1, invalid},
      {"not ascending", 2, 2, {0, 2, 1}, {0}, 1, invalid},
      {"negative offset", 2, 2, {0, -1, 1}, {0}, 1, invalid},
      {"more columns than values", 1, 2, {0, 2}, {0, 1}, 1, invalid},
      {"columns descend", 1, 2, {0, 2}, {1, 0}, 2, invalid},
      {"column twice", 1, 2, {0, 2}, {1, 1}, 2, invalid},
      {"negative column", 1, 2, {0, 1}, {-1}, 1, range},
      {"column too large", 1, 2, {0, 1}, {2}, 1, range},
      {"negative rows", -1, 2, {}, {}, 0, range},
      {"negative columns", 1, -2, {0, 0}, {}, 0, range},
      {"too many columns", 1, Index{1} << 31, {0, 0}, {}, 0, range},
  };
  for (const auto& bad : table) {
    EXPECT_EQ(code_of([&] {
                (void)csr_from_arrays<float>(bad.rows, bad.cols, bad.offsets, bad.columns,
                                             std::vector<float>(bad.values));
              }),
              bad.code)
        << bad.name;
    const std::vector<float> values(bad.values);
    Csr<float> borrowed{bad.rows,
                        bad.cols,
                        std::ssize(values),
                        Array<std::int64_t>::borrow(bad.offsets),
                        Array<Column>::borrow(bad.columns),
                        Array<float>::borrow(values)};
    EXPECT_EQ(code_of([&] { check_elements(borrowed); }), bad.code) << bad.name;
  }
}

/// The same as `pattern_faults`, row by row. Without what follows rows whose offsets are wrong.
template <class Offset>
PatternFaults faults_by_rows(std::span<const Offset> offsets, std::span<const Column> columns,
                             Index cols) {
  PatternFaults faults;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    faults.offsets |= offsets[i] < 0 || offsets[i] > offsets[i + 1] ||
                      Index{offsets[i + 1]} > std::ssize(columns);
  }
  if (faults.offsets) return faults;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    for (Offset k = offsets[i]; k < offsets[i + 1]; ++k) {
      const Column column = columns[static_cast<std::size_t>(k)];
      faults.outside |= column < 0 || column >= cols;
      faults.order |= k > offsets[i] && column <= columns[static_cast<std::size_t>(k) - 1];
    }
  }
  return faults;
}

/// A pattern of rows of up to five ascending columns, with some numbers spoilt.
template <class Offset>
void expect_the_same_faults(std::mt19937& random, Index rows, Index cols) {
  const auto below = [&](Index bound) {
    return static_cast<Index>(random() % static_cast<std::uint64_t>(bound));
  };
  std::vector<Offset> offsets{0};
  std::vector<Column> columns;
  for (Index i = 0; i < rows; ++i) {
    Column column = -1;
    for (Index k = below(6); k > 0 && column + 1 < cols; --k) {
      column += static_cast<Column>(1 + below(std::min<Index>(cols - column - 1, 9)));
      columns.push_back(column);
    }
    offsets.push_back(static_cast<Offset>(columns.size()));
  }
  if (!columns.empty() && below(2) == 0) {
    Column& spoilt = columns[static_cast<std::size_t>(below(std::ssize(columns)))];
    spoilt = static_cast<Column>(below(cols + 4)) - 2;
  }
  if (below(4) == 0) {
    Offset& spoilt = offsets[static_cast<std::size_t>(below(std::ssize(offsets)))];
    spoilt += static_cast<Offset>(below(5)) - 2;
  }
  const std::span<const Offset> all(offsets);
  const PatternFaults faults = pattern_faults(all, std::span<const Column>(columns), cols);
  const PatternFaults expected = faults_by_rows(all, std::span<const Column>(columns), cols);
  EXPECT_EQ(faults.offsets, expected.offsets);
  if (expected.offsets) return;
  EXPECT_EQ(faults.outside, expected.outside);
  EXPECT_EQ(faults.order, expected.order);
}

TEST(PatternFaults, AreFoundAsRowByRow) {
  std::mt19937 random(5);
  for (int i = 0; i < 3000; ++i) {
    const Index rows = i % 100 == 0 ? 60000 : i % 40;
    expect_the_same_faults<std::int32_t>(random, rows, 1 + i % 60);
    expect_the_same_faults<std::int64_t>(random, rows, 1 + i % 60);
  }
}

}  // namespace
}  // namespace switchyard
