// From a matrix to a program that can be run again and again.
#include "programs_make.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "command/run.hpp"
#include "command/solve_run.hpp"
#include "solvers/host_matrices.hpp"
#include "solvers/inference.hpp"

namespace switchyard::command::bench {
namespace {

/// Makes a matrix with a whole diagonal into one of transport with a drift: weakly coupled
/// neighbours that count more on one side than on the other, and a diagonal just above their sum.
/// Random values would be solved for in ten iterations, and time nothing.
template <Element T>
Csr<T> skew(Csr<T> A) {
  constexpr double drift = 0.3;
  constexpr double dominance = 1.001;
  for (Index i = 0; i < A.rows; ++i) {
    double sum = 0;
    for (Index k = A.offset(i); k < A.offset(i + 1); ++k) {
      if (A.columns[k] == i) continue;
      const double size = std::fabs(A.values[k]) * (A.columns[k] > i ? 1 + drift : 1 - drift);
      A.values[k] = static_cast<T>(-size);
      sum += size;
    }
    for (Index k = A.offset(i); k < A.offset(i + 1); ++k) {
      if (A.columns[k] == i) A.values[k] = static_cast<T>(dominance * sum);
    }
  }
  return A;
}

template <Element T>
solvers::SolveOptions options_for(Method method, Index iterations) {
  // Power iteration can be told to make them all, and tells the matrix; the others run as they do
  // in earnest, towards a residual that rounding keeps out of reach. At zero, what is left of a
  // solved system would underflow.
  const double out_of_reach = std::numeric_limits<T>::epsilon() / 100;
  return {.rtol = method == Method::Power ? 0 : out_of_reach, .max_iterations = iterations};
}

template <Element T>
Program<T> method_program(Method method, const std::string& matrix,
                          std::shared_ptr<const MatrixStack<T>> A, Index iterations) {
  const Csr<T>& rows = std::get<Csr<T>>(A->front());
  std::vector<T> b;
  if (solves_equations(method)) {
    b = image_of<T>(A->front(), test_vector<T>(rows.cols));
  }
  const Problem<T> posed = pose<T>(method, rows, b);
  const auto options = options_for<T>(method, iterations);
  Program<T> program{.name = std::string(name(method)),
                     .matrix = matrix,
                     .told = method == Method::Power,
                     .matrices = std::move(A),
                     .run = {}};
  program.run = [=](const Runtime& runtime, const std::vector<GMatrix<T>>& handles) {
    Problem<T> problem = posed;
    ProgramAnswer<T> answer;
    MethodResult result;
    std::span<const T> x;
    answer.seconds = seconds_of([&] {
      result = run_method(method, runtime, handles.front(), problem, options);
      x = problem.x.read();
    });
    answer.iterations = result.iterations;
    answer.eigenvalue = result.eigenvalue.value_or(0);
    answer.x.assign(x.begin(), x.end());
    return answer;
  };
  program.residual = [method, posed, A = program.matrices](const ProgramAnswer<T>& answer) {
    Problem<T> problem = posed;
    problem.x = Vector<T>(std::span<const T>(answer.x));
    return checked_residual(method, A->front(), problem, answer.eigenvalue);
  };
  return program;
}

/// One input after another, each written by the host and its output kept there.
template <Element T>
Program<T> inference_program(const std::string& matrix, std::shared_ptr<const MatrixStack<T>> W,
                             Index inputs) {
  Program<T> program{.name = "inference", .matrix = matrix, .matrices = std::move(W), .run = {}};
  const std::vector<T> first = test_vector<T>(cols_of(program.matrices->front()));
  program.run = [=](const Runtime& runtime, const std::vector<GMatrix<T>>& layers) {
    auto outputs = solvers::layer_outputs(layers);
    Vector<T> input(layers.front().cols());
    ProgramAnswer<T> answer{.iterations = inputs};
    answer.x.reserve(static_cast<std::size_t>(inputs * layers.back().rows()));
    answer.seconds = seconds_of([&] {
      for (Index i = 0; i < inputs; ++i) {
        // Another input each time, at the price of a copy.
        std::ranges::rotate_copy(first, first.begin() + i % std::ssize(first),
                                 input.write().begin());
        const auto output = solvers::infer(runtime, layers, input, outputs).read();
        answer.x.insert(answer.x.end(), output.begin(), output.end());
      }
    });
    return answer;
  };
  return program;
}

template <Element T>
std::shared_ptr<const MatrixStack<T>> stack_of(Csr<T> matrix) {
  MatrixStack<T> stack;
  stack.emplace_back(std::move(matrix));
  return std::make_shared<const MatrixStack<T>>(std::move(stack));
}

std::string title(const ProgramRecipe& recipe) {
  std::string text;
  for (const Subject& subject : recipe.subjects) text += (text.empty() ? "" : "+") + subject.name;
  return recipe.skewed ? text + " skewed" : text;
}

template <Element T>
Program<T> make_work(const ProgramRecipe& recipe) {
  MatrixStack<T> matrices;
  for (const Subject& subject : recipe.subjects) matrices.emplace_back(subject.make<T>());
  const auto stack = std::make_shared<const MatrixStack<T>>(std::move(matrices));
  const std::string matrix = title(recipe);
  switch (recipe.work) {
    case Work::LeastSquares:
      return least_squares_program<T>(matrix, stack, recipe.iterations);
    case Work::SingularValues:
      return singular_values_program<T>(matrix, stack, recipe.columns, recipe.iterations);
    case Work::Training:
      return training_program<T>(matrix, stack, recipe.columns, recipe.iterations);
    case Work::Inference:
      break;
  }
  return inference_program<T>(matrix, stack, recipe.iterations);
}

}  // namespace

template <Element T>
Program<T> make_program(const ProgramRecipe& recipe) {
  if (!recipe.method) return make_work<T>(recipe);
  Csr<T> matrix = recipe.subjects.front().make<T>();
  if (recipe.skewed) matrix = skew(std::move(matrix));
  if (recipe.method == Method::Pagerank) matrix = solvers::link_matrix(matrix);
  return method_program<T>(*recipe.method, title(recipe), stack_of(std::move(matrix)),
                           recipe.iterations);
}

template <Element T>
std::vector<Program<T>> programs_for(const Subject& subject, bool quick) {
  const Index iterations = quick ? 30 : 100;
  const auto stack = stack_of(subject.make<T>());
  const Csr<T>& A = std::get<Csr<T>>(stack->front());
  std::vector<Program<T>> programs;
  if (A.nnz == 0) return programs;
  const bool square = A.rows == A.cols;
  if (square) {
    std::vector<Method> methods{choose_method(A).method};
    if (methods.front() == Method::Gmres) methods.push_back(Method::Bicgstab);
    methods.push_back(Method::Power);
    for (const Method method : methods) {
      programs.push_back(method_program<T>(method, subject.name, stack, iterations));
    }
    programs.push_back(method_program<T>(Method::Pagerank, subject.name,
                                         stack_of(solvers::link_matrix(A)), iterations));
  }
  const bool like_weights = structure_of(A).density() >= 0.01;
  if (!square || like_weights) {
    programs.push_back(inference_program<T>(subject.name, stack, iterations));
  }
  return programs;
}

template <Element T>
std::vector<Program<T>> programs_for(const Subject& subject, const Request& request, bool quick) {
  const Index iterations = quick ? 10 : 30;
  const auto stack = stack_of(subject.make<T>());
  const Csr<T>& A = std::get<Csr<T>>(stack->front());
  std::vector<Program<T>> programs;
  if (A.nnz == 0) return programs;
  if (request.columns == 1) {
    programs.push_back(least_squares_program<T>(subject.name, stack, 3 * iterations));
    return programs;
  }
  if (request.columns <= std::min(A.rows, A.cols)) {
    programs.push_back(
        singular_values_program<T>(subject.name, stack, request.columns, iterations));
  }
  programs.push_back(training_program<T>(subject.name, stack, request.columns, iterations));
  return programs;
}

template std::vector<Program<float>> programs_for(const Subject&, const Request&, bool);
template std::vector<Program<double>> programs_for(const Subject&, const Request&, bool);
template Program<float> make_program(const ProgramRecipe&);
template Program<double> make_program(const ProgramRecipe&);
template std::vector<Program<float>> programs_for(const Subject&, bool);
template std::vector<Program<double>> programs_for(const Subject&, bool);

}  // namespace switchyard::command::bench
