// Programs with all that they need before the clock starts.
#pragma once

#include <functional>
#include <memory>
#include <switchyard/core/runtime.hpp>

#include "command/solve_method.hpp"
#include "matrices.hpp"

namespace switchyard::command::bench {

template <Element T>
struct ProgramAnswer {
  double seconds = 0;
  Index iterations = 0;
  std::vector<T> x = {};
  double eigenvalue = 0;
};

template <Element T>
using MatrixStack = std::vector<Storage<T>>;

template <Element T>
struct Program {
  std::string name;
  std::string matrix;
  bool told = false;
  std::shared_ptr<const MatrixStack<T>> matrices;
  /// Runs it on handles of `matrices`; only what a user would wait for is timed.
  std::function<ProgramAnswer<T>(const Runtime&, const std::vector<GMatrix<T>>&)> run;
  /// The true residual of an answer; absent where the answer solves nothing.
  std::function<double(const ProgramAnswer<T>&)> residual = {};
};

/// What a program does that none of the methods of `solve` does.
enum class Work { Inference, LeastSquares, SingularValues, Training };

/// A program of the default list, its matrix to be made when its turn comes.
struct ProgramRecipe {
  std::optional<Method> method;  ///< absent: `work`
  std::vector<Subject> subjects;
  Index iterations = 0;  ///< of inference: inputs; of training: batches
  bool skewed = false;   ///< made into a nonsymmetric problem of transport, see `skew`
  Work work = Work::Inference;
  Index columns = 1;  ///< of X: singular values, or inputs of a batch
};

[[nodiscard]] std::vector<ProgramRecipe> default_programs(bool quick);

/// Throws `Error` where the matrix cannot be made.
template <Element T>
[[nodiscard]] Program<T> make_program(const ProgramRecipe& recipe);

/// LSQR.
template <Element T>
[[nodiscard]] Program<T> least_squares_program(const std::string& matrix,
                                               std::shared_ptr<const MatrixStack<T>> A,
                                               Index iterations);
/// As many of the largest singular values as there are columns. REQUIRES: no more than rows or
/// columns of A.
template <Element T>
[[nodiscard]] Program<T> singular_values_program(const std::string& matrix,
                                                 std::shared_ptr<const MatrixStack<T>> A,
                                                 Index columns, Index iterations);
/// Batches of inputs forward through the layers, and derivatives back.
template <Element T>
[[nodiscard]] Program<T> training_program(const std::string& matrix,
                                          std::shared_ptr<const MatrixStack<T>> W, Index columns,
                                          Index batches);

/// The programs that make such products of a matrix: LSQR for the transpose of one vector, else the
/// largest singular values and training, as far as they apply. REQUIRES: not plain products.
template <Element T>
[[nodiscard]] std::vector<Program<T>> programs_for(const Subject& subject, const Request& request,
                                                   bool quick);

/// The programs that apply to a matrix: the solvers that `solve` would take, power iteration and
/// PageRank where it is square, inference where it is not, or not very sparse.
template <Element T>
[[nodiscard]] std::vector<Program<T>> programs_for(const Subject& subject, bool quick);

}  // namespace switchyard::command::bench
