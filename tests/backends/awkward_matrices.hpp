// Matrices that kernels stumble over.
#pragma once

#include <string>
#include <switchyard/containers/generate.hpp>
#include <utility>
#include <vector>

#include "formats.hpp"
#include "sampling.hpp"

namespace switchyard::testing {

/// All of them, by name.
template <Element T>
std::vector<std::pair<std::string, Csr<T>>> awkward_matrices() {
  std::vector<std::pair<std::string, Csr<T>>> list;
  const auto add = [&](const std::string& what, Index rows, Index cols,
                       const std::vector<Triplet<T>>& triplets) {
    list.emplace_back(what, csr_from_triplets<T>(rows, cols, triplets));
  };
  add("no rows", 0, 7, {});
  add("no columns", 7, 0, {});
  add("no nonzeros", 5, 5, {});
  add("one element", 1, 1, {{0, 0, T(3)}});
  std::vector<Triplet<T>> row;
  std::vector<Triplet<T>> column;
  std::vector<Triplet<T>> arrow;
  for (Index i = 0; i < 70'000; ++i) {
    row.push_back({0, i, T(i % 7) - T(3)});
    column.push_back({i, 0, T(i % 5) - T(2)});
    arrow.push_back({900, i, T(1) / T(i + 1)});
  }
  for (Index i = 0; i < 2000; i += 3) arrow.push_back({i, i, T(2)});
  add("one row", 1, 70'000, row);
  add("one column", 70'000, 1, column);
  add("one dense row", 2000, 70'000, arrow);
  // Some of the loops that these are compared with go over all places of a matrix.
  constexpr Index graph_rows = is_sampled ? 400 : 900;
  constexpr Index other_rows = is_sampled ? 333 : 777;
  for (const Format format : {Format::Csr, Format::CsrConst, Format::CsrDict8}) {
    const std::string values = " with values of " + std::string(name(format));
    list.emplace_back("tiles of all kinds" + values, recoded(mixed_tiles<T>(), format));
    list.emplace_back(
        "powerlaw" + values,
        recoded(generate<T>({.kind = MatrixKind::PowerLaw, .rows = graph_rows}), format));
  }
  for (const auto kind : {MatrixKind::Uniform, MatrixKind::PowerLaw, MatrixKind::Banded,
                          MatrixKind::Poisson2d, MatrixKind::Pruned}) {
    list.emplace_back(name(kind), generate<T>({.kind = kind, .rows = other_rows, .seed = 3}));
  }
  return list;
}

template <Element T>
Storage<T> wide_offsets(const Csr<T>& csr) {
  Csr<T> wide{
      csr.rows, csr.cols, csr.nnz, {}, copy_of(csr.columns.span()), copy_of(csr.values.span())};
  Array<std::int64_t> offsets(csr.rows + 1);
  for (Index i = 0; i <= csr.rows; ++i) offsets[i] = csr.offset(i);
  wide.offsets = std::move(offsets);
  return wide;
}

}  // namespace switchyard::testing
