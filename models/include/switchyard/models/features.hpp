// The numbers a cost is predicted from.
#pragma once

#include <array>
#include <cstddef>
#include <switchyard/containers/formats.hpp>

namespace switchyard {

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
/// of x and of y, each counted once. What depends on the nonzeros is 0, and need not be known,
/// where no term of the format's row contains it: a dense multiplication does the same work
/// wherever the zeros are.
[[nodiscard]] Features multiply_features(Format format, const Structure& structure,
                                         Precision precision);
/// For a conversion; bytes and slots are those of both formats, and nothing is gathered.
[[nodiscard]] Features convert_features(Format from, Format to, const Structure& structure,
                                        Precision precision);
/// For a transfer of so many bytes.
[[nodiscard]] Features transfer_features(double bytes) noexcept;
/// For the build of a program, which costs the same whatever the matrix.
[[nodiscard]] inline Features build_features() noexcept { return {}; }

}  // namespace switchyard
