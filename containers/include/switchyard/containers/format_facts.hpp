// What a row in the table of formats says.
#pragma once

#include <span>
#include <string_view>
#include <switchyard/containers/quantity.hpp>
#include <switchyard/containers/structure.hpp>

namespace switchyard {

/// What can be said of a format without having a matrix in it.
struct FormatFacts {
  Format format;          ///< which it is
  std::string_view name;  ///< as in the names of states
  /// Bytes of a matrix of this structure with elements of `element_bytes`; NaN where they follow
  /// from a slot count that is not known.
  double (*bytes)(const Structure& structure, Index element_bytes);
  int arrays;  ///< that those bytes are spread over
  /// The terms worth fitting for a multiplication. Of the quantities, `Bytes` and those of the
  /// shape are always known; the others are computed only for the formats whose terms contain them.
  std::span<const CostTerm> multiply_terms;
  /// The terms worth fitting for a conversion from or to this format. Those of both formats are
  /// candidates.
  std::span<const CostTerm> convert_terms;
  /// The slots that this format would keep for the nonzeros of a matrix, padding included: counted
  /// or sampled from the rows, or, where `rows` is null, estimated from the structure, on the high
  /// side. Takes at most a fifth of a multiplication's time. Null where `bytes` needs no
  /// such number.
  double (*slots)(const Structure& structure, const RowView* rows) = nullptr;
};

}  // namespace switchyard
