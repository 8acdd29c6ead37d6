// Diagonals times a vector: neighbouring rows, which have neighbouring values and elements of x, in
// the places of a vector.
#include "row_kernels.hpp"
#include "vector_types.hpp"

namespace switchyard::openmp::SWITCHYARD_ISA {
namespace {

constexpr std::int64_t rows_of_word = 64;

/// Bit k in place k.
template <class T>
[[gnu::always_inline]] inline Wide<Bits<T>> bits_in_places() {
  Wide<Bits<T>> bits;
  for (int k = 0; k < wide_length<T>; ++k) bits[k] = Bits<T>{1} << k;
  return bits;
}

/// Adds the products of 64 rows to their sums: of all, or of those whose bits are set. What has no
/// bit may be NaN: it is masked, not multiplied by zero.
template <bool all, class T>
[[gnu::always_inline]] inline void add_word(const T* values, const T* x, std::uint64_t mask,
                                            T* sums) {
  using Integers = Wide<Bits<T>>;
  constexpr std::uint64_t ones = (std::uint64_t{1} << wide_length<T>)-1;
  for (std::int64_t k = 0; k < rows_of_word; k += wide_length<T>) {
    auto products = load<Wide<T>>(values + k) * load<Wide<T>>(x + k);
    if constexpr (!all) {
      const auto bits = static_cast<Bits<T>>(mask >> k & ones);
      const auto stored = ((bits_in_places<T>() & bits) != Integers{});
      products = (Wide<T>)((Integers)products & (Integers)stored);
    }
    store(sums + k, load<Wide<T>>(sums + k) + products);
  }
}

/// The sums of rows [first, first + rows), where `first` is a multiple of 64.
template <class T>
void diagonal_sums(const Diagonals<T>& work, std::int64_t first, std::int64_t rows, T* sums) {
  for (std::int64_t i = 0; i < rows; ++i) sums[i] = T(0);
  const std::int64_t words = (work.rows + rows_of_word - 1) / rows_of_word;
  for (std::int64_t d = 0; d < work.count; ++d) {
    const std::int64_t diagonal = work.diagonals[d];
    const T* const values = work.values + d * work.rows + first;
    const std::uint64_t* const masks = work.masks + d * words + first / rows_of_word;
    for (std::int64_t i = 0; i < rows; i += rows_of_word) {
      std::uint64_t mask = masks[i / rows_of_word];
      const std::int64_t column = first + i + diagonal;
      if (mask == ~std::uint64_t{0}) {
        add_word<true>(values + i, work.x + column, mask, sums + i);
      } else if (mask != 0 && i + rows_of_word <= rows && column >= 0 &&
                 column + rows_of_word <= work.cols) {
        add_word<false>(values + i, work.x + column, mask, sums + i);
      } else {
        for (; mask != 0; mask &= mask - 1) {
          const std::int64_t k = i + __builtin_ctzll(mask);
          sums[k] += values[k] * work.x[first + k + diagonal];
        }
      }
    }
  }
}

}  // namespace
}  // namespace switchyard::openmp::SWITCHYARD_ISA
