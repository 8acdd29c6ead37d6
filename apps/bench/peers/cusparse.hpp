// cuSPARSE as its products and conversions share it. Signatures and values are those of cusparse.h.
#pragma once

#include <algorithm>

#include "cuda.hpp"
#include "narrow_csr.hpp"

namespace switchyard::command::bench::cusparse {

using Handle = void*;
using Descriptor = void*;

inline constexpr int narrow_index = 2;  // CUSPARSE_INDEX_32I
inline constexpr int column_order = 1;  // CUSPARSE_ORDER_COL
inline constexpr int row_order = 2;     // CUSPARSE_ORDER_ROW
inline constexpr int as_it_is = 0;      // CUSPARSE_OPERATION_NON_TRANSPOSE
inline constexpr int transpose = 1;     // CUSPARSE_OPERATION_TRANSPOSE

[[nodiscard]] const DynamicLibrary& library();
[[nodiscard]] Handle handle();
/// Throws `Error(Unsupported)` for any status but success.
void check(int status, const char* what);

/// A descriptor that is destroyed with its last owner.
using Owned = std::shared_ptr<void>;
[[nodiscard]] Owned owned(Descriptor descriptor, const char* destroy_name);

[[nodiscard]] Owned vector_of(std::int64_t size, void* values, int type);
[[nodiscard]] Owned matrix_of(std::int64_t rows, std::int64_t cols, void* values, int type,
                              int order);

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

/// Shape of a matrix in coordinate form, sorted by row, and its arrays in device memory.
struct CooArrays {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  void* row_indices = nullptr;
  void* columns = nullptr;
  void* values = nullptr;
};
[[nodiscard]] Owned coo_of(const CooArrays& arrays, int type);

/// The same of a CSR matrix brought into coordinate form.
template <Element T>
struct DeviceCoo {
  CudaArray row_indices;
  CudaArray columns;
  CudaArray values;
  Owned descriptor;

  explicit DeviceCoo(const NarrowCsr<T>& a)
      : row_indices(std::span<const std::int32_t>(row_of_each(a))),
        columns(std::span(a.columns, static_cast<std::size_t>(a.nnz))),
        values(std::span(a.values, static_cast<std::size_t>(a.nnz))),
        descriptor(
            coo_of({a.rows, a.cols, a.nnz, row_indices.data(), columns.data(), values.data()},
                   cuda_type<T>)) {}

 private:
  static std::vector<std::int32_t> row_of_each(const NarrowCsr<T>& a) {
    std::vector<std::int32_t> rows;
    rows.reserve(static_cast<std::size_t>(a.nnz));
    for (std::int32_t i = 0; i < a.rows; ++i) {
      rows.insert(rows.end(), static_cast<std::size_t>(a.offsets[i + 1] - a.offsets[i]), i);
    }
    return rows;
  }
};

// Products with many columns, in cusparse_columns.cpp.
[[nodiscard]] std::vector<Peer> column_products();
// Conversions, in cusparse_conversions.cpp.
[[nodiscard]] std::vector<ConversionPeer> conversions();

}  // namespace switchyard::command::bench::cusparse
