// The numbers a cost is predicted from.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <switchyard/containers/formats.hpp>

namespace switchyard {

/// The quantities that the terms of a polynomial are made of. All of them grow with the work, but
/// for `Uneven`, which tells how long the last of many threads works alone.
enum class Quantity : std::uint8_t {
  Bytes,     ///< bytes read and written, the vectors included
  Rows,      ///< rows
  Cols,      ///< columns
  Elements,  ///< rows x columns
  Nonzeros,  ///< stored nonzeros
  Gathered,  ///< distinct 64-byte lines of x touched, row by row: nonzeros x lines per nonzero
  Longest,   ///< nonzeros in the longest row
  Spread,    ///< rows x standard deviation of the row length
  Uneven,  ///< how many times as long as the mean row the longest is; the mean counts as 1 at least
};
/// The number of values of `Quantity`.
inline constexpr std::size_t quantity_count = 9;

/// "bytes", "rows", ...
[[nodiscard]] std::string_view name(Quantity quantity) noexcept;

/// One point in the space that a model is fitted over and asked at.
struct Features {
  std::array<double, quantity_count> values{};  ///< by `Quantity`
  /// The value of one quantity.
  [[nodiscard]] double operator[](Quantity quantity) const noexcept {
    return values[static_cast<std::size_t>(quantity)];
  }
  /// The value of one quantity, to be set.
  [[nodiscard]] double& operator[](Quantity quantity) noexcept {
    return values[static_cast<std::size_t>(quantity)];
  }
};

/// For a product with a matrix of this structure held in `format`. Bytes are those of the matrix,
/// of x and of y, each counted once. A dense product does the same work wherever the zeros are, so
/// what depends on the nonzeros is left 0 there and need not be known.
[[nodiscard]] Features multiply_features(Format format, const Structure& structure,
                                         Precision precision);
/// For a conversion; bytes are those of both representations, and nothing is gathered.
[[nodiscard]] Features convert_features(Format from, Format to, const Structure& structure,
                                        Precision precision);
/// For a transfer of so many bytes.
[[nodiscard]] Features transfer_features(double bytes) noexcept;
/// For the build of a program, which costs the same whatever the matrix.
[[nodiscard]] inline Features build_features() noexcept { return {}; }

}  // namespace switchyard
