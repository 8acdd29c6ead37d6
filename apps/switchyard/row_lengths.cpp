// Counting row lengths in bins of powers of two.
#include "row_lengths.hpp"

#include <algorithm>
#include <bit>

namespace switchyard::command {
namespace {

template <Element T>
Index row_length(const Csr<T>& matrix, Index row) {
  return matrix.offset(row + 1) - matrix.offset(row);
}
template <Element T>
Index row_length(const Dense<T>& matrix, Index row) {
  const T* const values = matrix.values.data() + row * matrix.cols;
  return matrix.cols - std::count(values, values + matrix.cols, T{0});
}

}  // namespace

template <Element T>
std::vector<LengthBin> length_histogram(const Storage<T>& matrix) {
  std::vector<LengthBin> bins;
  const auto add_row = [&bins](Index length) {
    const auto bin = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(length)));
    while (bins.size() <= bin) {
      const Index from = bins.empty() ? 0 : bins.back().to + 1;
      bins.push_back({from, std::max<Index>(2 * from - 1, from), 0});
    }
    ++bins[bin].rows;
  };
  std::visit(
      [&](const auto& stored) {
        for (Index row = 0; row < stored.rows; ++row) add_row(row_length(stored, row));
      },
      matrix);
  return bins;
}

template std::vector<LengthBin> length_histogram(const Storage<float>&);
template std::vector<LengthBin> length_histogram(const Storage<double>&);

}  // namespace switchyard::command
