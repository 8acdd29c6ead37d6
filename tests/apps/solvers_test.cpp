// The methods that the examples and `switchyard solve` share: the same answer in every state.
#include <gtest/gtest.h>

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <switchyard/backends/operations.hpp>
#include <switchyard/eigen.hpp>
#include <switchyard/switchyard.hpp>
#include <unsupported/Eigen/IterativeSolvers>

#include "solvers/bicg.hpp"
#include "solvers/bicgstab.hpp"
#include "solvers/conjugate_gradients.hpp"
#include "solvers/gmres.hpp"
#include "solvers/host_matrices.hpp"
#include "solvers/inference.hpp"
#include "solvers/lsqr.hpp"
#include "solvers/pagerank.hpp"
#include "solvers/power_iteration.hpp"

namespace switchyard::solvers {
namespace {

template <Element T>
std::vector<T> elements(const Vector<T>& vector) {
  return {vector.read().begin(), vector.read().end()};
}

/// The largest difference of two vectors, relative to the largest element.
template <Element T>
double difference(const std::vector<T>& a, const std::vector<T>& b) {
  double worst = 0;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    largest = std::max(largest, std::fabs(static_cast<double>(b[i])));
  }
  return a.size() == b.size() ? worst / largest : INFINITY;
}

template <class T>
class Solvers : public ::testing::Test {
 protected:
  static constexpr double rtol = std::same_as<T, float> ? 1e-5 : 1e-11;
  /// How far apart two answers may be that are both good to `rtol`.
  static constexpr double tolerance = std::same_as<T, float> ? 1e-2 : 1e-7;

  /// Every state of this machine, and none: the planner chooses.
  std::vector<std::optional<State>> states() {
    std::vector<std::optional<State>> found{std::nullopt};
    for (const auto& executor : runtime_.executors()) {
      if (!executor->supports(precision_of<T>)) continue;
      for (const FormatFacts& facts : format_table) {
        found.push_back(State{executor->space(), facts.format});
      }
    }
    return found;
  }

  /// Whether some kernel computes products of that kind in that state.
  bool computes(State state, const Request& request) {
    const Backend backend = runtime_.executor(state.space)->backend();
    return std::ranges::any_of(multiply_operations<T>(), [&](const auto& operation) {
      return operation.format == state.format && operation.backend == backend &&
             operation.computes(request);
    });
  }

  /// Expects `work`, which asks for products of that kind, too, to give the same vector in each of
  /// them that computes these, and returns it.
  std::vector<T> in_every_state(const Csr<T>& matrix,
                                const std::function<std::vector<T>(const GMatrix<T>&)>& work,
                                const Request& request = {}) {
    std::optional<std::vector<T>> expected;
    const Structure structure = structure_of(matrix);
    for (const auto& state : states()) {
      if (state && !obstacle_to(state->format, structure).empty()) continue;
      if (state && !computes(*state, request)) continue;
      SCOPED_TRACE(state ? name(*state) : "auto");
      auto A = runtime_.matrix(
          std::get<Csr<T>>(transferred(Storage<T>(copied(matrix)), plain_host_memory())));
      if (state) A.pin(*state);
      const std::vector<T> got = work(A);
      if (!expected) expected = got;
      EXPECT_LE(difference(got, *expected), tolerance);
      for (const Step& step : A.history()) {
        if (step.kind != StepKind::Multiply || !state) continue;
        EXPECT_EQ(step.to, *state);
      }
    }
    return *expected;
  }

  using Method = SolveResult (*)(const Runtime&, const GMatrix<T>&, const Vector<T>&,
                                 const Vector<T>&, Vector<T>&, const SolveOptions&);
  /// Expects a method to find ones for b = A 1 in every state.
  void expect_solved(Method method, const Csr<T>& matrix, SolveOptions options,
                     const Request& request = {}) {
    options.rtol = rtol;
    const Vector<T> jacobi = inverse_diagonal(matrix);
    const std::vector<T> ones(static_cast<std::size_t>(matrix.rows), T{1});
    const auto solve = [&](const GMatrix<T>& A) {
      Vector<T> b(A.rows());
      Vector<T> x(A.cols());
      A.multiply(Vector<T>{std::span<const T>(ones)}, b);
      const SolveResult result = method(runtime_, A, jacobi, b, x, options);
      EXPECT_TRUE(result.converged) << result.residual << " " << result.breakdown;
      EXPECT_GT(result.iterations, 3);
      EXPECT_LE(result.residual, rtol);
      return elements(x);
    };
    const std::vector<T> found = in_every_state(matrix, solve, request);
    EXPECT_LE(difference(found, ones), tolerance);
  }

  static Csr<T> copied(const Csr<T>& a) {
    Csr<T> copy{a.rows, a.cols, a.nnz, {}, copy_of(a.columns.span()), copy_of(a.values.span())};
    std::visit([&](const auto& offsets) { copy.offsets = copy_of(offsets.span()); }, a.offsets);
    return copy;
  }

  Runtime runtime_{RuntimeOptions{}};
};
using Elements = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Solvers, Elements);

/// A matrix that is not symmetric, with a diagonal that dominates its rows.
template <Element T>
Csr<T> dominant(Index rows) {
  const Csr<T> uniform = generate<T>({.rows = rows, .density = 0.05, .seed = 3});
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < rows; ++i) {
    T total = T(0.5) + static_cast<T>(i % 7);
    for (Index k = uniform.offset(i); k < uniform.offset(i + 1); ++k) {
      if (uniform.columns[k] == i) continue;
      triplets.push_back({i, uniform.columns[k], uniform.values[k]});
      total += std::fabs(uniform.values[k]);
    }
    triplets.push_back({i, i, total});
  }
  return csr_from_triplets(rows, rows, std::span<const Triplet<T>>(triplets));
}

TYPED_TEST(Solvers, ConjugateGradientsFindTheSolution) {
  this->expect_solved(&conjugate_gradients<TypeParam>,
                      generate<TypeParam>({.kind = MatrixKind::Poisson2d, .rows = 400}), {});
}

TYPED_TEST(Solvers, BicgstabFindsTheSolution) {
  this->expect_solved(&bicgstab<TypeParam>, dominant<TypeParam>(300), {});
}

constexpr Request transposed{.operand = Operand::Transpose, .columns = 1};

TYPED_TEST(Solvers, BicgFindsTheSolution) {
  this->expect_solved(&bicg<TypeParam>, dominant<TypeParam>(300), {}, transposed);
}

TYPED_TEST(Solvers, LsqrMinimisesTheResidual) {
  using T = TypeParam;
  constexpr Index rows = 400;
  constexpr Index cols = 60;
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < rows; ++i) {
    for (Index k = 0; k < 5; ++k) {
      triplets.push_back({i, (7 * i + 11 * k * k) % cols, static_cast<T>(1 + (i + k) % 3)});
    }
  }
  const auto matrix = csr_from_triplets(rows, cols, std::span<const Triplet<T>>(triplets));
  std::vector<T> b(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(static_cast<double>(i % 13) - 5);
  const auto fit = [&](const GMatrix<T>& A) {
    Vector<T> x(A.cols(), T{1});
    const auto result = lsqr(this->runtime_, A, Vector<T>(std::span<const T>(b)), x,
                             {.rtol = this->rtol, .max_iterations = 500});
    EXPECT_TRUE(result.converged) << result.residual << " " << result.breakdown;
    return elements(x);
  };
  const std::vector<T> found = this->in_every_state(matrix, fit, transposed);

  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic> dense = Eigen::MatrixXd::Zero(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    matrix.row(i, [&](Column j, T value) { dense(i, j) = static_cast<double>(value); });
  }
  const Eigen::VectorXd right =
      Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>>(b.data(), rows).template cast<double>();
  const Eigen::VectorXd best = dense.colPivHouseholderQr().solve(right);
  for (Index j = 0; j < cols; ++j) {
    EXPECT_NEAR(found[static_cast<std::size_t>(j)], best[j], this->tolerance) << j;
  }
}

TYPED_TEST(Solvers, GmresFindsTheSolutionRestartedOrNot) {
  this->expect_solved(&gmres<TypeParam>, dominant<TypeParam>(300), {.restart = 50});
  this->expect_solved(&gmres<TypeParam>, dominant<TypeParam>(300), {.restart = 4});
}

TYPED_TEST(Solvers, PowerIterationFindsTheLargestEigenvalue) {
  using T = TypeParam;
  std::vector<Triplet<T>> triplets{{0, 1, T(0.5)}};
  for (Index i = 0; i < 50; ++i) triplets.push_back({i, i, T(i == 17 ? -10 : 5) / T(i % 3 + 1)});
  triplets.push_back({17, 3, T(1)});
  const auto matrix = csr_from_triplets(50, 50, std::span<const Triplet<T>>(triplets));
  this->in_every_state(matrix, [&](const GMatrix<T>& A) {
    Vector<T> x(50, T(1));
    scale(this->runtime_, T(2), x);
    const auto result =
        power_iteration(this->runtime_, A, x, {.rtol = this->rtol * 10, .max_iterations = 5000});
    EXPECT_TRUE(result.converged) << result.residual;
    EXPECT_NEAR(result.eigenvalue, 5, 1e-4);
    EXPECT_NEAR(norm(this->runtime_, x), 1, 1e-4);
    return elements(x);
  });
}

TYPED_TEST(Solvers, PowerIterationKeepsAnEigenvectorOfZero) {
  using T = TypeParam;
  const auto matrix = csr_from_triplets<T>(3, 3, {});
  this->in_every_state(matrix, [&](const GMatrix<T>& A) {
    Vector<T> x{T(2), T(0), T(0)};
    const auto result = power_iteration(this->runtime_, A, x, {});
    EXPECT_TRUE(result.converged);
    EXPECT_EQ(result.eigenvalue, 0);
    EXPECT_EQ(elements(x), (std::vector<T>{1, 0, 0}));
    return elements(x);
  });
}

TYPED_TEST(Solvers, PowerIterationDoesNotDependOnTheScale) {
  using T = TypeParam;
  for (const T scale : {T(1e-25), T(1e25)}) {
    const std::vector<Triplet<T>> triplets{{0, 0, scale * T(2)}, {0, 1, scale}, {1, 1, scale}};
    const auto matrix = csr_from_triplets(2, 2, std::span<const Triplet<T>>(triplets));
    this->in_every_state(matrix, [&](const GMatrix<T>& A) {
      Vector<T> x(2, T(1));
      const auto result = power_iteration(this->runtime_, A, x, {.rtol = this->rtol});
      EXPECT_TRUE(result.converged) << result.residual;
      EXPECT_NEAR(result.eigenvalue / static_cast<double>(scale), 2, 1e-4);
      EXPECT_NEAR(std::fabs(x[0]), 1, 1e-4);
      return elements(x);
    });
  }
}

TYPED_TEST(Solvers, PagerankIsWhatItsDefinitionSays) {
  using T = TypeParam;
  // 0 -> 1, 2; 1 -> 2; 2 -> 0; 3 -> 2; 4 has no links.
  const std::vector<Triplet<T>> links{{0, 1, 1}, {0, 2, 5}, {1, 2, 1}, {2, 0, 1}, {3, 2, T(-2)}};
  const auto graph = csr_from_triplets(5, 5, std::span<const Triplet<T>>(links));
  const std::vector<T> ranks = this->in_every_state(link_matrix(graph), [&](const GMatrix<T>& A) {
    Vector<T> x(5);
    const auto result = pagerank(this->runtime_, A, x, {.rtol = this->rtol, .max_iterations = 500});
    EXPECT_TRUE(result.converged);
    return elements(x);
  });
  const T spread = (T(0.15) + T(0.85) * ranks[4]) / 5;
  EXPECT_NEAR(ranks[0], spread + T(0.85) * ranks[2], 1e-5);
  EXPECT_NEAR(ranks[1], spread + T(0.85) * ranks[0] / 2, 1e-5);
  EXPECT_NEAR(ranks[2], spread + T(0.85) * (ranks[0] / 2 + ranks[1] + ranks[3]), 1e-5);
  EXPECT_NEAR(ranks[3], spread, 1e-5);
  EXPECT_NEAR(ranks[0] + ranks[1] + ranks[2] + ranks[3] + ranks[4], 1, 1e-5);
}

TYPED_TEST(Solvers, InferenceGivesTheSameInEveryState) {
  using T = TypeParam;
  const auto first =
      generate<T>({.kind = MatrixKind::Pruned, .rows = 60, .cols = 40, .density = 0.4, .seed = 1});
  this->in_every_state(
      generate<T>({.kind = MatrixKind::Pruned, .rows = 30, .cols = 60, .density = 0.2}),
      [&](const GMatrix<T>& A) {
        std::vector<GMatrix<T>> layers;
        layers.push_back(this->runtime_.matrix(this->copied(first)));
        if (A.pinned()) layers.front().pin(*A.pinned());
        layers.push_back(this->runtime_.matrix(A.copy_out(Format::Csr)));
        if (A.pinned()) layers.back().pin(*A.pinned());
        auto outputs = layer_outputs(layers);
        std::vector<T> all;
        for (const T value : {T(1), T(-2)}) {
          const Vector<T> input(40, value);
          const auto output = elements(infer(this->runtime_, layers, input, outputs));
          EXPECT_GE(std::ranges::min(elements(outputs.front())), T(0));
          all.insert(all.end(), output.begin(), output.end());
        }
        return all;
      });
}

TYPED_TEST(Solvers, EigensOwnSolversTakeTheMatrix) {
  using T = TypeParam;
  using Matrix = EigenMatrix<T>;
  using Values = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  const auto ones = std::vector<T>(400, T(1));
  const auto solve = [&](auto& solver, const Matrix& A) {
    solver.setTolerance(static_cast<T>(this->rtol));
    const Values b = A * Values::Ones(400);
    const Values x = solver.solve(b);
    EXPECT_EQ(solver.info(), Eigen::Success);
    const std::vector<T> found(x.data(), x.data() + x.size());
    EXPECT_LE(difference(found, ones), this->tolerance);
    return found;
  };
  this->in_every_state(
      generate<T>({.kind = MatrixKind::Poisson2d, .rows = 400}), [&](const GMatrix<T>& matrix) {
        const Matrix A = as_eigen(matrix);
        Eigen::BiCGSTAB<Matrix, Eigen::IdentityPreconditioner> stabilised(A);
        Eigen::GMRES<Matrix, Eigen::IdentityPreconditioner> minimal(A);
        Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper, Eigen::IdentityPreconditioner>
            conjugate(A);
        solve(stabilised, A);
        solve(minimal, A);
        return solve(conjugate, A);
      });
}

TEST(SolversThatCannot, SayWhyAndKeepTheirNumbers) {
  const Runtime runtime{RuntimeOptions{}};
  const std::vector<Triplet<double>> indefinite{{0, 0, 1}, {1, 1, -1}, {0, 1, 2}, {1, 0, 2}};
  const auto matrix = csr_from_triplets<double>(2, 2, indefinite);
  const auto A = runtime.matrix(csr_from_triplets<double>(2, 2, indefinite));
  const Vector<double> none(2, 1.0);
  const Vector<double> b{1, -3};
  Vector<double> x(2);
  const auto result = conjugate_gradients(runtime, A, none, b, x, {});
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.breakdown, "the matrix is not positive definite");
  for (const double value : elements(x)) EXPECT_TRUE(std::isfinite(value));
  const auto other = conjugate_gradients(runtime, A, inverse_diagonal(matrix), b, x, {});
  EXPECT_FALSE(other.converged);
  EXPECT_EQ(other.breakdown, "the preconditioner is not positive definite");

  const std::vector<Triplet<double>> turn{{0, 1, 1}, {1, 0, -1}};
  const auto B = runtime.matrix(csr_from_triplets<double>(2, 2, turn));
  fill(runtime, 0, x);
  EXPECT_FALSE(bicgstab(runtime, B, none, b, x, {}).breakdown.empty());
  fill(runtime, 0, x);
  EXPECT_TRUE(gmres(runtime, B, none, b, x, {}).converged);
}

TEST(SolversThatCannot, ASingularMatrixEndsGmres) {
  const Runtime runtime{RuntimeOptions{}};
  const std::vector<Triplet<double>> singular{{0, 0, 1}, {1, 0, 1}};
  const auto A = runtime.matrix(csr_from_triplets<double>(2, 2, singular));
  const Vector<double> none(2, 1.0);
  Vector<double> x(2);
  const auto result = gmres(runtime, A, none, Vector<double>{1, 2}, x, {.max_iterations = 50});
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.iterations, 50);
  EXPECT_NEAR(result.residual, std::sqrt(0.5 / 5), 1e-8);
}

TEST(SolversThatCannot, NothingToDoIsDone) {
  const Runtime runtime{RuntimeOptions{}};
  for (const Index n : {0, 3}) {
    const auto A = runtime.matrix(csr_from_triplets<double>(n, n, {}));
    const Vector<double> none(n, 1.0);
    const Vector<double> b(n);
    Vector<double> x(n);
    EXPECT_TRUE(conjugate_gradients(runtime, A, none, b, x, {}).converged);
    EXPECT_TRUE(bicgstab(runtime, A, none, b, x, {}).converged);
    EXPECT_TRUE(gmres(runtime, A, none, b, x, {}).converged);
    EXPECT_TRUE(pagerank(runtime, A, x, {}).converged);
  }
}

TEST(SolversThatCannot, NumbersThatAreNoneAreNotASolution) {
  const Runtime runtime{RuntimeOptions{}};
  const auto A =
      runtime.matrix(csr_from_triplets<double>(1, 1, std::vector<Triplet<double>>{{0, 0, 1}}));
  const Vector<double> none(1, 1.0);
  const Vector<double> b(1, std::nan(""));
  Vector<double> x(1);
  for (const auto method : {&conjugate_gradients<double>, &bicgstab<double>, &gmres<double>}) {
    const auto result = method(runtime, A, none, b, x, {});
    EXPECT_FALSE(result.converged);
    EXPECT_FALSE(result.breakdown.empty());
  }
}

TEST(HostMatrices, SymmetryAndDiagonal) {
  EXPECT_TRUE(is_symmetric(generate<float>({.kind = MatrixKind::Poisson3d, .rows = 27})));
  EXPECT_FALSE(is_symmetric(generate<float>({.rows = 50})));
  EXPECT_FALSE(is_symmetric(generate<float>({.rows = 5, .cols = 6, .density = 0.5})));
  const std::vector<Triplet<double>> triplets{{0, 0, 4}, {1, 0, 1}, {2, 2, 0}};
  const Vector<double> inverse = inverse_diagonal(csr_from_triplets<double>(3, 3, triplets));
  EXPECT_EQ(elements(inverse), (std::vector<double>{0.25, 1, 1}));
}

}  // namespace
}  // namespace switchyard::solvers
