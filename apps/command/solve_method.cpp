// Choosing an iterative method.
#include "solve_method.hpp"

#include <algorithm>
#include <array>

#include "solvers/host_matrices.hpp"

namespace switchyard::command {
namespace {

constexpr std::array names{"cg", "bicgstab", "gmres", "power", "pagerank"};

template <Element T>
bool has_positive_diagonal(const Csr<T>& A) {
  Index positive = 0;
  for (Index i = 0; i < A.rows; ++i) {
    for (Index k = A.offset(i); k < A.offset(i + 1); ++k) {
      if (A.columns[k] == i && A.values[k] > 0) ++positive;
    }
  }
  return positive == A.rows;
}

}  // namespace

std::string_view name(Method method) noexcept { return names[static_cast<std::size_t>(method)]; }

std::optional<Method> parse_method(std::string_view text) noexcept {
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) return std::nullopt;
  return static_cast<Method>(found - names.begin());
}

template <Element T>
MethodChoice choose_method(const Csr<T>& A) {
  if (!solvers::is_symmetric(A)) return {Method::Gmres, "the matrix is not symmetric"};
  if (!has_positive_diagonal(A)) {
    return {Method::Gmres, "the matrix is symmetric, but its diagonal is not positive"};
  }
  return {Method::Cg, "the matrix is symmetric with a positive diagonal"};
}

template MethodChoice choose_method(const Csr<float>&);
template MethodChoice choose_method(const Csr<double>&);

}  // namespace switchyard::command
