// States that code values: what a matrix of few values, or of too many, may expect of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <switchyard/switchyard.hpp>

#include "core/fixtures.hpp"
#include "states.hpp"

namespace switchyard {
namespace {

using testing::csr_host;
constexpr State const_host{Space::host(), Format::CsrConst};
constexpr State dict8_host{Space::host(), Format::Csr16Dict8};

template <class T>
class CodedValues : public ::testing::Test {
 protected:
  static Csr<T> matrix(Index distinct, Index rows = 3000) {
    return generate<T>({.rows = rows, .cols = 3000, .distinct_values = distinct});
  }
  /// What goes wrong when `call` is made: its code and words.
  template <class Call>
  static std::pair<ErrorCode, std::string> failure_of(const Call& call) {
    try {
      call();
    } catch (const Error& error) {
      return {error.code(), error.what()};
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
  }
  void multiply(const GMatrix<T>& matrix) {
    const std::vector<T> x = testing::random_vector<T>(matrix.cols(), 2);
    std::vector<T> y(static_cast<std::size_t>(matrix.rows()));
    const auto expected = reference_multiply<T>(matrix.copy_out(Format::Csr), T(1), x, T(0), {});
    matrix.multiply(std::span<const T>(x), std::span<T>(y));
    EXPECT_LE(worst_error<T>(expected, std::span<const T>(y)), 1);
  }
  Runtime runtime_{RuntimeOptions{}};
};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CodedValues, Elements);

TYPED_TEST(CodedValues, TooManyAreRefusedWithTheReason) {
  const auto many = this->runtime_.matrix(this->matrix(300));
  many.pin(dict8_host);
  const auto [code, words] = this->failure_of([&] { this->multiply(many); });
  EXPECT_EQ(code, ErrorCode::Unsupported);
  EXPECT_NE(words.find("has more than 256 distinct values"), std::string::npos) << words;
  const Plan plan = this->runtime_.matrix(this->matrix(300)).plan();
  const auto refused = std::ranges::find(plan.yard.refused, dict8_host, &RefusedState::state);
  ASSERT_NE(refused, plan.yard.refused.end());
  EXPECT_EQ(refused->reason.text(), "has more than 256 distinct values");
}

// A sample that misses a value costs a conversion that fails, once, and nothing else.
TYPED_TEST(CodedValues, AValueThatTheSampleMissedIsFoundByTheConversion) {
  for (const State state : {const_host, State{Space::device(0), Format::CsrConst}}) {
    if (!this->runtime_.executor(state.space)) continue;
    auto csr = this->matrix(1, 100'000);
    // All but one of 32 rows are looked at neither for the first sample nor for the second.
    const Index k = csr.offset(csr.rows / 2 + 1);
    csr.values[k] = 7;
    const auto matrix = this->runtime_.matrix(std::move(csr));
    ASSERT_EQ(*matrix.structure().distinct_values, 1);
    matrix.pin(state);
    const auto [code, words] = this->failure_of([&] { this->multiply(matrix); });
    EXPECT_EQ(code, ErrorCode::Unsupported) << name(state);
    EXPECT_NE(words.find("has more than one distinct value"), std::string::npos) << words;
    EXPECT_EQ(*matrix.structure().distinct_values, 2);
    matrix.unpin();
    this->multiply(matrix);
    const auto [again, same] = this->failure_of([&] { matrix.bring_to(state); });
    EXPECT_EQ(again, ErrorCode::Unsupported) << same;
  }
}

TYPED_TEST(CodedValues, WritingDropsCodedCopiesAndTheyAreCodedAnew) {
  using T = TypeParam;
  auto matrix = this->runtime_.matrix(this->matrix(1));
  matrix.bring_to(const_host);
  matrix.bring_to(dict8_host);
  matrix.write_csr([](const Csr<T>&, std::span<T> values) {
    for (std::size_t k = 0; k < values.size(); k += 7) values[k] = T(-3);
  });
  EXPECT_EQ(matrix.states(), std::vector{csr_host});
  EXPECT_EQ(matrix.structure().distinct_values.value_or(0), 2);
  matrix.pin(dict8_host);
  this->multiply(matrix);
  matrix.assign(this->matrix(1));
  matrix.pin(const_host);
  this->multiply(matrix);
  EXPECT_EQ(matrix.structure().distinct_values, 1);
}

TYPED_TEST(CodedValues, RowsAndColumnsAreKeptOnceAndForAsLongAsNeeded) {
  using T = TypeParam;
  const MemorySpace& memory = *this->runtime_.executor(Space::host())->memory();
  auto csr = this->matrix(1);
  const auto nnz = static_cast<std::size_t>(csr.nnz);
  const std::size_t none = memory.used();
  const auto matrix = this->runtime_.matrix(std::move(csr));
  const std::size_t plain = memory.used() - none;
  matrix.bring_to(const_host);
  EXPECT_EQ(memory.used() - none, plain + sizeof(T));
  matrix.bring_to({Space::host(), Format::CsrDict8});
  EXPECT_EQ(memory.used() - none, plain + sizeof(T) + nnz + 256 * sizeof(T));
  EXPECT_TRUE(matrix.evict({Space::host(), Format::CsrDict8}));
  EXPECT_TRUE(matrix.evict(csr_host));
  EXPECT_EQ(memory.used() - none, plain - nnz * sizeof(T) + sizeof(T));
  matrix.pin(const_host);
  this->multiply(matrix);  // checked in CSR, made of it anew
  EXPECT_TRUE(matrix.evict(const_host));
  this->multiply(matrix);
}

// A device unpacks what it was sent; the two copies share what is the same.
TYPED_TEST(CodedValues, DevicesShareRowsAndColumns) {
  using T = TypeParam;
  const State there{Space::device(0), Format::CsrConst};
  const State plain{Space::device(0), Format::Csr};
  Executor* const device = this->runtime_.executor(there.space);
  if (!device || !device->supports(precision_of<T>)) GTEST_SKIP() << "no device for it";
  // A kernel that has yet to be built is expected to take longer than the way over the host.
  const auto* const unpack = find_convert<T>(there.format, plain.format, device->backend());
  device->build(unpack->program, precision_of<T>);
  auto csr = this->matrix(1);
  const auto values = static_cast<std::size_t>(csr.nnz) * sizeof(T);
  const auto matrix = this->runtime_.matrix(std::move(csr));
  matrix.bring_to(there);
  for (const State state : matrix.states()) {
    if (state != there) matrix.evict(state);
  }
  ASSERT_EQ(matrix.states(), std::vector{there});
  const std::size_t before = device->memory()->used();
  matrix.bring_to(plain);
  ASSERT_EQ(matrix.states(), (std::vector{plain, there}));
  EXPECT_EQ(device->memory()->used(), before + values);
  EXPECT_TRUE(matrix.evict(there));
  matrix.pin(plain);
  this->multiply(matrix);
}

// The caller's arrays are shared with coded copies; whatever is written, they stay as they are.
TYPED_TEST(CodedValues, WritingLeavesTheCallersArraysAlone) {
  using T = TypeParam;
  const auto csr = this->matrix(1);
  const std::vector<T> before(csr.values.span().begin(), csr.values.span().end());
  const auto& offsets = std::get<Array<std::int32_t>>(csr.offsets);
  auto matrix = this->runtime_.matrix(
      csr_view(csr.rows, csr.cols, offsets.span(), csr.columns.span(), csr.values.span()));
  matrix.bring_to(const_host);
  matrix.write_csr([](const Csr<T>&, std::span<T> values) { values[0] = T(5); });
  EXPECT_EQ(matrix.states(), std::vector{csr_host});
  EXPECT_TRUE(std::ranges::equal(csr.values.span(), before));
  matrix.pin({Space::host(), Format::CsrDict8});
  this->multiply(matrix);
  const Storage<T> written = matrix.copy_out(Format::Csr);
  EXPECT_EQ(std::get<Csr<T>>(written).values[0], T(5));
}

TYPED_TEST(CodedValues, EveryBitIsKept) {
  using T = TypeParam;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const std::vector<T> values{T(0),
                              T(-0.0),
                              nan,
                              -nan,
                              std::numeric_limits<T>::infinity(),
                              std::numeric_limits<T>::denorm_min()};
  auto csr = this->matrix(200);
  for (Index k = 0; k < csr.nnz; k += 3) {
    csr.values[k] = values[static_cast<std::size_t>(k) % values.size()];
  }
  const std::vector<T> before(csr.values.span().begin(), csr.values.span().end());
  const auto matrix = this->runtime_.matrix(std::move(csr));
  for (const auto& executor : this->runtime_.executors()) {
    if (!executor->supports(precision_of<T>)) continue;
    for (const Format format : {Format::CsrDict8, Format::Csr16Dict8}) {
      matrix.bring_to({executor->space(), format});
      while (matrix.states() != std::vector{State{executor->space(), format}}) {
        for (const State state : matrix.states()) {
          if (state != State{executor->space(), format}) matrix.evict(state);
        }
      }
      const Storage<T> back = matrix.copy_out(Format::Csr);
      const auto& after = std::get<Csr<T>>(back).values;
      ASSERT_EQ(after.size(), std::ssize(before));
      for (Index k = 0; k < after.size(); ++k) {
        ASSERT_EQ(bits_of(after[k]), bits_of(before[static_cast<std::size_t>(k)])) << k;
      }
    }
  }
}

}  // namespace
}  // namespace switchyard
