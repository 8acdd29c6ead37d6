// cuSPARSE as its products and conversions share it. Signatures and values are those of cusparse.h.
#pragma once

#include <algorithm>

#include "cuda.hpp"
#include "narrow_csr.hpp"

namespace switchyard::command::bench::cusparse {

using Handle = void*;
using Descriptor = void*;

inline constexpr int narrow_index = 2;  // CUSPARSE_INDEX_32I
inline constexpr int row_order = 2;     // CUSPARSE_ORDER_ROW

[[nodiscard]] const DynamicLibrary& library();
[[nodiscard]] Handle handle();
/// Throws `Error(Unsupported)` for any status but success.
void check(int status, const char* what);

/// A descriptor that is destroyed with its last owner.
using Owned = std::shared_ptr<void>;

[[nodiscard]] Owned vector_of(std::int64_t size, void* values, int type);
[[nodiscard]] Owned row_major(std::int64_t rows, std::int64_t cols, void* values, int type);

/// Shape of a CSR matrix and its arrays in device memory.
struct CsrArrays {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  void* offsets = nullptr;
  void* columns = nullptr;
  void* values = nullptr;
};
[[nodiscard]] Owned csr_of(const CsrArrays& arrays, int type);

/// A CSR matrix copied to the device, and its descriptor.
template <Element T>
struct DeviceCsr {
  CudaArray offsets;
  CudaArray columns;
  CudaArray values;
  Owned descriptor;

  explicit DeviceCsr(const NarrowCsr<T>& a)
      : offsets(std::span(a.offsets, static_cast<std::size_t>(a.rows) + 1)),
        columns(std::span(a.columns, static_cast<std::size_t>(a.nnz))),
        values(std::span(a.values, static_cast<std::size_t>(a.nnz))),
        descriptor(csr_of({a.rows, a.cols, a.nnz, offsets.data(), columns.data(), values.data()},
                          cuda_type<T>)) {}
};

// Conversions, in cusparse_conversions.cpp.
[[nodiscard]] std::vector<ConversionPeer> conversions();

}  // namespace switchyard::command::bench::cusparse
