// What a matrix's structure means in each of the quantities that costs are made of.
#include <algorithm>
#include <array>
#include <switchyard/models/features.hpp>

namespace switchyard {

namespace {

void add_shape(Features& features, const Structure& structure) {
  features[Quantity::Rows] = static_cast<double>(structure.rows);
  features[Quantity::Cols] = static_cast<double>(structure.cols);
  features[Quantity::Elements] = features[Quantity::Rows] * features[Quantity::Cols];
}

void add_row_lengths(Features& features, const Structure& structure) {
  features[Quantity::Nonzeros] = static_cast<double>(structure.nnz);
  features[Quantity::Longest] = static_cast<double>(structure.longest_row);
  features[Quantity::Spread] = features[Quantity::Rows] * structure.row_deviation;
  features[Quantity::Uneven] = features[Quantity::Longest] / std::max(structure.mean_row(), 1.0);
}

/// NaN where a format's slots are not known.
double slots_in(Format format, const Structure& structure) {
  return facts_of(format).slots ? structure.slots[static_cast<std::size_t>(format)]
                                : static_cast<double>(structure.nnz);
}

/// By format: whether a multiplication's cost depends on each quantity, those of the shape aside.
constexpr auto multiply_needs = [] {
  std::array<std::array<bool, quantity_count>, number_of_formats> needs{};
  for (const FormatFacts& facts : format_table) {
    for (std::size_t q = 0; q < quantity_count; ++q) {
      const auto quantity = static_cast<Quantity>(q);
      const bool of_shape = quantity == Quantity::Bytes || quantity == Quantity::Rows ||
                            quantity == Quantity::Cols || quantity == Quantity::Elements;
      needs[static_cast<std::size_t>(facts.format)][q] =
          of_shape || depends_on(facts.multiply_terms, quantity);
    }
  }
  return needs;
}();

}  // namespace

Features multiply_features(Format format, const Structure& structure, Precision precision) {
  const Index size = size_of(precision);
  Features features;
  add_shape(features, structure);
  features[Quantity::Bytes] =
      bytes_in(format, structure, size) +
      (features[Quantity::Rows] + features[Quantity::Cols]) * static_cast<double>(size);
  add_row_lengths(features, structure);
  features[Quantity::Gathered] = features[Quantity::Nonzeros] * structure.lines_per_nonzero;
  features[Quantity::Stored] = slots_in(format, structure);
  const auto& needed = multiply_needs[static_cast<std::size_t>(format)];
  for (std::size_t q = 0; q < quantity_count; ++q) {
    if (!needed[q]) features.values[q] = 0;
  }
  return features;
}

Features convert_features(Format from, Format to, const Structure& structure, Precision precision) {
  const Index size = size_of(precision);
  Features features;
  add_shape(features, structure);
  add_row_lengths(features, structure);
  features[Quantity::Bytes] = bytes_in(from, structure, size) + bytes_in(to, structure, size);
  for (const Format format : {from, to}) {
    if (!depends_on(facts_of(format).convert_terms, Quantity::Stored)) continue;
    features[Quantity::Stored] += slots_in(format, structure);
  }
  return features;
}

Features transfer_features(double bytes) noexcept {
  Features features;
  features[Quantity::Bytes] = bytes;
  return features;
}

}  // namespace switchyard
