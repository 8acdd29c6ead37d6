// Residuals in long double.
#include "solve_check.hpp"

#include <algorithm>
#include <cmath>
#include <switchyard/backends/reference.hpp>

namespace switchyard::command {
namespace {

using Wide = long double;

/// The Euclidean norm of `element(i)` for i below `size`.
template <class ElementOf>
Wide norm_of(std::size_t size, const ElementOf& element) {
  Wide sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += element(i) * element(i);
  return std::sqrt(sum);
}

/// A x by rows.
template <Element T>
std::vector<ReferenceRow> product(const Storage<T>& A, std::span<const T> x) {
  return reference_multiply<T>(A, T{1}, x, T{0}, {});
}

double ratio(Wide part, Wide whole) {
  return static_cast<double>(whole == 0 ? part : part / whole);
}

}  // namespace

template <Element T>
double true_residual(const Storage<T>& A, std::span<const T> x, std::span<const T> b) {
  const auto rows = product(A, x);
  const auto rest = [&](std::size_t i) { return rows[i].value - static_cast<Wide>(b[i]); };
  const auto right = [&](std::size_t i) { return static_cast<Wide>(b[i]); };
  return ratio(norm_of(b.size(), rest), norm_of(b.size(), right));
}

template <Element T>
double eigen_residual(const Storage<T>& A, std::span<const T> x, double lambda) {
  const auto rows = product(A, x);
  const Wide factor = lambda;
  const auto rest = [&](std::size_t i) { return rows[i].value - factor * static_cast<Wide>(x[i]); };
  const auto vector = [&](std::size_t i) { return factor * static_cast<Wide>(x[i]); };
  return ratio(norm_of(x.size(), rest), norm_of(x.size(), vector));
}

template <Element T>
double pagerank_residual(const Storage<T>& links, std::span<const T> ranks) {
  const auto rows = product(links, ranks);
  const Wide damping = 0.85L;
  Wide kept = 0;
  for (const ReferenceRow& row : rows) kept += damping * row.value;
  const Wide spread = (1 - kept) / static_cast<Wide>(std::max<std::size_t>(rows.size(), 1));
  const auto next = [&](std::size_t i) { return damping * rows[i].value + spread; };
  const auto change = [&](std::size_t i) { return next(i) - static_cast<Wide>(ranks[i]); };
  return ratio(norm_of(rows.size(), change), norm_of(rows.size(), next));
}

template <Element T>
double distance_from_ones(std::span<const T> x) {
  double worst = 0;
  for (const T value : x) {
    const double distance = std::fabs(static_cast<double>(value) - 1);
    if (!(distance <= worst)) worst = distance;  // NaN too
  }
  return worst;
}

template <Element T>
std::vector<T> only_column(const Storage<T>& matrix) {
  const std::vector<T> one{T{1}};
  std::vector<T> column;
  for (const ReferenceRow& row : product<T>(matrix, one)) {
    column.push_back(static_cast<T>(row.value));
  }
  return column;
}

template double true_residual(const Storage<float>&, std::span<const float>,
                              std::span<const float>);
template double true_residual(const Storage<double>&, std::span<const double>,
                              std::span<const double>);
template double eigen_residual(const Storage<float>&, std::span<const float>, double);
template double eigen_residual(const Storage<double>&, std::span<const double>, double);
template double pagerank_residual(const Storage<float>&, std::span<const float>);
template double pagerank_residual(const Storage<double>&, std::span<const double>);
template double distance_from_ones(std::span<const float>);
template double distance_from_ones(std::span<const double>);
template std::vector<float> only_column(const Storage<float>&);
template std::vector<double> only_column(const Storage<double>&);

}  // namespace switchyard::command
