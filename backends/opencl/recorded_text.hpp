// Recorded functions as OpenCL C.
#pragma once

#include <string>
#include <switchyard/backends/recorded_function.hpp>
#include <switchyard/containers/numbers.hpp>

namespace switchyard::opencl {

/// What stands before the text of recorded functions.
[[nodiscard]] std::string recorded_pragmas();

/// The function over elements that a skeleton applies, as definitions for its kernel file:
///   APPLY_PARAMETERS  the arrays in0, in1, ..., the value beyond their ends, and the constants, as
///                     parameters of a kernel, each after a comma
///   APPLY_ARGUMENTS   the same as arguments
///   REAL apply(long i, long size, long columns APPLY_PARAMETERS)
///   SAME_ELEMENTS     if that is in0[i]
/// REQUIRES: recorded without a problem; `edge` is a value of `Edge::Kind`.
[[nodiscard]] std::string element_function_text(const RecordedFunction& function,
                                                std::size_t operands, int edge);

/// The same of values instead of arrays, at a place in a matrix:
///   VALUE_OPERANDS                     how many values there are
///   VALUE_PARAMETERS, VALUE_ARGUMENTS  the constants, each after a comma
///   REAL apply_at(long row, long column, REAL in0, ... VALUE_PARAMETERS)
/// REQUIRES: recorded without a problem, of no windows.
[[nodiscard]] std::string value_function_text(const RecordedFunction& function,
                                              std::size_t operands);

/// So many matrices in CSR, whose rows an item walks along side by side, for merge.cl:
///   MERGE_PARAMETERS  their arrays as parameters of a kernel, each after a comma
///   MERGE_WALKS       an initialiser of a `Walk` along `row` of each
///   MERGED_VALUES     values[0], values[1] and so on, as arguments of apply_at
[[nodiscard]] std::string merge_text(std::size_t operands);

/// The operation of a fold:
///   FOLDED            the type that it folds in
///   FOLD_PARAMETERS, FOLD_ARGUMENTS  its constants, each after a comma
///   FOLDED combine(FOLDED a, FOLDED b FOLD_PARAMETERS)
/// REQUIRES: as above, of two operands.
[[nodiscard]] std::string fold_text(const RecordedFunction& function, ValueType folded);

/// Whether values in double occur, which not every device has.
[[nodiscard]] bool needs_double(const RecordedFunction& function) noexcept;

}  // namespace switchyard::opencl
