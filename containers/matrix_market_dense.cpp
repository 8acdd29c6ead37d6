// Array files are column-major and may hold one triangle only; dense matrices are row-major.
#include "matrix_market_dense.hpp"

#include <algorithm>
#include <switchyard/containers/threads.hpp>

namespace switchyard {
namespace {

/// A position in the order of an array file.
struct Position {
  Index row;
  Index col;
};

/// The file's first row in a column.
Index first_row(Symmetry symmetry, Index col) {
  switch (symmetry) {
    case Symmetry::General:
      return 0;
    case Symmetry::Symmetric:
      return col;
    case Symmetry::Skew:
      break;
  }
  return col + 1;
}

/// How many values come before a column.
Index values_before(const MatrixMarketHeader& header, Index col) {
  const Index triangle = col % 2 == 0 ? col / 2 * (col - 1) : (col - 1) / 2 * col;
  switch (header.symmetry) {
    case Symmetry::General:
      return header.rows * col;
    case Symmetry::Symmetric:
      return header.rows * col - triangle;
    case Symmetry::Skew:
      break;
  }
  return (header.rows - 1) * col - triangle;
}

/// Where value number `k` stands. REQUIRES: there is one.
Position position_of(const MatrixMarketHeader& header, Index k) {
  Index low = 0;
  Index high = header.cols;
  while (high - low > 1) {
    const Index middle = low + (high - low) / 2;
    (values_before(header, middle) <= k ? low : high) = middle;
  }
  return {first_row(header.symmetry, low) + k - values_before(header, low), low};
}

template <Element T>
void place(const MatrixMarketHeader& header, Index first, const std::vector<T>& values,
           Dense<T>& matrix) {
  if (values.empty()) return;
  T* const elements = matrix.values.data();
  auto [row, col] = position_of(header, first);
  for (const T value : values) {
    elements[row * header.cols + col] = value;
    if (header.symmetry == Symmetry::Symmetric) elements[col * header.cols + row] = value;
    if (header.symmetry == Symmetry::Skew) elements[col * header.cols + row] = -value;
    if (++row == header.rows) row = first_row(header.symmetry, ++col);
  }
}

}  // namespace

template <Element T>
Dense<T> assemble_dense(const MatrixMarketHeader& header, std::deque<ArrayBlock<T>>&& blocks) {
  auto matrix = Dense<T>::sized(header.rows, header.cols);
  if (header.symmetry == Symmetry::Skew) {
    for (Index i = 0; i < header.rows; ++i) matrix.values[i * header.cols + i] = T{0};
  }
  std::vector<Index> firsts;
  firsts.reserve(blocks.size());
  Index first = 0;
  for (const auto& block : blocks) {
    firsts.push_back(first);
    first += block.lines.entries;
  }
  share_out_steps(std::ssize(blocks), blocks.size() > 1, [&](Index step) {
    const auto b = static_cast<std::size_t>(step);
    place(header, firsts[b], blocks[b].values, matrix);
    std::vector<T>().swap(blocks[b].values);
  });
  return matrix;
}

template Dense<float> assemble_dense(const MatrixMarketHeader&, std::deque<ArrayBlock<float>>&&);
template Dense<double> assemble_dense(const MatrixMarketHeader&, std::deque<ArrayBlock<double>>&&);

}  // namespace switchyard
