// Matrices of more than 2^31 elements, made of pages that nobody has touched and that cost nothing.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <switchyard/switchyard.hpp>

#include "core/fixtures.hpp"

namespace switchyard {
namespace {

constexpr Index edge = Index{1} << 31;

/// Zeros, all of them the system's one page of zeros until they are written.
template <class T>
class Zeros {
 public:
  explicit Zeros(Index size) : bytes_(static_cast<std::size_t>(size) * sizeof(T)), size_(size) {
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory_ != MAP_FAILED) madvise(memory_, bytes_, MADV_HUGEPAGE);
  }
  ~Zeros() {
    if (memory_ != MAP_FAILED) munmap(memory_, bytes_);
  }
  Zeros(const Zeros&) = delete;
  Zeros& operator=(const Zeros&) = delete;

  [[nodiscard]] bool are_there() const { return memory_ != MAP_FAILED; }
  T& operator[](Index i) { return static_cast<T*>(memory_)[i]; }
  [[nodiscard]] std::span<T> span() const {
    return {static_cast<T*>(memory_), static_cast<std::size_t>(size_)};
  }

 private:
  void* memory_ = nullptr;
  std::size_t bytes_;
  Index size_;
};

class LargeOffsets : public ::testing::Test {
 protected:
  void SetUp() override {
#ifdef SWITCHYARD_SANITIZED
    GTEST_SKIP() << "each zero would be looked up in the sanitizer's own memory";
#endif
  }
};

TEST_F(LargeOffsets, ACsrMatrixOfMoreThan2To31Nonzeros) {
  // Rows that end before, at and beyond the edge; columns are all 0, so that x has one element.
  const std::vector<Index> ends{edge - 7, edge - 7, edge, edge + 5, edge + 5, edge + 40};
  const Index nnz = ends.back();
  Zeros<Column> columns(nnz);
  Zeros<float> values(nnz);
  if (!columns.are_there() || !values.are_there()) GTEST_SKIP() << "no such address space";
  values[0] = 1;
  for (Index k = edge - 9; k < nnz; ++k) values[k] = 1;
  std::vector<std::int64_t> offsets{0};
  offsets.insert(offsets.end(), ends.begin(), ends.end());

  const Runtime runtime(testing::host_only());
  const auto matrix = runtime.matrix(
      Csr<float>{std::ssize(ends), 1, nnz, Array<std::int64_t>(std::move(offsets)),
                 Array<Column>::borrow(columns.span()), Array<float>::borrow(values.span())});
  EXPECT_EQ(matrix.structure().nnz, nnz);
  EXPECT_EQ(matrix.structure().longest_row, edge - 7);
  EXPECT_EQ(matrix.structure().empty_rows, 2);
  matrix.pin({Space::host(), Format::Csr});
  const std::vector<float> x{2};
  std::vector<float> y(ends.size());
  matrix.multiply(std::span<const float>(x), std::span<float>(y));
  EXPECT_EQ(y, (std::vector<float>{6, 0, 14, 10, 0, 70}));
}

TEST_F(LargeOffsets, ADenseMatrixOfMoreThan2To31Elements) {
  constexpr Index cols = (Index{1} << 30) + 3;
  constexpr Index rows = 3;
  Zeros<float> values(rows * cols);
  Zeros<float> x(cols);
  if (!values.are_there() || !x.are_there()) GTEST_SKIP() << "no such address space";
  x[0] = 1;
  x[cols - 1] = 2;
  values[0] = 5;
  values[2 * cols - 1] = 7;  // on the near side of the edge
  values[3 * cols - 1] = 3;  // and on the far one

  const Runtime runtime(testing::host_only());
  const auto matrix = runtime.matrix(Dense<float>{rows, cols, Array<float>::borrow(values.span())});
  matrix.pin({Space::host(), Format::Dense});
  std::vector<float> y(rows);
  matrix.multiply(std::span<const float>(x.span()), std::span<float>(y));
  EXPECT_EQ(y, (std::vector<float>{5, 14, 6}));

  const Storage<float> sparse = matrix.copy_out(Format::Csr);
  const auto& csr = std::get<Csr<float>>(sparse);
  ASSERT_EQ(csr.nnz, 3);
  EXPECT_TRUE(std::ranges::equal(csr.columns.span(), std::vector<Column>{0, cols - 1, cols - 1}));
  EXPECT_TRUE(std::ranges::equal(csr.values.span(), std::vector<float>{5, 7, 3}));
}

}  // namespace
}  // namespace switchyard
