// What a caller asks of a matrix.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <switchyard/containers/format.hpp>
#include <switchyard/containers/numbers.hpp>

namespace switchyard {

/// Which form of the matrix is applied to x.
enum class Operand : std::uint8_t {
  Matrix,     ///< y = A x
  Transpose,  ///< y = A^T x
};

/// "matrix", "transpose".
[[nodiscard]] constexpr std::string_view name(Operand operand) noexcept {
  return operand == Operand::Matrix ? "matrix" : "transpose";
}

/// One kind of multiplication. Everything between the interface and the kernels takes a request:
/// a matrix remembers one decision, and counts calls, for each one that it has seen.
struct Request {
  Operand operand = Operand::Matrix;  ///< A, or its transpose
  Index columns = 1;                  ///< of x and y
  auto operator<=>(const Request&) const = default;
};

/// "multiply", "multiply transposed", "multiply 16 columns", "multiply transposed, 16 columns".
[[nodiscard]] std::string name(const Request& request);

/// The operand for which each sum of a product lies together in that format: for the other one its
/// elements' terms have to be scattered over y.
[[nodiscard]] constexpr Operand gathered_operand(Format format) noexcept {
  return format == Format::Csc ? Operand::Transpose : Operand::Matrix;
}

/// Rows of x, each of `request.columns` elements, for a matrix of `rows` x `cols`.
[[nodiscard]] constexpr Index x_rows(const Request& request, Index rows, Index cols) noexcept {
  return request.operand == Operand::Matrix ? cols : rows;
}
/// Rows of y for a matrix of `rows` x `cols`.
[[nodiscard]] constexpr Index y_rows(const Request& request, Index rows, Index cols) noexcept {
  return request.operand == Operand::Matrix ? rows : cols;
}

/// Elements of x, for a matrix of `rows` x `cols`.
[[nodiscard]] constexpr Index x_size(const Request& request, Index rows, Index cols) noexcept {
  return x_rows(request, rows, cols) * request.columns;
}
/// Elements of y, for a matrix of `rows` x `cols`.
[[nodiscard]] constexpr Index y_size(const Request& request, Index rows, Index cols) noexcept {
  return y_rows(request, rows, cols) * request.columns;
}

}  // namespace switchyard
