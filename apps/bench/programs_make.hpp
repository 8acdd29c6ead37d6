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

/// A program of the default list, its matrix to be made when its turn comes.
struct ProgramRecipe {
  std::optional<Method> method;  ///< absent: inference
  std::vector<Subject> subjects;
  Index iterations = 0;  ///< of inference: inputs
  bool skewed = false;   ///< made into a nonsymmetric problem of transport, see `skew`
};

[[nodiscard]] std::vector<ProgramRecipe> default_programs(bool quick);

/// Throws `Error` where the matrix cannot be made.
template <Element T>
[[nodiscard]] Program<T> make_program(const ProgramRecipe& recipe);

/// The programs that apply to a matrix: the solvers that `solve` would take, power iteration and
/// PageRank where it is square, inference where it is not, or not very sparse.
template <Element T>
[[nodiscard]] std::vector<Program<T>> programs_for(const Subject& subject, bool quick);

}  // namespace switchyard::command::bench
