// All storage formats: the table to which a new one is added, and functions for any format.
#pragma once

#include <array>
#include <switchyard/containers/bitmap.hpp>
#include <switchyard/containers/bsr.hpp>
#include <switchyard/containers/coo.hpp>
#include <switchyard/containers/csc.hpp>
#include <switchyard/containers/csr.hpp>
#include <switchyard/containers/dense.hpp>
#include <switchyard/containers/dia.hpp>
#include <switchyard/containers/ell.hpp>
#include <switchyard/containers/hyb.hpp>
#include <switchyard/containers/packed.hpp>
#include <switchyard/containers/packet.hpp>
#include <switchyard/containers/sell.hpp>
#include <utility>
#include <variant>

namespace switchyard {

/// A matrix in any one format, in any one space.
template <Element T>
using Storage = std::variant<Dense<T>, Csr<T>, Ell<T>, Sell<T>, Bitmap<T>, Packed<T>, Coo<T>,
                             Bsr<T>, Packets<T>, Hyb<T>, Dia<T>, Csc<T>>;

/// The table of formats, in the order of `Format`.
inline constexpr std::array format_table{dense_facts,
                                         csr_facts,
                                         ell_facts,
                                         sell_facts<Format::Sell8>("sell8"),
                                         sell_facts<Format::Sell32>("sell32"),
                                         bitmap_facts,
                                         packed_facts<Format::Csr16>("csr16"),
                                         packed_facts<Format::CsrConst>("csr+const"),
                                         packed_facts<Format::CsrDict8>("csr+dict8"),
                                         packed_facts<Format::Csr16Const>("csr16+const"),
                                         packed_facts<Format::Csr16Dict8>("csr16+dict8"),
                                         coo_facts,
                                         bsr_facts<Format::Bsr2>("bsr2"),
                                         bsr_facts<Format::Bsr3>("bsr3"),
                                         bsr_facts<Format::Bsr4>("bsr4"),
                                         packed_facts<Format::Csr8>("csr8"),
                                         packed_facts<Format::Csr8Const>("csr8+const"),
                                         packed_facts<Format::Csr8Dict8>("csr8+dict8"),
                                         packet_facts,
                                         hyb_facts,
                                         dia_facts,
                                         csc_facts};
static_assert(format_table.size() == number_of_formats);

/// The row of `format`.
[[nodiscard]] constexpr const FormatFacts& facts_of(Format format) noexcept {
  return format_table[static_cast<std::size_t>(format)];
}

/// How `format` keeps columns.
[[nodiscard]] constexpr ColumnCoding columns_of(Format format) noexcept {
  return facts_of(format).columns;
}
/// How `format` keeps values.
[[nodiscard]] constexpr ValueCoding coding_of(Format format) noexcept {
  return facts_of(format).values;
}

/// Why no matrix of that structure can be in `format`, or empty if it can: "has more than 256
/// distinct values".
[[nodiscard]] inline std::string_view obstacle_to(Format format, const Structure& structure) {
  const FormatFacts& facts = facts_of(format);
  return facts.obstacle ? facts.obstacle(structure) : std::string_view{};
}

/// Bytes that `structure` takes in `format`.
[[nodiscard]] inline double bytes_in(Format format, const Structure& structure,
                                     Index element_bytes) {
  return facts_of(format).bytes(structure, element_bytes);
}

/// Bytes of the arrays that a matrix made by a conversion between these formats shares with its
/// source: they are neither copied nor allocated.
[[nodiscard]] inline double shared_bytes(Format from, Format to, const Structure& structure) {
  if (from != Format::Csr && to != Format::Csr) return 0;
  const FormatFacts& facts = facts_of(from == Format::Csr ? to : from);
  return facts.shared_bytes ? facts.shared_bytes(structure) : 0;
}

/// The format that the matrix is in.
template <Element T>
[[nodiscard]] Format format_of(const Storage<T>& storage) noexcept {
  return std::visit([](const auto& matrix) { return matrix.format; }, storage);
}
/// Number of rows, in any format.
template <Element T>
[[nodiscard]] Index rows_of(const Storage<T>& storage) noexcept {
  return std::visit([](const auto& matrix) { return matrix.rows; }, storage);
}
/// Number of columns, in any format.
template <Element T>
[[nodiscard]] Index cols_of(const Storage<T>& storage) noexcept {
  return std::visit([](const auto& matrix) { return matrix.cols; }, storage);
}

/// The CSR arrays that a multiplication goes over row by row: those of the matrix in CSR, those of
/// its transpose in CSC. REQUIRES: one of these two.
template <Element T>
[[nodiscard]] const Csr<T>& compressed_rows(const Storage<T>& storage) {
  const auto* const by_columns = std::get_if<Csc<T>>(&storage);
  return by_columns ? by_columns->transpose : std::get<Csr<T>>(storage);
}

/// Slots kept for nonzeros, padding included, in any format.
template <Element T>
[[nodiscard]] Index slots_of(const Storage<T>& storage) noexcept {
  return std::visit([](const auto& matrix) { return matrix.slots(); }, storage);
}

/// The array with the values of the elements, in any format: of all slots, or of those that codes
/// stand for.
template <Element T>
[[nodiscard]] Array<T>& values_of(Storage<T>& storage) noexcept {
  return std::visit(
      [](auto& matrix) -> Array<T>& {
        if constexpr (requires { matrix.transpose; }) {
          return matrix.transpose.values;
        } else {
          return matrix.values;
        }
      },
      storage);
}
/// The same for a const matrix.
template <Element T>
[[nodiscard]] const Array<T>& values_of(const Storage<T>& storage) noexcept {
  return values_of(const_cast<Storage<T>&>(storage));
}

/// The structure of the matrix, in any format, with every nonzero counted. REQUIRES: in host
/// memory.
template <Element T>
[[nodiscard]] Structure structure_of(const Storage<T>& storage) {
  return std::visit([](const auto& matrix) { return structure_of(matrix); }, storage);
}
/// The structure that is determined before the first multiplication: `sampled_structure_of` for a
/// dense matrix, `structure_of` for any other. REQUIRES: in host memory.
template <Element T>
[[nodiscard]] Structure first_look(const Storage<T>& storage);

/// Bytes held by all arrays of `storage`.
template <Element T>
[[nodiscard]] std::size_t bytes_of(const Storage<T>& storage);

/// A copy of `storage`, in the same format, in another space. REQUIRES: one of the two spaces is
/// the host's. Throws what `MemorySpace` throws.
template <Element T>
[[nodiscard]] Storage<T> transferred(const Storage<T>& storage,
                                     const std::shared_ptr<MemorySpace>& destination);

/// Charges all host arrays of `storage` to `memory`'s budget. REQUIRES: in host memory.
template <Element T>
void charge_to(Storage<T>& storage, const std::shared_ptr<MemorySpace>& memory);

}  // namespace switchyard
