// The coordinate format: its size, its checks and the search for a row.
#include <algorithm>
#include <switchyard/containers/coo.hpp>

namespace switchyard {
namespace {

[[noreturn]] void refuse(const char* why) {
  throw Error(ErrorCode::InvalidArgument, std::string("a COO matrix needs ") + why);
}

}  // namespace

Index first_in_row(const Offsets& row_indices, Index i) noexcept {
  return std::visit(
      [&](const auto& row_of) {
        return std::lower_bound(row_of.data(), row_of.data() + row_of.size(), i) - row_of.data();
      },
      row_indices);
}

template <Element T>
Coo<T> Coo<T>::sized(Index rows, Index cols, Index nnz,
                     const std::shared_ptr<MemorySpace>& memory) {
  (void)narrow<Column>(cols);  // columns must fit
  (void)checked_product(rows, 1);
  (void)checked_product(cols, 1);
  return {rows,
          cols,
          nnz,
          sized_offsets(nnz, rows, memory),
          Array<Column>(nnz, memory),
          Array<T>(nnz, memory)};
}

template <Element T>
void Coo<T>::check() const {
  if (rows < 0 || cols < 0 || nnz < 0 || size_of(row_indices) != nnz || columns.size() != nnz ||
      values.size() != nnz) {
    refuse("a row, a column and a value for each element");
  }
  std::visit(
      [&](const auto& row_of) {
        const auto at = row_of.span();
        if (!std::ranges::is_sorted(at)) refuse("elements that are sorted by row");
        if (nnz > 0 && (at.front() < 0 || at.back() >= rows)) refuse("rows within its shape");
      },
      row_indices);
}

template <Element T>
void Coo<T>::row_lengths(Index first, std::span<Index> lengths) const noexcept {
  std::ranges::fill(lengths, Index{0});
  std::visit(
      [&](const auto& row_of) {
        const Index last = first + std::ssize(lengths);
        for (Index k = first_in_row(row_indices, first); k < nnz && row_of[k] < last; ++k) {
          ++lengths[static_cast<std::size_t>(row_of[k] - first)];
        }
      },
      row_indices);
}

double coo_bytes(const Structure& structure, Index element_bytes) {
  return static_cast<double>(structure.nnz) *
         static_cast<double>(element_bytes + Index{sizeof(Column)} + offset_bytes(structure.rows));
}

template struct Coo<float>;
template struct Coo<double>;

}  // namespace switchyard
