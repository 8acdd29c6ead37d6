// Sizes at the edges of 31, 32, 63 and 64 bits, in all pairs: refused before anything is allocated.
// No interface takes a leading dimension, so that none can be too small.
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <switchyard/containers/csr.hpp>
#include <switchyard/containers/dense.hpp>
#include <switchyard/containers/matrix_market.hpp>
#include <utility>

#include "containers/code_of.hpp"

namespace switchyard {
namespace {

constexpr std::array<std::uint64_t, 7> edges{
    0, 1, 0x7fffffff, 0x80000000, 0x100000000, 0x8000000000000000, 0xffffffffffffffff};
constexpr std::size_t budget = 1 << 20;
constexpr Index largest = std::numeric_limits<Index>::max();
/// Holds every product of two of them, and of their elements' size, exactly.
using Bytes = long double;

using Expected = std::optional<ErrorCode>;

/// What an allocation of so many bytes under the budget ends with.
Expected allocating(Bytes bytes) {
  if (bytes > static_cast<Bytes>(largest)) return ErrorCode::OutOfRange;
  if (bytes > static_cast<Bytes>(budget)) return ErrorCode::OutOfMemory;
  return std::nullopt;
}

/// Calls `action(rows, cols)` with all pairs, as who computed them unsigned would pass them.
template <class Action>
void for_all_pairs(const Action& action) {
  for (const std::uint64_t rows : edges) {
    for (const std::uint64_t cols : edges) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols));
      action(static_cast<Index>(rows), static_cast<Index>(cols));
    }
  }
}

std::shared_ptr<HostMemory> small_memory() {
  auto memory = std::make_shared<HostMemory>();
  memory->set_budget(budget);
  return memory;
}

template <class T>
class Sizes : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Sizes, Precisions);

TYPED_TEST(Sizes, OfDenseMatrices) {
  const auto memory = small_memory();
  for_all_pairs([&](Index rows, Index cols) {
    const Expected expected =
        rows < 0 || cols < 0
            ? ErrorCode::OutOfRange
            : allocating(static_cast<Bytes>(rows) * static_cast<Bytes>(cols) * sizeof(TypeParam));
    EXPECT_EQ(code_of([&] { (void)Dense<TypeParam>::sized(rows, cols, memory); }), expected);
    EXPECT_EQ(memory->used(), 0U);
  });
}

/// Of a CSR matrix that has next to no nonzeros.
Expected csr_shape(Index rows, Index cols) {
  constexpr Index most_rows = Index{1} << 42;
  if (rows < 0 || cols < 0 || rows > most_rows) return ErrorCode::OutOfRange;
  if (cols > std::numeric_limits<Column>::max()) return ErrorCode::OutOfRange;
  return std::nullopt;
}

TYPED_TEST(Sizes, OfCsrMatrices) {
  const auto memory = small_memory();
  for_all_pairs([&](Index rows, Index cols) {
    for (const std::uint64_t nonzeros : edges) {
      const auto nnz = static_cast<Index>(nonzeros);
      Expected expected = csr_shape(rows, cols);
      if (nnz < 0) expected = ErrorCode::OutOfRange;
      const Bytes offset_bytes = offsets_are_narrow(nnz) ? 4 : 8;
      if (!expected) expected = allocating((static_cast<Bytes>(rows) + 1) * offset_bytes);
      if (!expected) expected = allocating(static_cast<Bytes>(nnz) * sizeof(TypeParam));
      EXPECT_EQ(code_of([&] { (void)Csr<TypeParam>::sized(rows, cols, nnz, memory); }), expected)
          << nonzeros;
      EXPECT_EQ(memory->used(), 0U);
    }
  });
}

TYPED_TEST(Sizes, OfTripletsAndArrays) {
  const std::vector<Index> offsets{0};
  for_all_pairs([&](Index rows, Index cols) {
    const Expected shape = csr_shape(rows, cols);
    const auto arrays = [&] { (void)csr_from_arrays<TypeParam>(rows, cols, offsets, {}, {}); };
    // One offset is that of no rows.
    EXPECT_EQ(code_of(arrays), shape ? shape : rows == 0 ? Expected{} : ErrorCode::InvalidArgument);
    if (!shape && rows > 1) return;  // gigabytes of offsets, and rightly so
    const auto triplets = [&] { (void)csr_from_triplets<TypeParam>(rows, cols, {}); };
    EXPECT_EQ(code_of(triplets), shape);
  });
}

/// Of a file without entries.
Expected header(std::uint64_t rows, std::uint64_t cols, bool coordinate, std::size_t element) {
  if (std::cmp_greater(rows, largest) || std::cmp_greater(cols, largest))
    return ErrorCode::ParseError;
  const Index rows_signed = static_cast<Index>(rows);
  const Index cols_signed = static_cast<Index>(cols);
  if (const Expected shape = csr_shape(rows_signed, cols_signed)) return shape;
  const Bytes elements = static_cast<Bytes>(rows) * static_cast<Bytes>(cols);
  const Bytes bytes =
      coordinate ? (static_cast<Bytes>(rows) + 1) * 4 : elements * static_cast<Bytes>(element);
  if (bytes > (17 << 20)) return ErrorCode::OutOfRange;
  if (!coordinate && elements > 0) return ErrorCode::ParseError;
  return std::nullopt;
}

TYPED_TEST(Sizes, OfHeaders) {
  for (const std::uint64_t rows : edges) {
    for (const std::uint64_t cols : edges) {
      for (const bool coordinate : {true, false}) {
        const std::string text = std::string("%%MatrixMarket matrix ") +
                                 (coordinate ? "coordinate" : "array") + " real general\n" +
                                 std::to_string(rows) + " " + std::to_string(cols) +
                                 (coordinate ? " 0\n" : "\n");
        EXPECT_EQ(code_of([&] { (void)parse_matrix_market<TypeParam>(text, "text"); }),
                  header(rows, cols, coordinate, sizeof(TypeParam)))
            << text;
      }
    }
  }
}

}  // namespace
}  // namespace switchyard
