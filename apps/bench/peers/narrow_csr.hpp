// CSR arrays for libraries whose indices all have 32 bits.
#pragma once

#include "peer.hpp"

namespace switchyard::command::bench {

/// Views of a problem's matrix, which outlives them.
template <Element T>
struct NarrowCsr {
  std::int32_t rows = 0;
  std::int32_t cols = 0;
  std::int32_t nnz = 0;
  const std::int32_t* offsets = nullptr;
  const std::int32_t* columns = nullptr;
  const T* values = nullptr;

  /// Throws `Error(OutOfRange)` where a size does not fit.
  explicit NarrowCsr(const Csr<T>& csr)
      : rows(narrow<std::int32_t>(csr.rows)),
        cols(narrow<std::int32_t>(csr.cols)),
        nnz(narrow<std::int32_t>(csr.nnz)),
        offsets(std::get<Array<std::int32_t>>(csr.offsets).data()),
        columns(csr.columns.data()),
        values(csr.values.data()) {}
};

}  // namespace switchyard::command::bench
