// An element of a vector or of a matrix and those near it, as map_overlap shows them to its
// function.
#pragma once

#include <switchyard/backends/skeleton_operations.hpp>
#include <switchyard/backends/symbol.hpp>

namespace switchyard {

/// An element of a vector and those near it, as `map_overlap` shows them to its function.
template <Element T>
class Window {
 public:
  /// Around element `i` of `size`.
  Window(const T* elements, Index i, Index size, Edge edge) noexcept
      : elements_(elements), i_(i), size_(size), edge_(edge) {}
  /// The element `shift` places further; beyond the ends, what the edge says.
  [[nodiscard]] T operator()(Index shift = 0) const noexcept {
    Index at = i_ + shift;
    if (at >= 0 && at < size_) return elements_[at];
    if (edge_.kind == Edge::Kind::Constant) return static_cast<T>(edge_.value);
    if (edge_.kind == Edge::Kind::Nearest) return elements_[at < 0 ? 0 : size_ - 1];
    at %= size_;
    return elements_[at < 0 ? at + size_ : at];
  }

 private:
  const T* elements_;
  Index i_;
  Index size_;
  Edge edge_;
};

/// An element of a matrix or of a `MultiVector` and those near it, as `map_overlap` shows them to
/// its function.
template <Element T>
class MatrixWindow {
 public:
  /// Around the element in that row and column of a row-major matrix.
  MatrixWindow(const T* elements, Index row, Index column, Index rows, Index columns,
               Edge edge) noexcept
      : elements_(elements),
        row_(row),
        column_(column),
        rows_(rows),
        columns_(columns),
        edge_(edge) {}
  /// The element so many rows below and so many columns to the right; beyond the ends, what the
  /// edge says.
  [[nodiscard]] T operator()(Index down = 0, Index across = 0) const noexcept {
    Index row = row_ + down;
    Index column = column_ + across;
    if (row < 0 || row >= rows_ || column < 0 || column >= columns_) {
      if (edge_.kind == Edge::Kind::Constant) return static_cast<T>(edge_.value);
      row = inside(row, rows_);
      column = inside(column, columns_);
    }
    return elements_[row * columns_ + column];
  }

 private:
  /// A place of `size` that stands for that one.
  [[nodiscard]] Index inside(Index at, Index size) const noexcept {
    if (edge_.kind == Edge::Kind::Nearest) return at < 0 ? 0 : at < size ? at : size - 1;
    at %= size;
    return at < 0 ? at + size : at;
  }

  const T* elements_;
  Index row_;
  Index column_;
  Index rows_;
  Index columns_;
  Edge edge_;
};

namespace skeleton {

/// Windows with no more than so many elements to either side are read without looking where the
/// vector ends.
inline constexpr Index near_enough = 8;

/// As `Window` where the vector does not end nearby.
template <Element T>
class InnerWindow {
 public:
  /// Around element `i` of `size`.
  InnerWindow(const T* elements, Index i, Index size, Edge edge) noexcept
      : center_(elements + i), window_(elements, i, size, edge) {}
  /// See `Window`.
  [[nodiscard]] T operator()(Index shift = 0) const noexcept {
    const bool is_near = shift >= -near_enough && shift <= near_enough;
    return is_near ? center_[shift] : window_(shift);
  }

 private:
  const T* center_;
  Window<T> window_;
};

/// As `MatrixWindow` where the matrix does not end nearby.
template <Element T>
class InnerMatrixWindow {
 public:
  /// Around the element in that row and column.
  InnerMatrixWindow(const T* elements, Index row, Index column, Index rows, Index columns,
                    Edge edge) noexcept
      : center_(elements + row * columns + column),
        columns_(columns),
        window_(elements, row, column, rows, columns, edge) {}
  /// See `MatrixWindow`.
  [[nodiscard]] T operator()(Index down = 0, Index across = 0) const noexcept {
    const bool is_near = down >= -near_enough && down <= near_enough && across >= -near_enough &&
                         across <= near_enough;
    return is_near ? center_[down * columns_ + across] : window_(down, across);
  }

 private:
  const T* center_;
  Index columns_;
  MatrixWindow<T> window_;
};

/// As a node keeps it. Throws `NotRecordable` where there is no room.
[[nodiscard]] inline std::int32_t recordable_shift(Index shift) {
  if (shift != static_cast<std::int32_t>(shift)) throw NotRecordable("it looks too far away");
  return static_cast<std::int32_t>(shift);
}

/// As `Window` while a function is recorded.
template <Element T>
struct SymbolicWindow {
  RecordedFunction* function;  ///< that is being recorded
  std::uint8_t operand;        ///< its number
  /// See `Window`.
  Symbol<T> operator()(Index shift = 0) const {
    return {function, add_node(*function, {.operation = SymbolicOperation::Operand,
                                           .type = value_type_of<T>,
                                           .a = operand,
                                           .shift = recordable_shift(shift)})};
  }
};

/// As `MatrixWindow` while a function is recorded.
template <Element T>
struct SymbolicMatrixWindow {
  RecordedFunction* function;  ///< that is being recorded
  std::uint8_t operand;        ///< its number
  /// See `MatrixWindow`.
  Symbol<T> operator()(Index down = 0, Index across = 0) const {
    return {function, add_node(*function, {.operation = SymbolicOperation::Operand,
                                           .type = value_type_of<T>,
                                           .a = operand,
                                           .b = 1,
                                           .shift = recordable_shift(down),
                                           .across = recordable_shift(across)})};
  }
};

}  // namespace skeleton
}  // namespace switchyard
