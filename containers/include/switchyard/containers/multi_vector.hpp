// Several vectors of the same length side by side, with lazily coherent copies.
#pragma once

#include <switchyard/containers/vector.hpp>

namespace switchyard {

/// In which order the elements of a matrix lie in memory.
enum class Order {
  RowMajor,    ///< the elements of a row side by side
  ColumnMajor  ///< the elements of a column side by side
};

/// `rows()` x `columns()` elements, row-major: the elements of all columns in one row lie side by
/// side. Otherwise as `Vector`: lazily coherent between the host and the devices, with the same
/// rules for threads.
template <Element T>
class MultiVector {
 public:
  MultiVector() = default;
  /// All elements have that value. Throws `Error(OutOfRange)` for a negative size or one that is
  /// too large.
  MultiVector(Index rows, Index columns, T value = T{});
  /// A copy of rows x columns values in that order. Throws `Error(DimensionMismatch)` if there are
  /// more or fewer.
  MultiVector(Index rows, Index columns, std::span<const T> values, Order order = Order::RowMajor);

  /// The number of rows, which is the length of each column.
  [[nodiscard]] Index rows() const noexcept { return rows_; }
  /// The number of columns.
  [[nodiscard]] Index columns() const noexcept { return columns_; }

  /// All elements on the host, row-major; see `Vector::read`.
  [[nodiscard]] std::span<const T> read() const { return elements_.read(); }
  /// The same for writing; see `Vector::write`.
  [[nodiscard]] std::span<T> write() { return elements_.write(); }
  /// The element in that row and column. Transfers the elements to the host if necessary.
  [[nodiscard]] T operator()(Index row, Index column) const {
    return read()[static_cast<std::size_t>(row * columns_ + column)];
  }
  /// A copy of one column. Throws `Error(OutOfRange)` where there is none.
  [[nodiscard]] Vector<T> column(Index column) const;
  /// Changes one column to `values`. Throws `Error(OutOfRange)` where there is none, and
  /// `Error(DimensionMismatch)` unless there are rows() values.
  void set_column(Index column, std::span<const T> values);
  /// All elements in that order, on the host.
  [[nodiscard]] std::vector<T> values(Order order) const;

  /// All elements as one vector of rows() x columns(), row-major: for vector operations, in which
  /// columns make no difference. It must keep its size.
  [[nodiscard]] Vector<T>& elements() noexcept { return elements_; }
  /// The same for a const one.
  [[nodiscard]] const Vector<T>& elements() const noexcept { return elements_; }

 private:
  void check_column(Index column) const;

  Index rows_ = 0;
  Index columns_ = 0;
  Vector<T> elements_;
};

}  // namespace switchyard
