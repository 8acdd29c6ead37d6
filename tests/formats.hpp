// Matrices in every format, for tests that walk the table of formats.
#pragma once

#include <switchyard/backends/openmp.hpp>
#include <switchyard/backends/operations.hpp>

namespace switchyard::testing {

/// The matrix in `format`, made on the host by way of CSR.
template <Element T>
Storage<T> in_format(const Storage<T>& matrix, Format format) {
  static const std::shared_ptr<Executor> host = make_host_executor();
  const auto converted = [](const Storage<T>& from, Format to) {
    if (format_of(from) == to) return transferred(from, plain_host_memory());
    return find_convert<T>(format_of(from), to, Backend::OpenMP)->run(*host, from);
  };
  if (format_of(matrix) == format) return converted(matrix, format);
  return converted(converted(matrix, Format::Csr), format);
}

/// The stored elements of row i, in order.
template <Element T>
std::vector<std::pair<Column, T>> row_of(const Storage<T>& matrix, Index i) {
  std::vector<std::pair<Column, T>> elements;
  std::visit(
      [&](const auto& stored) {
        stored.row(i, [&](Column column, T value) { elements.emplace_back(column, value); });
      },
      matrix);
  return elements;
}

}  // namespace switchyard::testing
