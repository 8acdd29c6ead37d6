// Maps of several matrices with different patterns: in every format and space, against plain loops.
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <switchyard/switchyard.hpp>

#include "core/every_state.hpp"

namespace switchyard {
namespace {

using testing::dense_values;
using testing::expect_same;

/// A matrix with empty rows, a full row, and values of all kinds; the seed moves its pattern.
template <Element T>
Dense<T> awkward(Index rows, Index cols, double density, unsigned seed) {
  Dense<T> dense = testing::random_dense<T>(rows, cols, density, seed);
  const std::array special{std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
                           std::numeric_limits<T>::quiet_NaN(), T(-0.0), T(1)};
  for (Index k = Index{seed} % 7; k < dense.values.size(); k += 7) {
    if (dense.values[k] != T(0)) dense.values[k] = special[static_cast<std::size_t>(k) % 5];
  }
  return dense;
}

template <class T>
class SparseMaps : public testing::InEveryState<T> {
 protected:
  /// The matrix in that state alone, or as it is where it cannot be there.
  GMatrix<T> matrix_in(State state, const Dense<T>& dense) {
    GMatrix<T> matrix =
        this->runtime_.matrix(Dense<T>{dense.rows, dense.cols, copy_of(dense.values.span())});
    static_cast<void>(this->brought(matrix, state));
    return matrix;
  }
  /// Expects that f(A, B) is the loop, for the two in those states.
  template <class F>
  void expect_loop(const F& f, const GMatrix<T>& a, const GMatrix<T>& b) {
    const auto as = dense_values(a);
    const auto bs = dense_values(b);
    std::vector<T> wanted(as.size());
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const auto at = static_cast<Index>(k);
      wanted[k] = f(at / a.cols(), at % a.cols(), as[k], bs[k]);
    }
    GMatrix<T> out = this->runtime_.matrix(Dense<T>::sized(0, 0));
    map(out, f, a, b);
    EXPECT_EQ(out.counters().maps, 1);
    EXPECT_EQ(out.history().front().kind, StepKind::Map);
    const State state = out.states().front();
    expect_same(dense_values(out), wanted);
    if (state.format != Format::Csr) return;
    // Only what is not zero is stored.
    const Index nonzeros = std::ranges::count_if(wanted, [](T value) { return value != T(0); });
    EXPECT_EQ(out.structure().nnz, nonzeros) << name(state);
  }
};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SparseMaps, Elements);

TYPED_TEST(SparseMaps, AreTheLoopInEveryPairOfStates) {
  using T = TypeParam;
  const auto difference = [](auto, auto, auto a, auto b) { return a - T(2) * b; };
  const auto product = [](auto, auto, auto a, auto b) { return a * b; };
  const auto largest = [](auto, auto, auto a, auto b) { return fold::max(a, b); };
  const auto filled = [](auto row, auto column, auto a, auto b) {
    return where(row < column, a, b + as<T>(row % 3));
  };
  const std::array formats{Format::Csr, Format::Dense, Format::Csc, Format::Sell8, Format::Bsr2};
  for (const auto& [rows, cols] :
       {std::pair{0, 7}, std::pair{7, 0}, std::pair{1, 1}, std::pair{90, 70}, std::pair{3, 900}}) {
    for (const double density : {0.0, 0.02, 0.5}) {
      const auto first = awkward<T>(rows, cols, density, 4);
      const auto second = awkward<T>(rows, cols, 0.05, 5);
      for (const Space space : testing::spaces_for<T>(this->runtime_)) {
        for (std::size_t k = 0; k < formats.size(); ++k) {
          const State here{space, formats[k]};
          const State there{space.is_host() && k % 2 == 0 ? space : Space::host(),
                            formats[(k + 2) % formats.size()]};
          SCOPED_TRACE(name(here) + " and " + name(there) + ", " + std::to_string(rows) + " x " +
                       std::to_string(cols) + " of " + std::to_string(density));
          const auto a = this->matrix_in(here, first);
          const auto b = this->matrix_in(there, second);
          this->expect_loop(difference, a, b);
          this->expect_loop(product, b, a);
          this->expect_loop(largest, a, b);
          this->expect_loop(filled, a, b);
        }
      }
    }
  }
}

TYPED_TEST(SparseMaps, TakeManyOperandsAndTheResultAmongThem) {
  using T = TypeParam;
  const auto f = [](auto a, auto b, auto c, auto d) { return a * b - c + T(0.5) * d; };
  for (const Space space : testing::spaces_for<T>(this->runtime_)) {
    const State csr{space, Format::Csr};
    auto a = this->matrix_in(csr, awkward<T>(50, 60, 0.1, 1));
    const auto b = this->matrix_in(csr, awkward<T>(50, 60, 0.02, 2));
    const auto c = this->matrix_in(csr, awkward<T>(50, 60, 0.01, 3));
    std::vector<T> wanted = dense_values(a);
    const auto bs = dense_values(b);
    const auto cs = dense_values(c);
    for (std::size_t k = 0; k < wanted.size(); ++k)
      wanted[k] = f(wanted[k], bs[k], cs[k], wanted[k]);
    map(a, f, a, b, c, a);
    expect_same(dense_values(a), wanted);
  }
}

TYPED_TEST(SparseMaps, GiveTheSameBitsAgain) {
  using T = TypeParam;
  const auto f = [](auto a, auto b) { return a / T(3) + b * b; };
  const Runtime runtime(testing::host_only());
  std::vector<std::vector<T>> found;
  for (int i = 0; i < 3; ++i) {
    const GMatrix<T> a = runtime.matrix(testing::random_dense<T>(700, 500, 0.05, 1));
    const GMatrix<T> b = runtime.matrix(testing::random_dense<T>(700, 500, 0.04, 2));
    GMatrix<T> out = runtime.matrix(Dense<T>::sized(0, 0));
    if (i == 1) a.bring_to({Space::host(), Format::Csr});
    if (i == 2) b.bring_to({Space::host(), Format::Csc});
    map(out, f, a, b);
    found.push_back(dense_values(out));
  }
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0], found[2]);
}

TYPED_TEST(SparseMaps, TakeMatricesOfAnotherRuntime) {
  using T = TypeParam;
  const Runtime other(testing::host_only());
  const GMatrix<T> a = other.matrix(testing::random_dense<T>(40, 50, 0.1, 1));
  const GMatrix<T> b = this->runtime_.matrix(testing::random_dense<T>(40, 50, 0.1, 2));
  GMatrix<T> out = this->runtime_.matrix(Dense<T>::sized(0, 0));
  map(
      out, [](auto p, auto q) { return p - q; }, a, b);
  const auto as = dense_values(a);
  const auto bs = dense_values(b);
  std::vector<T> wanted(as.size());
  for (std::size_t k = 0; k < wanted.size(); ++k) wanted[k] = as[k] - bs[k];
  expect_same(dense_values(out), wanted);
  EXPECT_TRUE(out.states().front().space.is_host());
}

}  // namespace
}  // namespace switchyard
