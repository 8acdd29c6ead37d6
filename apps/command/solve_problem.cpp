// From a matrix to a problem: the method, the right-hand side, the preconditioner.
#include "solve_problem.hpp"

#include <algorithm>
#include <switchyard/backends/openmp.hpp>
#include <switchyard/backends/operations.hpp>
#include <switchyard/backends/reference.hpp>
#include <type_traits>

#include "solve_check.hpp"
#include "solvers/host_matrices.hpp"

namespace switchyard::command {
namespace {

/// The matrix as rows to look at; of a dense one its elements that are not zero.
template <Element T>
Csr<T> rows_of_host(const Storage<T>& storage) {
  if (const auto* csr = std::get_if<Csr<T>>(&storage)) {
    Csr<T> view{csr->rows, csr->cols, csr->nnz, {}, {}, {}};
    const auto look = [&](const auto& offsets) {
      view.offsets = std::remove_cvref_t<decltype(offsets)>::borrow(offsets.span());
    };
    std::visit(look, csr->offsets);
    view.columns = Array<Column>::borrow(csr->columns.span());
    view.values = Array<T>::borrow(csr->values.span());
    return view;
  }
  const auto host = make_host_executor();
  const auto* const convert = find_convert<T>(Format::Dense, Format::Csr, Backend::OpenMP);
  return std::get<Csr<T>>(convert->run(*host, storage));
}

template <Element T>
std::vector<T> right_hand_side(const SolveRequest& request, const Storage<T>& A) {
  if (request.rhs.empty()) {
    const std::vector<T> ones(static_cast<std::size_t>(cols_of(A)), T{1});
    return image_of<T>(A, ones);
  }
  const Storage<T> read = read_file<T>(request.rhs);
  if (cols_of(read) != 1 || rows_of(read) != rows_of(A)) {
    throw Error(ErrorCode::DimensionMismatch,
                "the right-hand side is " + std::to_string(rows_of(read)) + " x " +
                    std::to_string(cols_of(read)) + " and should be " + std::to_string(rows_of(A)) +
                    " x 1",
                request.rhs);
  }
  return only_column(read);
}

}  // namespace

template <Element T>
std::vector<T> image_of(const Storage<T>& A, std::span<const T> x) {
  std::vector<T> image;
  for (const ReferenceRow& row : reference_multiply<T>(A, T{1}, x, T{0}, {})) {
    image.push_back(static_cast<T>(row.value));
  }
  return image;
}

template <Element T>
Problem<T> pose(Method method, const Csr<T>& rows, std::span<const T> b) {
  Problem<T> problem{.jacobi = {}, .b = {}, .x = Vector<T>(rows.rows)};
  if (method == Method::Power) {
    problem.x = Vector<T>(std::span<const T>(test_vector<T>(rows.rows)));
  } else if (solves_equations(method)) {
    problem.jacobi = solvers::inverse_diagonal(rows);
    problem.b = Vector<T>(b);
  }
  return problem;
}

template <Element T>
Problem<T> prepare(SolveReport& report, Storage<T>& A) {
  const SolveRequest& request = report.request;
  if (rows_of(A) != cols_of(A)) {
    throw Error(ErrorCode::DimensionMismatch,
                "a matrix of " + std::to_string(rows_of(A)) + " x " + std::to_string(cols_of(A)) +
                    " is not square",
                request.matrix.text);
  }
  const Csr<T> rows = rows_of_host(A);
  report.choice = request.method ? MethodChoice{*request.method, {}} : choose_method(rows);
  const Method method = report.choice.method;
  const std::vector<T> b =
      solves_equations(method) ? right_hand_side(request, A) : std::vector<T>{};
  Problem<T> problem = pose<T>(method, rows, b);
  // Where A maps ones to nothing, zeros are as good a solution.
  problem.known = request.rhs.empty() && std::ranges::any_of(b, [](T value) { return value != 0; });
  if (method == Method::Pagerank) A = solvers::link_matrix(rows);
  report.structure = exact_structure(A);
  return problem;
}

template std::vector<float> image_of(const Storage<float>&, std::span<const float>);
template std::vector<double> image_of(const Storage<double>&, std::span<const double>);
template Problem<float> pose(Method, const Csr<float>&, std::span<const float>);
template Problem<double> pose(Method, const Csr<double>&, std::span<const double>);
template Problem<float> prepare(SolveReport&, Storage<float>&);
template Problem<double> prepare(SolveReport&, Storage<double>&);

}  // namespace switchyard::command
