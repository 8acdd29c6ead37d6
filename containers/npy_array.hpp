// One array of a NumPy .npz file.
#pragma once

#include <string>
#include <switchyard/containers/matrix_market.hpp>
#include <vector>

#include "zip_archive.hpp"

namespace switchyard {

/// The element types that are read. Little-endian, as all supported machines are.
enum class NpyType { F4, F8, I1, I2, I4, I8, U1, U2, U4, U8, Bool, Bytes, Unicode };

/// What stands before the elements of an array.
struct NpyHeader {
  NpyType type = NpyType::F8;
  Index item_bytes = 0;
  std::vector<Index> shape;  ///< empty for a single element
  Index elements = 0;        ///< the product of the shape
};

/// Reads the header of NumPy's format, versions 1 to 3:
/// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html. Throws
/// `Error(DataCorrupt)` where it is damaged or the member's size is not the one that it says;
/// `Error(Unsupported)` for other element types, another byte order, and Fortran order.
[[nodiscard]] NpyHeader read_npy_header(ZipReader& reader);

/// The elements, converted: to `Index` or `Column` from integers only, to float and double from any
/// number. Takes no more memory than the result, which the member's size bounds. Throws
/// `Error(OutOfRange)` for a number that does not fit, but for a real one where `options` are
/// lenient: that becomes infinite; `Error(Unsupported)` for other elements; what `reader` throws.
template <class To>
[[nodiscard]] std::vector<To> read_npy_elements(ZipReader& reader, const NpyHeader& header,
                                                const ReadOptions& options);

/// The text of an array that is one short text, such as a format's name. Throws
/// `Error(DataCorrupt)` where it is none.
[[nodiscard]] std::string read_npy_text(ZipReader& reader);

}  // namespace switchyard
