// The dense format: its size, and counting nonzeros.
#include <switchyard/containers/dense.hpp>

namespace switchyard {

double dense_bytes(const Structure& structure, Index element_bytes) {
  return static_cast<double>(structure.rows) * static_cast<double>(structure.cols) *
         static_cast<double>(element_bytes);
}

template <Element T>
void Dense<T>::row_lengths(Index first, std::span<Index> lengths) const noexcept {
  const T* row = values.data() + first * cols;
  for (Index& length : lengths) {
    Index nonzeros = 0;
#pragma omp simd reduction(+ : nonzeros)
    for (Index j = 0; j < cols; ++j) nonzeros += row[j] != T{0} ? 1 : 0;
    length = nonzeros;
    row += cols;
  }
}

template struct Dense<float>;
template struct Dense<double>;

}  // namespace switchyard
