// A row of the table of formats.
#pragma once

#include <span>
#include <string_view>
#include <switchyard/containers/coding.hpp>
#include <switchyard/containers/quantity.hpp>
#include <switchyard/containers/structure.hpp>

namespace switchyard {

/// Facts about a format that do not need a matrix.
struct FormatFacts {
  Format format;          ///< the format
  std::string_view name;  ///< as in the names of states
  /// Bytes of a matrix of this structure with elements of `element_bytes`. NaN if they
  /// depend on a slot count that is not known; infinite if there is an obstacle.
  double (*bytes)(const Structure& structure, Index element_bytes);
  int arrays;  ///< number of arrays that hold these bytes
  /// The terms worth fitting for a multiplication. Of the quantities, `Bytes` and those of the
  /// shape are always known; the others are computed only for the formats whose terms contain them.
  std::span<const CostTerm> multiply_terms;
  /// The terms worth fitting for a conversion from or to this format. Those of both formats are
  /// candidates.
  std::span<const CostTerm> convert_terms;
  /// The slots that this format would keep for the nonzeros of a matrix, padding included. They are
  /// counted or sampled from `rows`. If `rows` is null, they are estimated from the structure, and
  /// rather too high than too low. Takes at most a fifth of a multiplication's time. A null pointer
  /// if `bytes` needs no such number.
  double (*slots)(const Structure& structure, const RowView* rows) = nullptr;
  /// How it keeps columns.
  ColumnCoding columns = ColumnCoding::Plain;
  /// How it keeps values.
  ValueCoding values = ValueCoding::Plain;
  /// Why no matrix of this structure can be in the format; empty if one can. A null pointer if any
  /// matrix can.
  std::string_view (*obstacle)(const Structure& structure) = nullptr;
  /// Bytes of the arrays that a matrix in this format shares with the same matrix in CSR, in one
  /// space, if one was made from the other. A null pointer if there are none.
  double (*shared_bytes)(const Structure& structure) = nullptr;
  /// Whether one item of a device computes a row alone, element by element.
  bool walks_rows = false;
};

}  // namespace switchyard
