// The order of a matrix's rows by their lengths, kept beside it.
#pragma once

#include "device.hpp"

namespace switchyard::opencl {

/// Whether a matrix in compressed rows has no more rows and pieces, each for a work-group of
/// `group` items, than can be counted in bins.
[[nodiscard]] bool fits_bins(Index group, Index rows, Index nnz);

/// What is kept beside the matrix with these offsets (kernels/bins.cl), made now if it is not
/// there. That waits for the device, once. `T` is the type of the matrix's elements.
template <Element T, class Offset>
[[nodiscard]] Derived& bins_beside(Device& device, Index rows, const Array<Offset>& offsets);

}  // namespace switchyard::opencl
