// The quantities that costs are predicted from.
#pragma once

#include <array>
#include <cstddef>
#include <switchyard/containers/formats.hpp>
#include <switchyard/containers/request.hpp>

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

/// The features of the operations on one matrix, for any format. What depends on the structure
/// alone is computed once. REQUIRES that the structure outlives this.
class MatrixFeatures {
 public:
  /// Of a matrix of that structure, with elements of that precision.
  MatrixFeatures(const Structure& structure, Precision precision);

  /// Bytes of the matrix in `format`; NaN and infinity as `FormatFacts::bytes` says.
  [[nodiscard]] double bytes(Format format) const {
    return bytes_in(format, structure_, element_bytes_);
  }
  /// See `multiply_features`. `bytes` is `bytes(format)`.
  [[nodiscard]] Features multiply(Format format, double bytes,
                                  const Request& request = {}) const noexcept;
  /// See `convert_features`. `bytes` is that of both formats together.
  [[nodiscard]] Features convert(Format from, Format to, double bytes) const noexcept;

 private:
  const Structure& structure_;
  Index element_bytes_;
  Features common_;  // of any multiplication: without bytes and slots
};

/// The features of a multiplication with a matrix of this structure in `format`. Bytes are those of
/// the matrix, x and y, each counted once. A quantity that depends on the nonzeros is 0 if no term
/// of the format's row contains it, and then need not be known: dense work is the same wherever the
/// zeros are. With the transpose, rows are those of the transpose; how uneven these are is not
/// known, and taken to be as uneven as those of the matrix. With several columns, what is done for
/// each element counts once for each column; lines of x are those of its rows, at least one for
/// each as many as were to be gathered for one column.
[[nodiscard]] Features multiply_features(Format format, const Structure& structure,
                                         Precision precision, const Request& request = {});
/// The features of a conversion. Bytes and slots are those of both formats, without the bytes that
/// both matrices share; nothing is gathered.
[[nodiscard]] Features convert_features(Format from, Format to, const Structure& structure,
                                        Precision precision);
/// The features of a transfer of `bytes`.
[[nodiscard]] Features transfer_features(double bytes) noexcept;
/// The features of a kernel build, which does not depend on the matrix.
[[nodiscard]] inline Features build_features() noexcept { return {}; }

}  // namespace switchyard
