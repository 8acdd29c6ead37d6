// Vectors from and to files: Matrix Market arrays of one or more columns.
#pragma once

#include <string>
#include <switchyard/containers/formats.hpp>
#include <vector>

#include "command.hpp"

namespace switchyard::command {

/// The elements of a file of that shape, row by row; of a coordinate file, with zeros where there
/// are none. "-" is standard input. `what` names it in the error: "x". Throws
/// `Error(DimensionMismatch)` for another shape, and what `read_file` throws.
template <Element T>
[[nodiscard]] std::vector<T> read_vectors(const std::string& name, const std::string& what,
                                          Index rows, Index columns);

/// Writes elements that stand row by row as a Matrix Market array. The file is replaced when it is
/// complete. For "-" nothing is written, and the text is returned for standard output. Throws what
/// `write_matrix_market` throws.
template <Element T>
[[nodiscard]] std::string write_vectors(const std::string& name, std::span<const T> elements,
                                        Index rows, Index columns);

/// Throws `UsageError` where standard output is to hold both vectors and a JSON document.
void check_output(const std::string& name, const CommonOptions& common);

/// What a command ends with that was asked for `report`, and for vectors in a file or, as
/// `vectors`, on standard output. The latter have it for themselves.
[[nodiscard]] Outcome outcome_with(std::string report, const std::string& output,
                                   std::string vectors, const CommonOptions& common);

}  // namespace switchyard::command
