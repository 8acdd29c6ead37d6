// The iterative methods that `switchyard solve` offers, by name, and which of them fits a matrix.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <switchyard/containers/csr.hpp>

namespace switchyard::command {

enum class Method { Cg, Bicgstab, Gmres, Power, Pagerank };

/// "cg", "bicgstab", "gmres", "power", "pagerank".
[[nodiscard]] std::string_view name(Method method) noexcept;
[[nodiscard]] std::optional<Method> parse_method(std::string_view text) noexcept;

/// Whether it solves A x = b; the others find an eigenvector.
[[nodiscard]] constexpr bool solves_equations(Method method) noexcept {
  return method != Method::Power && method != Method::Pagerank;
}

struct MethodChoice {
  Method method = Method::Gmres;
  std::string why;
};

/// The method for A x = b with such a matrix: conjugate gradients where they may work, GMRES
/// otherwise, which works always, given time.
template <Element T>
[[nodiscard]] MethodChoice choose_method(const Csr<T>& A);

}  // namespace switchyard::command
