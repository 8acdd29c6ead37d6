// Products by kernels for warps, whose items are threads.
#pragma once

#include <cstdint>
#include <vector>

namespace switchyard::warps {

/// What products leave for those that follow.
struct KeptSums {
  std::vector<unsigned long> words;
  std::uint32_t turn = 0;
};

/// A^T x with A in CSR, and how it is launched.
template <class T>
struct Product {
  long rows = 0;
  long cols = 0;
  std::vector<int> offsets;
  std::vector<int> columns;
  std::vector<T> values;
  std::vector<T> x;
  bool few_planes = false;        ///< so few that products can lie in more bins
  bool finishes_at_once = false;  ///< y is written by the launch that adds
  bool combines = false;          ///< wherever columns repeat, not only where one has a quarter
};

/// Words before the planes of sums: those of two products.
inline constexpr long control_words = 4;

template <class T>
using Emulated = std::vector<T>(const Product<T>& product, KeptSums& sums);

Emulated<float> scatter_of_float;
Emulated<double> scatter_of_double;
/// Without atomics of 64 bits.
Emulated<float> scatter_by_words;
Emulated<float> windows_of_float;
Emulated<double> windows_of_double;

/// How rows are read: by csr_columns.cl one nonzero or four at once, or four by way of local
/// memory, in float; or by csr_staged.cl.
enum class By { Strides, Quads, Chunks, Stage };
/// Which kernel of a family: for rows of X of any number of elements, for items with two columns,
/// for even numbers, for multiples of four, or for items with eight or with one.
enum class Way { One, Pair, Two, Four, Eight, Single };

/// 2 A X - Y with A in CSR, and Y of sevens.
template <class T>
struct ColumnProduct {
  long rows = 0;
  long count = 0;  ///< of columns of X, which is row-major
  long width = 0;  ///< elements of a row of X
  std::vector<int> offsets{};
  std::vector<int> columns{};
  std::vector<T> values{};
  std::vector<T> x{};
  By by = By::Strides;
  Way way = Way::One;
  unsigned teams = 1;       ///< that share a row, if so many fit into a warp or group
  unsigned long_row = 100;  ///< more nonzeros are left to a group, or warp
};

template <class T>
using Columns = std::vector<T>(const ColumnProduct<T>& product);

Columns<float> columns_of_float;
Columns<double> columns_of_double;

}  // namespace switchyard::warps
