// Matrices in every format, for tests that walk the table of formats.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <switchyard/backends/openmp.hpp>
#include <switchyard/backends/operations.hpp>
#include <utility>
#include <vector>

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

/// The matrix as that operation needs it for A x: a kernel for the transpose gets the transpose.
template <Element T>
Storage<T> stored_for(const MultiplyOperation<T>& operation, const Storage<T>& matrix) {
  if (operation.operand == Operand::Matrix) return in_format(matrix, operation.format);
  Storage<T> by_columns = in_format(matrix, Format::Csc);
  const Storage<T> transpose = std::move(std::get<Csc<T>>(by_columns).transpose);
  return in_format(transpose, operation.format);
}

/// How many values a matrix of any format with plain values holds, its padding among them.
template <class Matrix>
Index stored_values(const Matrix& matrix) {
  if constexpr (requires { matrix.transpose; }) {
    return matrix.transpose.values.size();
  } else {
    return matrix.values.size();
  }
}

/// The structure of a sparse matrix with all of its distinct values counted, none missed.
template <StoredMatrix Matrix>
Structure structure_with_all_values(const Matrix& matrix) {
  Structure structure = structure_of(matrix);
  structure.distinct_values =
      count_distinct_values(rows_of_matrix(matrix), structure.nnz, {.all = true});
  return structure;
}

/// The formats that a matrix of that structure can be in: with many distinct values, those that do
/// not code them.
inline std::vector<FormatFacts> formats_for(const Structure& structure) {
  std::vector<FormatFacts> possible;
  for (const FormatFacts& facts : format_table) {
    if (obstacle_to(facts.format, structure).empty()) possible.push_back(facts);
  }
  return possible;
}
/// Those that code values.
inline std::vector<FormatFacts> coding_formats() {
  std::vector<FormatFacts> coding;
  for (const FormatFacts& facts : format_table) {
    if (facts.values != ValueCoding::Plain) coding.push_back(facts);
  }
  return coding;
}

/// A value near `value` that is among so few that the coding can hold them; 0 only for 0.
template <Element T>
T recoded(T value, ValueCoding coding) {
  if (coding == ValueCoding::Plain || value == T{0}) return value;
  if (coding == ValueCoding::Constant) return T(0.75);
  const auto step = static_cast<int>(std::clamp<double>(std::round(value * 60), -100, 100));
  return T(step == 0 ? 1 : step) / T(64);
}
/// The matrix with values that `format` can hold.
template <Element T>
Csr<T> recoded(Csr<T> matrix, Format format) {
  const ValueCoding coding = coding_of(format);
  for (T& value : matrix.values.span()) {
    const bool stored_zero = coding == ValueCoding::Constant && value == T{0};
    value = recoded(stored_zero ? T{1} : value, coding);
  }
  return matrix;
}
/// The same of a dense matrix. Zeros stay.
template <Element T>
Dense<T> recoded(Dense<T> matrix, Format format) {
  for (T& value : matrix.values.span()) value = recoded(value, coding_of(format));
  return matrix;
}

/// 450 x 300'000, rows of 0 to 40 elements; of each seven tiles of 64 rows three span few columns,
/// near the beginning, in the middle and at the end, one spans all, one has every second row, one
/// is empty and one has a single row.
template <Element T>
Csr<T> mixed_tiles() {
  constexpr Index rows = 450;
  constexpr Index cols = 300'000;
  constexpr Index tile = 64;
  std::vector<Triplet<T>> triplets;
  for (Index i = 0; i < rows; ++i) {
    const Index kind = i / tile % 7;
    const bool is_empty = (kind == 4 && i % 2 == 0) || kind == 5 || (kind == 6 && i % tile != 9);
    if (is_empty) continue;
    const Index length = i * 7 % 41;
    const Index first = kind == 1 ? 131'000 : kind == 2 ? cols - 65'000 : 0;
    const Index width = kind == 3 ? cols : 65'000;
    for (Index k = 0; k < length; ++k) {
      const Index step = width / length;
      triplets.push_back({i, first + k * step + i % step, T((i * 31 + k * 17) % 97 - 48) / T(16)});
    }
  }
  return csr_from_triplets<T>(rows, cols, triplets);
}

template <Element T>
using ElementsByRow = std::vector<std::vector<std::pair<Column, T>>>;

/// The stored elements of each row, columns ascending. CSC is walked along its columns: looking for
/// each row in each of them takes most of a test.
template <Element T>
ElementsByRow<T> elements_by_row(const Storage<T>& matrix) {
  ElementsByRow<T> rows(static_cast<std::size_t>(rows_of(matrix)));
  if (const auto* const csc = std::get_if<Csc<T>>(&matrix)) {
    for (Index j = 0; j < csc->cols; ++j) {
      csc->transpose.row(j, [&](Column i, T value) {
        rows.at(static_cast<std::size_t>(i)).emplace_back(static_cast<Column>(j), value);
      });
    }
    return rows;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::visit(
        [&](const auto& stored) {
          stored.row(static_cast<Index>(i),
                     [&](Column column, T value) { rows[i].emplace_back(column, value); });
        },
        matrix);
  }
  return rows;
}

/// Expects these elements, zeros too.
template <Element T>
void expect_elements(const Storage<T>& matrix, const ElementsByRow<T>& expected) {
  const ElementsByRow<T> found = elements_by_row(matrix);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i], expected[i]) << name(format_of(matrix)) << ", row " << i;
  }
}

}  // namespace switchyard::testing
