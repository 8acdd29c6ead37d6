// The compressed sparse column format: its size, its checks and the search for a row.
#include <algorithm>
#include <limits>
#include <switchyard/containers/csc.hpp>

namespace switchyard {

template <Element T>
Csc<T> Csc<T>::sized(Index rows, Index cols, Index nnz,
                     const std::shared_ptr<MemorySpace>& memory) {
  (void)narrow<Column>(cols);  // as for any format
  return {rows, cols, nnz, Csr<T>::sized(cols, rows, nnz, memory)};
}

template <Element T>
void Csc<T>::check() const {
  if (transpose.rows != cols || transpose.cols != rows || transpose.nnz != nnz) {
    throw Error(ErrorCode::InvalidArgument,
                "a CSC matrix needs a row of its transpose for each column");
  }
  transpose.check();
}

template <Element T>
void Csc<T>::row_lengths(Index first, std::span<Index> lengths) const noexcept {
  std::ranges::fill(lengths, Index{0});
  const Index last = first + std::ssize(lengths);
  for (Index k = 0; k < transpose.nnz; ++k) {
    const Index i = transpose.columns[k];
    if (i >= first && i < last) ++lengths[static_cast<std::size_t>(i - first)];
  }
}

template <Element T>
Index Csc<T>::place_of(Index i, Index j) const noexcept {
  const auto* const begin = transpose.columns.data() + transpose.offset(j);
  const auto* const end = transpose.columns.data() + transpose.offset(j + 1);
  const auto* const found = std::lower_bound(begin, end, i);
  return found != end && *found == i ? found - transpose.columns.data() : -1;
}

double csc_bytes(const Structure& structure, Index element_bytes) {
  Structure flipped;
  flipped.rows = structure.cols;
  flipped.nnz = structure.nnz;
  return csr_bytes(flipped, element_bytes);
}

std::string_view csc_obstacle(const Structure& structure) {
  const bool fits = structure.rows <= std::numeric_limits<Column>::max();
  return fits ? "" : "has more than 2^31-1 rows";
}

template struct Csc<float>;
template struct Csc<double>;

}  // namespace switchyard
