// Every storage format, in one place: what a new one is added to.
#pragma once

#include <array>
#include <switchyard/containers/csr.hpp>
#include <switchyard/containers/dense.hpp>
#include <utility>
#include <variant>

namespace switchyard {

/// A matrix in any one format, in any one space; the alternatives stand in the order of `Format`.
template <Element T>
using Storage = std::variant<Dense<T>, Csr<T>>;

/// What can be said of a format without having a matrix in it.
struct FormatFacts {
  Format format;          ///< which it is
  std::string_view name;  ///< as in the names of states
  /// Bytes of a matrix of this structure with elements of `element_bytes`.
  double (*bytes)(const Structure& structure, Index element_bytes);
  int arrays;  ///< that those bytes are spread over
};

/// Bytes of a dense matrix of that shape.
[[nodiscard]] double dense_bytes(const Structure& structure, Index element_bytes);
/// Bytes of a CSR matrix of that shape and that many nonzeros.
[[nodiscard]] double csr_bytes(const Structure& structure, Index element_bytes);

/// The table of formats, in the order of `Format`.
inline constexpr std::array format_table{
    FormatFacts{Format::Dense, "dense", &dense_bytes, 1},
    FormatFacts{Format::Csr, "csr", &csr_bytes, 3},
};

/// Bytes that `structure` takes in `format`.
[[nodiscard]] inline double bytes_in(Format format, const Structure& structure,
                                     Index element_bytes) {
  return format_table[static_cast<std::size_t>(format)].bytes(structure, element_bytes);
}

/// The format that the matrix is in.
template <Element T>
[[nodiscard]] Format format_of(const Storage<T>& storage) noexcept {
  return static_cast<Format>(storage.index());
}
/// Number of rows, whatever the format.
template <Element T>
[[nodiscard]] Index rows_of(const Storage<T>& storage) noexcept {
  return std::visit([](const auto& matrix) { return matrix.rows; }, storage);
}
/// Number of columns, whatever the format.
template <Element T>
[[nodiscard]] Index cols_of(const Storage<T>& storage) noexcept {
  return std::visit([](const auto& matrix) { return matrix.cols; }, storage);
}

/// Bytes held by all arrays of `storage`.
template <Element T>
[[nodiscard]] std::size_t bytes_of(const Storage<T>& storage);

/// A copy of `storage`, in the same format, in another space; one of the two is the host's.
/// Throws what `MemorySpace` throws.
template <Element T>
[[nodiscard]] Storage<T> transferred(const Storage<T>& storage,
                                     const std::shared_ptr<MemorySpace>& destination);

/// Charges all host arrays of `storage` to `memory`'s budget. REQUIRES: in host memory.
template <Element T>
void charge_to(Storage<T>& storage, const std::shared_ptr<MemorySpace>& memory);

}  // namespace switchyard
