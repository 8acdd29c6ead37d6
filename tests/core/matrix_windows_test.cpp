// Windows of matrices: in every format and space, with every edge, against plain loops.
#include <gtest/gtest.h>

#include <array>
#include <switchyard/switchyard.hpp>

#include "core/every_state.hpp"

namespace switchyard {
namespace {

using testing::dense_values;
using testing::expect_same;
using testing::random_dense;

constexpr std::array edges{Edge::constant(0.75), Edge::nearest(), Edge::wrap()};

template <class T>
class MatrixWindows : public testing::InEveryState<T> {
 protected:
  /// A plain loop over f and windows that look up one element at a time.
  template <class F>
  std::vector<T> loop(const F& f, Edge edge, const GMatrix<T>& matrix,
                      const std::vector<T>& values) {
    const Index rows = matrix.rows();
    const Index cols = matrix.cols();
    const auto inside = [&](Index at, Index size) {
      if (edge.kind == Edge::Kind::Nearest) return std::clamp(at, Index{0}, size - 1);
      return (at % size + size) % size;
    };
    std::vector<T> result(values.size());
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < cols; ++j) {
        const auto window = [&](Index down = 0, Index across = 0) {
          const bool is_inside =
              i + down >= 0 && i + down < rows && j + across >= 0 && j + across < cols;
          if (!is_inside && edge.kind == Edge::Kind::Constant) return static_cast<T>(edge.value);
          return values[static_cast<std::size_t>(inside(i + down, rows) * cols +
                                                 inside(j + across, cols))];
        };
        result[static_cast<std::size_t>(i * cols + j)] = f(window);
      }
    }
    return result;
  }
};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MatrixWindows, Elements);

/// Near and far, in both directions, and not alike in any two.
constexpr auto stencil = [](auto w) {
  return w() * 2 - w(-1, 0) + w(1, 0) / 3 - w(0, -1) * 5 + w(0, 1) + w(2, -3) - w(-9, 11);
};

TYPED_TEST(MatrixWindows, AreTheLoopInEveryState) {
  using T = TypeParam;
  std::size_t number = 0;
  this->in_every_state([&](GMatrix<T>& matrix, const std::vector<T>& values) {
    const Edge edge = edges[number++ % edges.size()];
    GMatrix<T> out = this->runtime_.matrix(random_dense<T>(1, 1, 1, 1));
    map_overlap(out, stencil, edge, matrix);
    EXPECT_EQ(out.states().front().format, Format::Dense);
    expect_same(dense_values(out), this->loop(stencil, edge, matrix, values));
  });
}

TYPED_TEST(MatrixWindows, LookBeyondSmallMatrices) {
  using T = TypeParam;
  for (const auto& [rows, cols] : {std::pair{1, 1}, std::pair{1, 40}, std::pair{40, 1},
                                   std::pair{16, 17}, std::pair{17, 16}, std::pair{60, 100}}) {
    const GMatrix<T> matrix = this->runtime_.matrix(random_dense<T>(rows, cols, 0.6, 2));
    const auto values = dense_values(matrix);
    for (const Edge edge : edges) {
      for (const Space space : testing::spaces_for<T>(this->runtime_)) {
        matrix.bring_to({space, Format::Dense});
        GMatrix<T> out = this->runtime_.matrix(random_dense<T>(1, 1, 1, 1));
        map_overlap(out, stencil, edge, matrix);
        expect_same(dense_values(out), this->loop(stencil, edge, matrix, values));
      }
    }
  }
}

/// A step of the heat equation, which replaces its operand.
TYPED_TEST(MatrixWindows, MayReplaceTheirOperand) {
  using T = TypeParam;
  const auto heat = [](auto w) {
    return w() + T(0.125) * (w(-1, 0) + w(1, 0) + w(0, -1) + w(0, 1) - T(4) * w());
  };
  GMatrix<T> field = this->runtime_.matrix(random_dense<T>(40, 50, 1, 3));
  auto wanted = dense_values(field);
  for (int step = 0; step < 5; ++step) {
    map_overlap(field, heat, Edge::nearest(), field);
    wanted = this->loop(heat, Edge::nearest(), field, wanted);
  }
  expect_same(dense_values(field), wanted);
  EXPECT_EQ(field.counters().maps, 5);
}

TYPED_TEST(MatrixWindows, ShowSeveralMatrices) {
  using T = TypeParam;
  const auto mixed = [](auto a, auto b) { return a(0, 1) * b(1, 0) - a(); };
  const GMatrix<T> a = this->runtime_.matrix(random_dense<T>(30, 20, 0.5, 4));
  const GMatrix<T> b = this->runtime_.matrix(random_dense<T>(30, 20, 0.1, 5));
  const auto as = dense_values(a);
  const auto bs = dense_values(b);
  GMatrix<T> out = this->runtime_.matrix(random_dense<T>(1, 1, 1, 1));
  map_overlap(out, mixed, Edge::constant(0), a, b);
  const auto found = dense_values(out);
  const auto at = [](const std::vector<T>& values, Index i, Index j) {
    return i < 30 && j < 20 ? values[static_cast<std::size_t>(i * 20 + j)] : T(0);
  };
  for (Index i = 0; i < 30; ++i) {
    for (Index j = 0; j < 20; ++j)
      ASSERT_EQ(at(found, i, j), at(as, i, j + 1) * at(bs, i + 1, j) - at(as, i, j));
  }
  const GMatrix<T> other = this->runtime_.matrix(random_dense<T>(20, 30, 0.1, 5));
  EXPECT_THROW(map_overlap(out, mixed, Edge::wrap(), a, other), Error);
  expect_same(dense_values(out), found);
}

TYPED_TEST(MatrixWindows, ShowSeveralVectorsSideBySide) {
  using T = TypeParam;
  for (const auto& [rows, columns] : {std::pair{0, 3}, std::pair{3, 0}, std::pair{1, 1},
                                      std::pair{70, 1}, std::pair{300, 7}, std::pair{40, 30}}) {
    const GMatrix<T> matrix = this->runtime_.matrix(random_dense<T>(rows, columns, 1, 6));
    const auto values = dense_values(matrix);
    for (const Edge edge : edges) {
      const auto wanted = this->loop(stencil, edge, matrix, values);
      for (const Space space : testing::spaces_for<T>(this->runtime_)) {
        MultiVector<T> in(rows, columns);
        in.elements() = testing::vector_in<T>(this->runtime_, space, values);
        MultiVector<T> out(rows, columns);
        map_overlap(this->runtime_, out, stencil, edge, in);
        EXPECT_EQ(out.elements().valid_in(Space::host()), values.empty() || space.is_host());
        const auto found = out.read();
        expect_same({found.begin(), found.end()}, wanted);
      }
    }
  }
  MultiVector<T> block(4, 3);
  const MultiVector<T> other(3, 4);
  EXPECT_THROW(map_overlap(this->runtime_, block, stencil, Edge::wrap(), other), Error);
  EXPECT_THROW(map_overlap(this->runtime_, block, stencil, Edge::wrap(), block), Error);
}

TYPED_TEST(MatrixWindows, ThatCannotBeRecordedAreComputedOnTheHost) {
  using T = TypeParam;
  const auto branches = [](auto w) -> T {
    if (w() > T(0)) return w(1, 1);
    return w(-1, -1);
  };
  const GMatrix<T> a = this->runtime_.matrix(random_dense<T>(30, 20, 0.5, 4));
  GMatrix<T> out = this->runtime_.matrix(random_dense<T>(1, 1, 1, 1));
  map_overlap(out, branches, Edge::wrap(), a);
  EXPECT_TRUE(out.states().front().space.is_host());
  expect_same(dense_values(out), this->loop(branches, Edge::wrap(), a, dense_values(a)));
}

}  // namespace
}  // namespace switchyard
