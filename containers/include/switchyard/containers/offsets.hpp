// Offsets into the arrays of a sparse matrix, in as many bits as they need.
#pragma once

#include <cstdint>
#include <switchyard/containers/array.hpp>
#include <variant>

namespace switchyard {

/// Ascending offsets, stored in 32 bits if the last one fits, in 64 bits otherwise. On CSR rows of
/// five nonzeros the difference is a tenth of the bytes.
using Offsets = std::variant<Array<std::int32_t>, Array<std::int64_t>>;

/// Whether offsets up to `largest` are stored in 32 bits.
[[nodiscard]] constexpr bool offsets_are_narrow(Index largest) noexcept {
  return largest <= INT32_MAX;
}

/// Bytes of each offset up to `largest`.
[[nodiscard]] constexpr Index offset_bytes(Index largest) noexcept {
  return offsets_are_narrow(largest) ? 4 : 8;
}

/// `count` uninitialised offsets in `memory`, as wide as `largest` needs. Throws what `Array`
/// throws.
[[nodiscard]] inline Offsets sized_offsets(Index count, Index largest,
                                           const std::shared_ptr<MemorySpace>& memory) {
  if (offsets_are_narrow(largest)) return Array<std::int32_t>(count, memory);
  return Array<std::int64_t>(count, memory);
}

/// So many uninitialised offsets in `memory`, as wide as `others`. Throws what `Array` throws.
[[nodiscard]] inline Offsets offsets_like(const Offsets& others, Index count,
                                          const std::shared_ptr<MemorySpace>& memory) {
  return std::visit(
      [&]<class Offset>(const Array<Offset>&) -> Offsets { return Array<Offset>(count, memory); },
      others);
}

/// The same offsets in the same memory: see `Array::shared`.
[[nodiscard]] inline Offsets shared_offsets(const Offsets& offsets) noexcept {
  return std::visit([](const auto& array) -> Offsets { return array.shared(); }, offsets);
}

/// The number of offsets.
[[nodiscard]] inline Index size_of(const Offsets& offsets) noexcept {
  return std::visit([](const auto& array) { return array.size(); }, offsets);
}

/// Offset i. REQUIRES: in host memory, 0 <= i < size_of(offsets).
[[nodiscard]] inline Index offset_at(const Offsets& offsets, Index i) noexcept {
  return std::visit([i](const auto& array) { return Index{array[i]}; }, offsets);
}

}  // namespace switchyard
