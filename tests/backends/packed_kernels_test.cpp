// The host's loops of packed CSR give the bits of those of plain CSR, in each instruction set.
#include "openmp/packed_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <switchyard/containers/generate.hpp>

#include "formats.hpp"
#include "openmp/row_kernels.hpp"

namespace switchyard {
namespace {

/// The loops of one instruction set.
template <Element T>
struct Set {
  openmp::RowKernels<T> plain;
  openmp::PackedKernels<T> packed;
};

template <Element T>
std::vector<Set<T>> packed_sets() {
  std::vector<Set<T>> sets{
      {openmp::portable::row_kernels<T>(), openmp::portable::packed_kernels<T>()}};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    sets.push_back({openmp::avx2::row_kernels<T>(), openmp::avx2::packed_kernels<T>()});
  }
#endif
  sets.push_back({openmp::best_row_kernels<T>(), openmp::best_packed_kernels<T>()});
  return sets;
}

/// A matrix whose columns fit into 16 bits, with values from a dictionary.
template <Element T>
struct Matrix {
  Csr<T> csr;
  std::vector<std::uint16_t> narrow;
  std::vector<T> dictionary;
  std::vector<std::uint8_t> codes;
  std::vector<T> x;
  Packed<T> blocked;  ///< of plain values

  explicit Matrix(MatrixKind kind, ValueCoding coding)
      : Matrix(generate<T>({.kind = kind, .rows = 401}), coding) {}

  Matrix(Csr<T> given, ValueCoding coding) : csr(std::move(given)) {
    narrow.assign(csr.columns.span().begin(), csr.columns.span().end());
    for (int i = 0; i < dictionary8_values; ++i) dictionary.push_back(T(i - 100) / T(7));
    for (Index k = 0; k < csr.nnz; ++k) {
      const auto code = static_cast<std::uint8_t>(coding == ValueCoding::Constant ? 3 : k * 37);
      codes.push_back(code);
      if (coding != ValueCoding::Plain) csr.values[k] = dictionary[code];
    }
    for (Index j = 0; j < csr.cols; ++j) x.push_back(T(j % 89 - 40) / T(13));
    Storage<T> plain = std::move(csr);
    blocked = std::get<Packed<T>>(testing::in_format<T>(plain, Format::Csr8));
    csr = std::get<Csr<T>>(std::move(plain));
  }

  [[nodiscard]] openmp::PackedValues<T> values(ValueCoding coding) const {
    if (coding == ValueCoding::Plain) return {csr.values.data(), nullptr};
    if (coding == ValueCoding::Constant) return {dictionary.data() + 3, nullptr};
    return {dictionary.data(), codes.data()};
  }
};

template <Element T, class Offset>
void expect_same_bits(const Set<T>& set, const Matrix<T>& matrix, ValueCoding coding, T beta) {
  const Csr<T>& csr = matrix.csr;
  const auto narrow_offsets = std::get<Array<std::int32_t>>(csr.offsets).span();
  const std::vector<Offset> offsets(narrow_offsets.begin(), narrow_offsets.end());
  std::vector<T> expected(static_cast<std::size_t>(csr.rows), T(2));
  const auto multiply_plain = [&](T* y) {
    const openmp::CsrRows<T, Offset> work{offsets.data(),
                                          csr.columns.data(),
                                          csr.values.data(),
                                          csr.nnz,
                                          T(2),
                                          matrix.x.data(),
                                          beta,
                                          y};
    if constexpr (sizeof(Offset) == 4) {
      set.plain.csr(work, 0, csr.rows);
    } else {
      set.plain.csr_wide(work, 0, csr.rows);
    }
  };
  multiply_plain(expected.data());
  for (const bool wide : {false, true}) {
    const auto& kernel = (wide ? set.packed.wide : set.packed.narrow)[static_cast<int>(coding)];
    const void* const columns = wide ? static_cast<const void*>(csr.columns.data())
                                     : static_cast<const void*>(matrix.narrow.data());
    std::vector<T> got(expected.size(), T(2));
    const openmp::PackedRows<T, Offset> work{offsets.data(),  columns, matrix.values(coding),
                                             csr.nnz,         csr.nnz, T(2),
                                             matrix.x.data(), beta,    got.data()};
    if constexpr (sizeof(Offset) == 4) {
      kernel.rows(work, 0, csr.rows);
    } else {
      kernel.rows_wide(work, 0, csr.rows);
    }
    EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(T)), 0);
    const Index begin = csr.offset(17) / 2;
    const Index end = csr.offset(17);
    // The compiler is free to fuse other multiplications with additions here.
    const T sum = kernel.sum(matrix.values(coding), columns, matrix.x.data(), begin, end);
    const T plain = set.plain.csr_sum(csr.values.data() + begin, csr.columns.data() + begin,
                                      matrix.x.data(), end - begin);
    EXPECT_NEAR(sum, plain, 4 * std::numeric_limits<T>::epsilon() * std::abs(plain));
  }
}

/// With heads of one word, and of two.
template <Element T, class Offset>
void expect_same_bits_of_blocks(const Set<T>& set, const Matrix<T>& matrix, ValueCoding coding,
                                T beta) {
  const Csr<T>& csr = matrix.csr;
  const auto widened = [](const Offsets& narrow) {
    const auto span = std::get<Array<std::int32_t>>(narrow).span();
    return std::vector<Offset>(span.begin(), span.end());
  };
  const std::vector<Offset> offsets = widened(csr.offsets);
  const std::vector<Offset> first_heads = widened(matrix.blocked.first_heads);
  const auto one_word = matrix.blocked.heads.span();
  std::vector<std::uint32_t> two_words;
  for (const std::uint32_t head : one_word) {
    two_words.push_back(head >> 16U);
    two_words.push_back(head & 0xffffU);
  }
  std::vector<T> expected(static_cast<std::size_t>(csr.rows), T(2));
  const auto& kernel = set.packed.blocked[static_cast<int>(coding)];
  const auto& plain = set.packed.wide[static_cast<int>(coding)];
  const openmp::PackedRows<T, Offset> plain_work{offsets.data(),
                                                 csr.columns.data(),
                                                 matrix.values(coding),
                                                 csr.nnz,
                                                 csr.nnz,
                                                 T(2),
                                                 matrix.x.data(),
                                                 beta,
                                                 expected.data()};
  for (const int words : {1, 2}) {
    std::vector<T> got(expected.size(), T(2));
    expected.assign(expected.size(), T(2));
    const openmp::BlockedRows<T, Offset> work{offsets.data(),
                                              first_heads.data(),
                                              words == 1 ? one_word.data() : two_words.data(),
                                              words,
                                              matrix.blocked.low.data(),
                                              matrix.values(coding),
                                              csr.nnz,
                                              T(2),
                                              matrix.x.data(),
                                              beta,
                                              got.data()};
    const auto longest = std::ranges::max_element(
        offsets, {}, [&](const Offset& o) { return &o == &offsets.back() ? 0 : (&o)[1] - o; });
    const Index row = longest - offsets.begin();
    const Index begin = offsets[static_cast<std::size_t>(row)];
    const Index end = begin + (offsets[static_cast<std::size_t>(row) + 1] - begin) * 3 / 4;
    const Index middle = (begin + end) / 2;
    T part = 0;
    if constexpr (sizeof(Offset) == 4) {
      plain.rows(plain_work, 0, csr.rows);
      kernel.rows(work, 0, csr.rows);
      part = kernel.sum(work, row, middle, end);
    } else {
      plain.rows_wide(plain_work, 0, csr.rows);
      kernel.rows_wide(work, 0, csr.rows);
      part = kernel.sum_wide(work, row, middle, end);
    }
    EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(T)), 0);
    const T of_plain =
        plain.sum(matrix.values(coding), csr.columns.data(), matrix.x.data(), middle, end);
    EXPECT_EQ(std::memcmp(&part, &of_plain, sizeof(T)), 0) << part << " " << of_plain;
  }
}

template <Element T>
class PackedKernels : public ::testing::Test {};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PackedKernels, Elements);

TYPED_TEST(PackedKernels, GiveTheBitsOfPlainRows) {
  using T = TypeParam;
  for (const auto& set : packed_sets<T>()) {
    for (const auto kind : {MatrixKind::PowerLaw, MatrixKind::Poisson2d, MatrixKind::Uniform,
                            MatrixKind::Banded, MatrixKind::Pruned}) {
      for (const auto coding :
           {ValueCoding::Plain, ValueCoding::Constant, ValueCoding::Dictionary8}) {
        const Matrix<T> matrix(kind, coding);
        for (const T beta : {T(0), T(0.5)}) {
          expect_same_bits<T, std::int32_t>(set, matrix, coding, beta);
          expect_same_bits<T, std::int64_t>(set, matrix, coding, beta);
          expect_same_bits_of_blocks<T, std::int32_t>(set, matrix, coding, beta);
          expect_same_bits_of_blocks<T, std::int64_t>(set, matrix, coding, beta);
        }
      }
    }
  }
}

// Longer than the columns that are decoded at once.
TYPED_TEST(PackedKernels, LongRowsGiveTheBitsOfPlainOnes) {
  using T = TypeParam;
  for (const auto& set : packed_sets<T>()) {
    for (const auto coding : {ValueCoding::Plain, ValueCoding::Dictionary8}) {
      const Matrix<T> matrix(
          generate<T>({.kind = MatrixKind::Pruned, .rows = 7, .cols = 65'000, .density = 0.2}),
          coding);
      expect_same_bits_of_blocks<T, std::int32_t>(set, matrix, coding, T(0));
    }
  }
}

}  // namespace
}  // namespace switchyard
