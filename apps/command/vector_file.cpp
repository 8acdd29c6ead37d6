// Vectors are matrices of few columns.
#include "vector_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <switchyard/containers/matrix_market.hpp>

#include "matrix_argument.hpp"

namespace switchyard::command {
namespace {

template <Element T>
std::vector<T> row_by_row(const Storage<T>& storage) {
  std::vector<T> elements(static_cast<std::size_t>(rows_of(storage) * cols_of(storage)));
  if (const auto* dense = std::get_if<Dense<T>>(&storage)) {
    std::ranges::copy(dense->values.span(), elements.begin());
  } else {
    const auto& csr = std::get<Csr<T>>(storage);  // no file is read into another format
    for (Index i = 0; i < csr.rows; ++i) {
      csr.row(i, [&](Column j, T value) {
        elements[static_cast<std::size_t>(i * csr.cols + j)] = value;
      });
    }
  }
  return elements;
}

}  // namespace

template <Element T>
std::vector<T> read_vectors(const std::string& name, const std::string& what, Index rows,
                            Index columns) {
  const Storage<T> read = read_file<T>(name);
  if (rows_of(read) != rows || cols_of(read) != columns) {
    const bool other_count = rows_of(read) == rows;
    throw Error(ErrorCode::DimensionMismatch,
                fmt::format("{} is {} x {} and should be {} x {}", what, rows_of(read),
                            cols_of(read), rows, columns),
                name, other_count ? fmt::format("give --columns {}", cols_of(read)) : "");
  }
  return row_by_row(read);
}

template <Element T>
std::string write_vectors(const std::string& name, std::span<const T> elements, Index rows,
                          Index columns) {
  auto matrix = Dense<T>::sized(rows, columns);
  std::ranges::copy(elements, matrix.values.data());
  const Storage<T> storage(std::move(matrix));
  if (name == standard_stream) return format_matrix_market(storage);
  write_matrix_market(storage, name);
  return {};
}

void check_output(const std::string& name, const CommonOptions& common) {
  if (name != standard_stream || !common.json) return;
  throw UsageError("standard output cannot hold both the result and a JSON document", "--output",
                   "give a file");
}

Outcome outcome_with(std::string report, const std::string& output, std::string vectors,
                     const CommonOptions& common) {
  if (output != standard_stream) return {std::move(report)};
  return {.output = std::move(vectors), .notes = common.quiet ? "" : std::move(report)};
}

template std::vector<float> read_vectors(const std::string&, const std::string&, Index, Index);
template std::vector<double> read_vectors(const std::string&, const std::string&, Index, Index);
template std::string write_vectors(const std::string&, std::span<const float>, Index, Index);
template std::string write_vectors(const std::string&, std::span<const double>, Index, Index);

}  // namespace switchyard::command
