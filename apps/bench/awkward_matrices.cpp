// Matrices that naive kernels are slow on: extreme shapes, rows of very unequal lengths.
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "matrices.hpp"

namespace switchyard::command::bench {
namespace {

/// How many nonzeros each row has, for a matrix of `rows` x `cols`.
using RowLengths = std::vector<Index> (*)(Index rows, Index cols);

std::vector<Index> one_huge_row(Index rows, Index cols) {
  std::vector<Index> lengths(static_cast<std::size_t>(rows), std::max<Index>(cols / rows, 1));
  lengths[lengths.size() / 3] = cols;
  return lengths;
}

std::vector<Index> mostly_empty(Index rows, Index /*cols*/) {
  std::vector<Index> lengths(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < lengths.size(); i += 10) lengths[i] = 20;
  return lengths;
}

std::vector<Index> one_to_eight(Index rows, Index /*cols*/) {
  std::mt19937_64 random(5);
  std::vector<Index> lengths(static_cast<std::size_t>(rows));
  for (Index& length : lengths) length = 1 + static_cast<Index>(random() >> 61);
  return lengths;
}

/// Rows of these lengths, their columns spread evenly from a random one on.
template <Element T>
Csr<T> with_lengths(Index rows, Index cols, RowLengths lengths_of) {
  std::mt19937_64 random(7);
  std::vector<Index> offsets{0};
  std::vector<Column> columns;
  std::vector<T> values;
  for (const Index length : lengths_of(rows, cols)) {
    const Index stride = length > 0 ? cols / length : 1;
    const auto first = static_cast<Index>(random() % static_cast<std::uint64_t>(stride));
    for (Index k = 0; k < length; ++k) {
      columns.push_back(static_cast<Column>(first + k * stride));
      values.push_back(static_cast<T>(static_cast<double>(random() >> 41) / (1 << 23) + 0.5));
    }
    offsets.push_back(static_cast<Index>(columns.size()));
  }
  return csr_from_arrays<T>(rows, cols, offsets, std::move(columns), std::move(values));
}

Subject by_lengths(const std::string& name, Index rows, Index cols, RowLengths lengths) {
  return {fmt::format("{}:{}", name, rows), "irregular",
          [=] { return with_lengths<float>(rows, cols, lengths); },
          [=] { return with_lengths<double>(rows, cols, lengths); }};
}

}  // namespace

std::vector<Subject> awkward_subjects(bool quick) {
  const Index million = quick ? 100'000 : 1'000'000;
  return {uniform_subject(4, 4 * million, 1, "wide and tall"),
          uniform_subject(4 * million, 4, 1, "wide and tall"),
          uniform_subject(million, 1, 1, "wide and tall"),
          uniform_subject(million, 16, 1, "wide and tall"),
          by_lengths("one_huge_row", million, 4 * million, &one_huge_row),
          by_lengths("mostly_empty", 4 * million, million, &mostly_empty),
          by_lengths("rows_of_1_to_8", million, million, &one_to_eight),
          uniform_subject(1, 1, 1, "tiny"),
          uniform_subject(16, 16, 1, "tiny"),
          uniform_subject(100, 100, 0.1, "tiny"),
          uniform_subject(100, 100, 1, "tiny")};
}

}  // namespace switchyard::command::bench
