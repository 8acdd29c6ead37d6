// Programs that multiply by the transpose or by several columns.
#include <algorithm>
#include <cmath>

#include "command/run.hpp"
#include "command/solve_problem.hpp"
#include "programs_make.hpp"
#include "solvers/inference.hpp"
#include "solvers/lsqr.hpp"
#include "solvers/singular_values.hpp"

namespace switchyard::command::bench {
namespace {

/// ||A^T (b - A x)|| / ||A^T b||.
template <Element T>
double normal_residual(const Csr<T>& A, std::span<const T> b, std::span<const T> x) {
  std::vector<double> rest(static_cast<std::size_t>(A.cols));
  std::vector<double> whole(static_cast<std::size_t>(A.cols));
  for (Index i = 0; i < A.rows; ++i) {
    const auto right = static_cast<double>(b[static_cast<std::size_t>(i)]);
    double left = right;
    A.row(i, [&](Column j, T value) {
      left -= static_cast<double>(value) * static_cast<double>(x[static_cast<std::size_t>(j)]);
    });
    A.row(i, [&](Column j, T value) {
      rest[static_cast<std::size_t>(j)] += static_cast<double>(value) * left;
      whole[static_cast<std::size_t>(j)] += static_cast<double>(value) * right;
    });
  }
  const auto length = [](const std::vector<double>& vector) {
    double sum = 0;
    for (const double element : vector) sum += element * element;
    return std::sqrt(sum);
  };
  const double scale = length(whole);
  return scale == 0 ? 0 : length(rest) / scale;
}

}  // namespace

template <Element T>
Program<T> least_squares_program(const std::string& matrix, std::shared_ptr<const MatrixStack<T>> A,
                                 Index iterations) {
  const Csr<T>& rows = std::get<Csr<T>>(A->front());
  Program<T> program{.name = "lsqr", .matrix = matrix, .matrices = A, .run = {}};
  const auto b =
      std::make_shared<const std::vector<T>>(image_of<T>(A->front(), test_vector<T>(rows.cols)));
  program.run = [=](const Runtime& runtime, const std::vector<GMatrix<T>>& handles) {
    const Vector<T> right{std::span<const T>(*b)};
    Vector<T> x(handles.front().cols());
    ProgramAnswer<T> answer;
    std::span<const T> read;
    answer.seconds = seconds_of([&] {
      // A residual that rounding keeps out of reach.
      const double rtol = std::numeric_limits<T>::epsilon() / 100;
      answer.iterations = solvers::lsqr(runtime, handles.front(), right, x,
                                        {.rtol = rtol, .max_iterations = iterations})
                              .iterations;
      read = x.read();
    });
    answer.x.assign(read.begin(), read.end());
    return answer;
  };
  program.residual = [A, b](const ProgramAnswer<T>& answer) {
    return normal_residual<T>(std::get<Csr<T>>(A->front()), *b, answer.x);
  };
  return program;
}

template <Element T>
Program<T> singular_values_program(const std::string& matrix,
                                   std::shared_ptr<const MatrixStack<T>> A, Index columns,
                                   Index iterations) {
  Program<T> program{
      .name = "svd", .matrix = matrix, .told = true, .matrices = std::move(A), .run = {}};
  program.run = [=](const Runtime&, const std::vector<GMatrix<T>>& handles) {
    ProgramAnswer<T> answer{.iterations = iterations};
    answer.seconds = seconds_of(
        [&] { answer.x = solvers::largest_singular_values(handles.front(), columns, iterations); });
    return answer;
  };
  return program;
}

template <Element T>
Program<T> training_program(const std::string& matrix, std::shared_ptr<const MatrixStack<T>> W,
                            Index columns, Index batches) {
  Program<T> program{.name = "training", .matrix = matrix, .matrices = std::move(W), .run = {}};
  const std::vector<T> first = test_vector<T>(cols_of(program.matrices->front()) * columns);
  program.run = [=](const Runtime& runtime, const std::vector<GMatrix<T>>& layers) {
    MultiVector<T> input(layers.front().cols(), columns);
    auto outputs = solvers::layer_outputs(layers, columns);
    auto deltas = solvers::layer_outputs(layers, columns);
    ProgramAnswer<T> answer{.iterations = batches};
    answer.seconds = seconds_of([&] {
      for (Index i = 0; i < batches; ++i) {
        // Another batch each time, at the price of a copy; the loss is the sum of the outputs.
        std::ranges::rotate_copy(first, first.begin() + i % std::ssize(first),
                                 input.write().begin());
        solvers::forward(runtime, layers, input, outputs);
        std::ranges::fill(deltas.back().write(), T{1});
        solvers::backward(runtime, layers, outputs, deltas);
      }
      const auto last = deltas.front().read();
      answer.x.assign(last.begin(), last.end());
      const auto output = outputs.back().read();
      answer.x.insert(answer.x.end(), output.begin(), output.end());
    });
    return answer;
  };
  return program;
}

template Program<float> least_squares_program(const std::string&,
                                              std::shared_ptr<const MatrixStack<float>>, Index);
template Program<double> least_squares_program(const std::string&,
                                               std::shared_ptr<const MatrixStack<double>>, Index);
template Program<float> singular_values_program(const std::string&,
                                                std::shared_ptr<const MatrixStack<float>>, Index,
                                                Index);
template Program<double> singular_values_program(const std::string&,
                                                 std::shared_ptr<const MatrixStack<double>>, Index,
                                                 Index);
template Program<float> training_program(const std::string&,
                                         std::shared_ptr<const MatrixStack<float>>, Index, Index);
template Program<double> training_program(const std::string&,
                                          std::shared_ptr<const MatrixStack<double>>, Index, Index);

}  // namespace switchyard::command::bench
