// Packing and unpacking the columns of a multivector.
#include <limits>
#include <switchyard/containers/error.hpp>
#include <switchyard/containers/multi_vector.hpp>

namespace switchyard {
namespace {

Index elements_of(Index rows, Index columns) {
  if (rows < 0 || columns < 0) {
    throw Error(ErrorCode::OutOfRange, "the size of a multivector is negative");
  }
  if (columns > 0 && rows > std::numeric_limits<Index>::max() / columns) {
    throw Error(ErrorCode::OutOfRange, "the size of a multivector is too large");
  }
  return rows * columns;
}

/// Calls copy(row-major place, column-major place) for all elements, in blocks that fit into a
/// cache in both orders.
template <class Copy>
void for_both_orders(Index rows, Index columns, const Copy& copy) {
  constexpr Index block = 64;
  for (Index begin = 0; begin < rows; begin += block) {
    const Index end = std::min(begin + block, rows);
    for (Index c = 0; c < columns; ++c) {
      for (Index i = begin; i < end; ++i) {
        copy(static_cast<std::size_t>(i * columns + c), static_cast<std::size_t>(c * rows + i));
      }
    }
  }
}

void check_count(Index values, Index needed) {
  if (values == needed) return;
  throw Error(ErrorCode::DimensionMismatch, "there are " + std::to_string(values) +
                                                " values, the multivector needs " +
                                                std::to_string(needed));
}

}  // namespace

template <Element T>
MultiVector<T>::MultiVector(Index rows, Index columns, T value)
    : rows_(rows), columns_(columns), elements_(elements_of(rows, columns), value) {}

template <Element T>
MultiVector<T>::MultiVector(Index rows, Index columns, std::span<const T> values, Order order)
    : MultiVector(rows, columns) {
  check_count(std::ssize(values), rows * columns);
  const std::span<T> to = write();
  if (order == Order::RowMajor) {
    std::ranges::copy(values, to.begin());
  } else {
    for_both_orders(rows, columns, [&](std::size_t by_rows, std::size_t by_columns) {
      to[by_rows] = values[by_columns];
    });
  }
}

template <Element T>
void MultiVector<T>::check_column(Index column) const {
  if (column >= 0 && column < columns_) return;
  throw Error(ErrorCode::OutOfRange,
              "there is no column " + std::to_string(column) + " of " + std::to_string(columns_));
}

template <Element T>
Vector<T> MultiVector<T>::column(Index column) const {
  check_column(column);
  const std::span<const T> from = read();
  Vector<T> copy(rows_);
  const std::span<T> to = copy.write();
  for (Index i = 0; i < rows_; ++i) {
    to[static_cast<std::size_t>(i)] = from[static_cast<std::size_t>(i * columns_ + column)];
  }
  return copy;
}

template <Element T>
void MultiVector<T>::set_column(Index column, std::span<const T> values) {
  check_column(column);
  check_count(std::ssize(values), rows_);
  const std::span<T> to = write();
  for (Index i = 0; i < rows_; ++i) {
    to[static_cast<std::size_t>(i * columns_ + column)] = values[static_cast<std::size_t>(i)];
  }
}

template <Element T>
std::vector<T> MultiVector<T>::values(Order order) const {
  const std::span<const T> from = read();
  if (order == Order::RowMajor) return {from.begin(), from.end()};
  std::vector<T> values(from.size());
  for_both_orders(rows_, columns_, [&](std::size_t by_rows, std::size_t by_columns) {
    values[by_columns] = from[by_rows];
  });
  return values;
}

template class MultiVector<float>;
template class MultiVector<double>;

}  // namespace switchyard
