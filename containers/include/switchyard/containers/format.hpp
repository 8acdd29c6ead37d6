// The names of the storage formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace switchyard {

/// A storage format with its parameters. Each has a row in `format_table` (formats.hpp), in this
/// order. Several may share one struct: the member `format` of the struct names the format.
enum class Format : std::uint8_t {
  Dense,
  Csr,
  Ell,
  Sell8,
  Sell32,
  Bitmap,
  Csr16,
  CsrConst,
  CsrDict8,
  Csr16Const,
  Csr16Dict8,
  Coo,
  Bsr2,
  Bsr3,
  Bsr4,
  Csr8,
  Csr8Const,
  Csr8Dict8,
  Packet,
  Hyb,
  Dia,
  Csc
};
/// The number of values of `Format`.
inline constexpr std::size_t number_of_formats = 22;

/// Whether programs and files have matrices in that format before Switchyard does. All others are
/// made by conversion.
[[nodiscard]] constexpr bool is_given(Format format) noexcept {
  return format == Format::Dense || format == Format::Csr;
}

/// "dense", "csr", ...: as in the names of states.
[[nodiscard]] std::string_view name(Format format) noexcept;
/// The inverse of `name`. Returns nothing for any other text.
[[nodiscard]] std::optional<Format> parse_format(std::string_view text) noexcept;

}  // namespace switchyard
