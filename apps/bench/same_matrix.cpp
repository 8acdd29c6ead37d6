// Comparing matrices, and the plain conversions that they are compared with.
#include "same_matrix.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

namespace switchyard::command::bench {
namespace {

template <class E>
bool same_array(const Array<E>& a, const Array<E>& b) {
  return a.size() == b.size() &&
         (a.bytes() == 0 || std::memcmp(a.handle(), b.handle(), a.bytes()) == 0);
}

bool same_array(const Offsets& a, const Offsets& b) {
  return std::visit(
      []<class A, class B>(const A& left, const B& right) {
        if constexpr (std::same_as<A, B>) return same_array(left, right);
        return false;
      },
      a, b);
}

/// The arrays of two matrices of one format, pair by pair.
template <class Matrix>
bool same_arrays(const Matrix& a, const Matrix& b) {
  return std::apply(
      [&](const auto&... left) {
        return std::apply([&](const auto&... right) { return (same_array(left, right) && ...); },
                          b.arrays());
      },
      a.arrays());
}

}  // namespace

template <Element T>
bool same_bits(const Storage<T>& a, const Storage<T>& b) {
  if (rows_of(a) != rows_of(b) || cols_of(a) != cols_of(b)) return false;
  return std::visit(
      []<class A, class B>(const A& left, const B& right) {
        if constexpr (std::same_as<A, B>) return same_arrays(left, right);
        return false;
      },
      a, b);
}

template <Element T>
Dense<T> plain_dense(const Csr<T>& csr) {
  auto dense = Dense<T>::sized(csr.rows, csr.cols);
  std::ranges::fill(dense.values.span(), T{0});
  for (Index i = 0; i < csr.rows; ++i) {
    for (Index k = csr.offset(i); k < csr.offset(i + 1); ++k) {
      dense.values[i * csr.cols + csr.columns[k]] = csr.values[k];
    }
  }
  return dense;
}

template <Element T>
Csr<T> plain_csr(const Dense<T>& dense) {
  std::vector<Index> offsets{0};
  std::vector<Column> columns;
  std::vector<T> values;
  for (Index i = 0; i < dense.rows; ++i) {
    for (Index j = 0; j < dense.cols; ++j) {
      const T value = dense.values[i * dense.cols + j];
      if (value == T{0}) continue;
      columns.push_back(static_cast<Column>(j));
      values.push_back(value);
    }
    offsets.push_back(static_cast<Index>(columns.size()));
  }
  return csr_from_arrays<T>(dense.rows, dense.cols, offsets, std::move(columns), std::move(values));
}

template <Element T>
Csc<T> plain_csc(const Csr<T>& csr) {
  auto transpose = Csr<T>::sized(csr.cols, csr.rows, csr.nnz);
  std::vector<Index> places(static_cast<std::size_t>(csr.cols) + 1);
  for (const Column column : csr.columns.span()) ++places[static_cast<std::size_t>(column) + 1];
  std::partial_sum(places.begin(), places.end(), places.begin());
  std::visit(
      [&]<class Offset>(Array<Offset>& offsets) {
        std::ranges::transform(places, offsets.data(),
                               [](Index place) { return static_cast<Offset>(place); });
      },
      transpose.offsets);
  for (Index i = 0; i < csr.rows; ++i) {
    for (Index k = csr.offset(i); k < csr.offset(i + 1); ++k) {
      const Index place = places[static_cast<std::size_t>(csr.columns[k])]++;
      transpose.columns[place] = static_cast<Column>(i);
      transpose.values[place] = csr.values[k];
    }
  }
  return {csr.rows, csr.cols, csr.nnz, std::move(transpose)};
}

template bool same_bits(const Storage<float>&, const Storage<float>&);
template bool same_bits(const Storage<double>&, const Storage<double>&);
template Dense<float> plain_dense(const Csr<float>&);
template Dense<double> plain_dense(const Csr<double>&);
template Csr<float> plain_csr(const Dense<float>&);
template Csr<double> plain_csr(const Dense<double>&);
template Csc<float> plain_csc(const Csr<float>&);
template Csc<double> plain_csc(const Csr<double>&);

}  // namespace switchyard::command::bench
