// What a matrix's structure means in each of the quantities that costs are made of.
#include <algorithm>
#include <array>
#include <cmath>
#include <switchyard/models/features.hpp>
#include <utility>

namespace switchyard {

namespace {

void add_shape(Features& features, const Structure& structure) {
  features[Quantity::Rows] = static_cast<double>(structure.rows);
  features[Quantity::Cols] = static_cast<double>(structure.cols);
  features[Quantity::Elements] = features[Quantity::Rows] * features[Quantity::Cols];
}

// Where the nonzeros of a matrix are spread evenly, four facts fall as it fills: lines of x that
// the row before did not touch, the deviation of the row lengths and how often they change, and the
// longest row over the mean. A prediction must not fall with them, so each counts together with the
// least that makes its quantity grow, or stay, in such matrices.

/// The slope of the lines touched against the nonzeros is nowhere below -0.15 for lines of 8 to 16
/// elements.
constexpr double lines_each_nonzero_costs = 1.0 / 6;

void add_row_lengths(Features& features, const Structure& structure) {
  const double mean = structure.mean_row();
  features[Quantity::Nonzeros] = static_cast<double>(structure.nnz);
  features[Quantity::Longest] = static_cast<double>(structure.longest_row);
  // Evenly spread, the variance is mean - mean^2 / cols.
  const double filled = structure.cols > 0 ? mean * mean / features[Quantity::Cols] : 0;
  const double variance = structure.row_deviation * structure.row_deviation + filled;
  features[Quantity::Spread] = features[Quantity::Rows] * std::sqrt(variance);
  // Evenly spread and half full, as many rows change as the second one says; then fewer do.
  features[Quantity::Changes] = std::max(
      structure.length_changes, features[Quantity::Rows] * chance_of_length_change(filled));
  // Evenly spread, seven standard deviations are more than the longest of any number of rows has.
  const double by_chance = mean + 7 * std::sqrt(mean) + 7;
  features[Quantity::Uneven] =
      1 + std::max(features[Quantity::Longest] - by_chance, 0.0) / std::max(mean, 1.0);
}

/// NaN where a format's slots are not known.
double slots_in(Format format, const Structure& structure) noexcept {
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

/// By format: whether a conversion's cost depends on its slots.
constexpr auto converts_by_slots = [] {
  std::array<bool, number_of_formats> by_slots{};
  for (const FormatFacts& facts : format_table) {
    by_slots[static_cast<std::size_t>(facts.format)] =
        depends_on(facts.convert_terms, Quantity::Stored);
  }
  return by_slots;
}();

/// What a product with several columns does for each of them.
void repeat_for_columns(Features& features, double columns, double row_bytes) {
  constexpr double line_bytes = 64;
  for (const Quantity each : {Quantity::Elements, Quantity::Nonzeros, Quantity::Longest,
                              Quantity::Spread, Quantity::Stored}) {
    features[each] *= columns;
  }
  features[Quantity::Gathered] *= std::max(row_bytes / line_bytes, 1.0);
}

}  // namespace

MatrixFeatures::MatrixFeatures(const Structure& structure, Precision precision)
    : structure_(structure), element_bytes_(size_of(precision)) {
  add_shape(common_, structure);
  add_row_lengths(common_, structure);
  common_[Quantity::Gathered] =
      common_[Quantity::Nonzeros] * (structure.lines_per_nonzero + lines_each_nonzero_costs);
}

Features MatrixFeatures::multiply(Format format, double bytes,
                                  const Request& request) const noexcept {
  Features features = common_;
  if (request.operand == Operand::Transpose) {
    std::swap(features[Quantity::Rows], features[Quantity::Cols]);
  }
  const auto columns = static_cast<double>(request.columns);
  const double row_bytes = columns * static_cast<double>(element_bytes_);
  features[Quantity::Bytes] =
      bytes + (features[Quantity::Rows] + features[Quantity::Cols]) * row_bytes;
  features[Quantity::Stored] = slots_in(format, structure_);
  if (request.columns > 1) repeat_for_columns(features, columns, row_bytes);
  const auto& needed = multiply_needs[static_cast<std::size_t>(format)];
  for (std::size_t q = 0; q < quantity_count; ++q) {
    if (!needed[q]) features.values[q] = 0;
  }
  return features;
}

Features MatrixFeatures::convert(Format from, Format to, double bytes) const noexcept {
  Features features = common_;
  features[Quantity::Gathered] = 0;
  features[Quantity::Bytes] = bytes - 2 * shared_bytes(from, to, structure_);
  for (const Format format : {from, to}) {
    if (!converts_by_slots[static_cast<std::size_t>(format)]) continue;
    features[Quantity::Stored] += slots_in(format, structure_);
  }
  return features;
}

Features multiply_features(Format format, const Structure& structure, Precision precision,
                           const Request& request) {
  const MatrixFeatures features(structure, precision);
  return features.multiply(format, features.bytes(format), request);
}

Features convert_features(Format from, Format to, const Structure& structure, Precision precision) {
  const MatrixFeatures features(structure, precision);
  return features.convert(from, to, features.bytes(from) + features.bytes(to));
}

Features transfer_features(double bytes) noexcept {
  Features features;
  features[Quantity::Bytes] = bytes;
  return features;
}

}  // namespace switchyard
