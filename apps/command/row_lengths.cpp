// Counting row lengths in bins of powers of two.
#include "row_lengths.hpp"

#include <algorithm>
#include <bit>

namespace switchyard::command {

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
        for (Index row = 0; row < stored.rows; ++row) {
          Index length = 0;
          stored.row_lengths(row, {&length, 1});
          add_row(length);
        }
      },
      matrix);
  return bins;
}

template std::vector<LengthBin> length_histogram(const Storage<float>&);
template std::vector<LengthBin> length_histogram(const Storage<double>&);

}  // namespace switchyard::command
