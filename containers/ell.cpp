// The ELLPACK-R format: sizes, checks and estimates.
#include <algorithm>
#include <cmath>
#include <switchyard/containers/ell.hpp>

namespace switchyard {
namespace {

[[noreturn]] void refuse(const char* why) {
  throw Error(ErrorCode::InvalidArgument, std::string("an ELLPACK matrix needs ") + why);
}

}  // namespace

template <Element T>
Ell<T> Ell<T>::sized(const Ell& header, const std::shared_ptr<MemorySpace>& memory) {
  (void)narrow<Column>(header.cols);  // columns and lengths must fit
  const Index slots = checked_product(header.rows, header.width);
  Ell ell = header.header();
  ell.lengths = Array<Column>(header.rows, memory);
  ell.columns = Array<Column>(slots, memory);
  ell.values = Array<T>(slots, memory);
  return ell;
}

template <Element T>
void Ell<T>::check() const {
  const Index slots = checked_product(rows, width);
  if (cols < 0 || columns.size() != slots || values.size() != slots) {
    refuse("as many columns and values as rows x width");
  }
  if (lengths.size() != rows) refuse("a length for each row");
  Index elements = 0;
  for (const Column length : lengths.span()) {
    if (length < 0 || length > width) refuse("rows that are no longer than its width");
    elements += length;
  }
  if (elements != nnz) refuse("lengths that add up to its number of elements");
}

template <Element T>
void Ell<T>::row_lengths(Index first, std::span<Index> into) const noexcept {
  std::copy_n(lengths.data() + first, into.size(), into.data());
}

double ell_slots(const Structure& structure, const RowView* /*rows*/) {
  const auto rows = static_cast<double>(structure.rows);
  auto longest = static_cast<double>(structure.longest_row);
  if (!structure.exact && structure.rows > 0) {
    // The longest of so many rows, were their lengths normally distributed. The longest of a sample
    // is shorter.
    const double mean = structure.mean_row() + structure.nnz_error / rows;
    const double expected = mean + std::sqrt(2 * std::log(rows)) * structure.row_deviation;
    longest = std::min(std::max(longest, std::ceil(expected)), static_cast<double>(structure.cols));
  }
  return rows * longest;
}

double ell_bytes(const Structure& structure, Index element_bytes) {
  constexpr auto column_bytes = Index{sizeof(Column)};
  return structure.slots[static_cast<std::size_t>(Format::Ell)] *
             static_cast<double>(element_bytes + column_bytes) +
         static_cast<double>(structure.rows * column_bytes);
}

template struct Ell<float>;
template struct Ell<double>;

}  // namespace switchyard
