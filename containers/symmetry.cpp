// Comparing each element with its mirror image.
#include <algorithm>
#include <atomic>
#include <switchyard/containers/symmetry.hpp>
#include <switchyard/containers/threads.hpp>

namespace switchyard {
namespace {

constexpr Index rows_of_block = 256;
constexpr Index elements_worth_threads = 1 << 15;

/// Whether `row_is_symmetric(i)` for all rows. The first blocks show most matrices not to be.
template <class Row>
bool all_rows(Index rows, Index elements, const Row& row_is_symmetric) {
  std::atomic<bool> symmetric{true};
  const Index blocks = (rows + rows_of_block - 1) / rows_of_block;
  share_out_steps(blocks, elements > elements_worth_threads, [&](Index block) {
    if (!symmetric.load(std::memory_order_relaxed)) return;
    const Index end = std::min((block + 1) * rows_of_block, rows);
    for (Index i = block * rows_of_block; i < end; ++i) {
      if (row_is_symmetric(i)) continue;
      symmetric.store(false, std::memory_order_relaxed);
      return;
    }
  });
  return symmetric;
}

template <Element T>
bool symmetric(const Dense<T>& a) {
  return all_rows(a.rows, a.rows * a.cols, [&](Index i) {
    for (Index j = 0; j <= i; ++j) {
      if (!(a.values[i * a.cols + j] == a.values[j * a.cols + i])) return false;
    }
    return true;
  });
}

/// The value in row i and column j, or null where none is stored.
template <Element T>
const T* element(const Csr<T>& a, Index i, Index j) {
  const auto* const begin = a.columns.data() + a.offset(i);
  const auto* const end = a.columns.data() + a.offset(i + 1);
  const auto* const found = std::lower_bound(begin, end, j);
  return found == end || *found != j ? nullptr : &a.values[found - a.columns.data()];
}

/// Each element below the diagonal is looked for above it. Where there are as many above, none of
/// them is without its own.
template <Element T>
bool symmetric(const Csr<T>& a) {
  std::atomic<Index> more_above{0};
  const bool found = all_rows(a.rows, a.nnz, [&](Index i) {
    Index k = a.offset(i);
    for (; k < a.offset(i + 1) && a.columns[k] < i; ++k) {
      const T* const mirrored = element(a, a.columns[k], i);
      if (!mirrored || !(*mirrored == a.values[k])) return false;
    }
    Index above = a.offset(i + 1) - k;
    if (above > 0 && a.columns[k] == i) {
      if (!(a.values[k] == a.values[k])) return false;  // a NaN
      --above;
    }
    more_above.fetch_add(above - (k - a.offset(i)), std::memory_order_relaxed);
    return true;
  });
  return found && more_above == 0;
}

}  // namespace

template <Element T>
std::optional<bool> is_symmetric(const Storage<T>& matrix) {
  if (rows_of(matrix) != cols_of(matrix)) return false;
  if (const auto* const dense = std::get_if<Dense<T>>(&matrix)) return symmetric(*dense);
  if (const auto* const csr = std::get_if<Csr<T>>(&matrix)) return symmetric(*csr);
  if (const auto* const csc = std::get_if<Csc<T>>(&matrix)) return symmetric(csc->transpose);
  return std::nullopt;
}

template std::optional<bool> is_symmetric(const Storage<float>&);
template std::optional<bool> is_symmetric(const Storage<double>&);

}  // namespace switchyard
