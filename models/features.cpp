// What a matrix's structure means in each of the quantities that costs are made of.
#include <algorithm>
#include <array>
#include <switchyard/models/features.hpp>

namespace switchyard {

namespace {

constexpr std::array<std::string_view, quantity_count> quantity_names{
    "bytes", "rows", "cols", "elements", "nonzeros", "gathered", "longest", "spread", "uneven"};

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

}  // namespace

std::string_view name(Quantity quantity) noexcept {
  return quantity_names[static_cast<std::size_t>(quantity)];
}

Features multiply_features(Format format, const Structure& structure, Precision precision) {
  const Index size = size_of(precision);
  Features features;
  add_shape(features, structure);
  features[Quantity::Bytes] =
      bytes_in(format, structure, size) +
      (features[Quantity::Rows] + features[Quantity::Cols]) * static_cast<double>(size);
  if (format == Format::Dense) return features;
  add_row_lengths(features, structure);
  features[Quantity::Gathered] = features[Quantity::Nonzeros] * structure.lines_per_nonzero;
  return features;
}

Features convert_features(Format from, Format to, const Structure& structure, Precision precision) {
  const Index size = size_of(precision);
  Features features;
  add_shape(features, structure);
  add_row_lengths(features, structure);
  features[Quantity::Bytes] = bytes_in(from, structure, size) + bytes_in(to, structure, size);
  return features;
}

Features transfer_features(double bytes) noexcept {
  Features features;
  features[Quantity::Bytes] = bytes;
  return features;
}

}  // namespace switchyard
