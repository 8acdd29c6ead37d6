// The quantities that costs are predicted from.
#pragma once

#include <array>
#include <cstddef>
#include <switchyard/containers/formats.hpp>

namespace switchyard {

/// The value of each quantity for one operation.
struct Features {
  std::array<double, quantity_count> values{};  ///< by `Quantity`
  /// The value of one quantity.
  [[nodiscard]] double operator[](Quantity quantity) const noexcept {
    return values[static_cast<std::size_t>(quantity)];
  }
  /// The value of one quantity, for writing.
  [[nodiscard]] double& operator[](Quantity quantity) noexcept {
    return values[static_cast<std::size_t>(quantity)];
  }
};

/// The features of a multiplication with a matrix of this structure in `format`. Bytes are those of
/// the matrix, x and y, each counted once. A quantity that depends on the nonzeros is 0 if no term
/// of the format's row contains it, and then need not be known: dense work is the same wherever the
/// zeros are.
[[nodiscard]] Features multiply_features(Format format, const Structure& structure,
                                         Precision precision);
/// The features of a conversion. Bytes and slots are those of both formats, and nothing is
/// gathered.
[[nodiscard]] Features convert_features(Format from, Format to, const Structure& structure,
                                        Precision precision);
/// The features of a transfer of `bytes`.
[[nodiscard]] Features transfer_features(double bytes) noexcept;
/// The features of a kernel build, which does not depend on the matrix.
[[nodiscard]] inline Features build_features() noexcept { return {}; }

}  // namespace switchyard
