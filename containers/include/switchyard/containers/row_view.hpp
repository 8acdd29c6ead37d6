// A matrix in host memory seen by rows, whatever its format.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <span>
#include <switchyard/containers/format.hpp>
#include <switchyard/containers/numbers.hpp>
#include <type_traits>

namespace switchyard {

/// The end of a row, for the visits of rows that formats offer.
inline constexpr Index whole_row = INT64_MAX;

/// The type of a matrix's elements.
template <class Matrix>
struct ElementOf;
/// Of any format's struct.
template <template <class> class Stored, class T>
struct ElementOf<Stored<T>> {
  using type = T;  ///< the type
};

/// The members that every format's struct has, from which everything generic derives: writing
/// files, the reference multiplication, what is known of the structure, sizes, transfers. Dense and
/// Csr say what each means.
template <class Matrix>
concept StoredMatrix = requires(const Matrix& matrix, Matrix& changed) {
  {Format{matrix.format}};
  { matrix.rows } -> std::convertible_to<Index>;
  { matrix.cols } -> std::convertible_to<Index>;
  { matrix.slots() } -> std::same_as<Index>;
  { matrix.header() } -> std::same_as<Matrix>;
  matrix.arrays();
  changed.arrays();
  matrix.check();
  matrix.row(
      Index{0}, [](Column, auto) {}, Index{0}, whole_row);
  matrix.row_lengths(Index{0}, std::span<Index>{});
};

/// The bits of an element, in the low ones of 64.
template <Element T>
[[nodiscard]] constexpr std::uint64_t bits_of(T value) noexcept {
  if constexpr (sizeof(T) == sizeof(std::uint32_t)) {
    return std::bit_cast<std::uint32_t>(value);
  } else {
    return std::bit_cast<std::uint64_t>(value);
  }
}

/// The element of those bits.
template <Element T>
[[nodiscard]] constexpr T value_of(std::uint64_t bits) noexcept {
  if constexpr (sizeof(T) == sizeof(std::uint32_t)) {
    return std::bit_cast<T>(static_cast<std::uint32_t>(bits));
  } else {
    return std::bit_cast<T>(bits);
  }
}

/// The rows of a matrix without its type. The matrix must outlive it.
struct RowView {
  Index rows = 0;                ///< number of rows
  Index cols = 0;                ///< number of columns
  Index element_bytes = 0;       ///< of one element
  const void* matrix = nullptr;  ///< for the functions below
  /// Puts the nonzeros of the rows from `first` on into `lengths`, one for each of its places.
  void (*read_lengths)(const void* matrix, Index first, std::span<Index> lengths) = nullptr;
  /// Puts the columns of the elements from `begin` on of row i into `columns`, as many as there are
  /// and as have room, and returns their number.
  std::size_t (*read_columns)(const void* matrix, Index i, Index begin,
                              std::span<Column> columns) = nullptr;
  /// The same for the values, as the bits of each: equal bits are equal values, -0 is not 0.
  std::size_t (*read_values)(const void* matrix, Index i, Index begin,
                             std::span<std::uint64_t> bits) = nullptr;

  /// See `read_lengths`.
  void lengths(Index first, std::span<Index> into) const { read_lengths(matrix, first, into); }
  /// The columns of row i from its element `begin` on, in `into`, as many as have room there.
  [[nodiscard]] std::span<const Column> columns(Index i, std::span<Column> into,
                                                Index begin = 0) const {
    return into.first(read_columns(matrix, i, begin, into));
  }
  /// The bits of the values of row i from its element `begin` on, in `into`, as many as have room
  /// there.
  [[nodiscard]] std::span<const std::uint64_t> values(Index i, std::span<std::uint64_t> into,
                                                      Index begin = 0) const {
    return into.first(read_values(matrix, i, begin, into));
  }
};

/// The rows of `matrix`. REQUIRES: in host memory.
template <StoredMatrix Matrix>
[[nodiscard]] RowView rows_of_matrix(const Matrix& matrix) noexcept {
  using T = typename ElementOf<Matrix>::type;
  return {matrix.rows,
          matrix.cols,
          Index{sizeof(T)},
          &matrix,
          [](const void* of, Index first, std::span<Index> lengths) {
            static_cast<const Matrix*>(of)->row_lengths(first, lengths);
          },
          [](const void* of, Index i, Index begin, std::span<Column> columns) {
            std::size_t count = 0;
            static_cast<const Matrix*>(of)->row(
                i, [&](Column column, T) { columns[count++] = column; }, begin,
                begin + std::ssize(columns));
            return count;
          },
          [](const void* of, Index i, Index begin, std::span<std::uint64_t> bits) {
            std::size_t count = 0;
            static_cast<const Matrix*>(of)->row(
                i, [&](Column, T value) { bits[count++] = bits_of(value); }, begin,
                begin + std::ssize(bits));
            return count;
          }};
}

}  // namespace switchyard
