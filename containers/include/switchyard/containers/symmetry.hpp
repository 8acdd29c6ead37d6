// Whether a matrix is its own transpose.
#pragma once

#include <optional>
#include <switchyard/containers/formats.hpp>

namespace switchyard {

/// Whether every element equals the one on the other side of the diagonal: the same are stored, and
/// their values are equal, so that a NaN has no equal. Ends with the first pair that differs; a
/// symmetric matrix is looked through once, with a search in a row for each element below the
/// diagonal. Nothing for formats other than dense, CSR and CSC, in which elements are not found
/// quickly. REQUIRES: in host memory.
template <Element T>
[[nodiscard]] std::optional<bool> is_symmetric(const Storage<T>& matrix);

}  // namespace switchyard
