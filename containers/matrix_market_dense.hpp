// The values of an array file, column by column, to a dense matrix.
#pragma once

#include <deque>

#include "matrix_market_parse.hpp"

namespace switchyard {

/// REQUIRES: as many values as `header` says. Releases the blocks on the way.
template <Element T>
[[nodiscard]] Dense<T> assemble_dense(const MatrixMarketHeader& header,
                                      std::deque<ArrayBlock<T>>&& blocks);

}  // namespace switchyard
