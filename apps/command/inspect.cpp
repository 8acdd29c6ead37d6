// `switchyard inspect`: what a matrix is like.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>

#include "activity.hpp"
#include "command.hpp"
#include "matrix_argument.hpp"
#include "plan_json.hpp"
#include "row_lengths.hpp"
#include "table.hpp"

namespace switchyard::command {
namespace {

using Matrix = Storage<double>;  // holds the elements of any file

std::string bin_name(const LengthBin& bin) {
  if (bin.from == bin.to) return std::to_string(bin.from);
  return fmt::format("{}-{}", bin.from, bin.to);
}

std::string histogram_text(const std::vector<LengthBin>& bins) {
  constexpr double widest = 50;
  Index most = 1;
  for (const LengthBin& bin : bins) most = std::max(most, bin.rows);
  Table table({{"row length", Align::Right}, {"rows", Align::Right}, {""}});
  for (const LengthBin& bin : bins) {
    const double share = static_cast<double>(bin.rows) / static_cast<double>(most);
    const auto length = static_cast<std::size_t>(std::ceil(share * widest));
    table.add({bin_name(bin), std::to_string(bin.rows), std::string(length, '#')});
  }
  return table.text();
}

/// "5.2", "17.7k": three digits, as counts have them.
std::string format_mean(double value) {
  constexpr double as_counts = 1000;
  return value < as_counts ? fmt::format("{:.3g}", value) : format_count(std::llround(value));
}

/// "-" where the matrix cannot be in the format.
std::string bytes_or_none(double bytes) { return std::isinf(bytes) ? "-" : format_bytes(bytes); }

std::string bytes_text(const Structure& structure) {
  Table table({{"bytes in"}, {"float", Align::Right}, {"double", Align::Right}});
  for (const FormatFacts& facts : format_table) {
    table.add({std::string(facts.name), bytes_or_none(facts.bytes(structure, sizeof(float))),
               bytes_or_none(facts.bytes(structure, sizeof(double)))});
  }
  return table.text();
}

/// Whether there are more values than any coding distinguishes.
bool has_many_values(const Structure& structure) {
  return structure.distinct_values.value_or(most_distinct_values) == most_distinct_values;
}

std::string values_text(const Structure& structure) {
  if (has_many_values(structure)) return "more than 256 distinct";
  return fmt::format("{} distinct", *structure.distinct_values);
}

std::string inspect_text(const std::string& name, const Matrix& matrix,
                         const Structure& structure) {
  return folded("matrix    ", fmt::format("{}: {}", name, format_shape(structure))) +
         fmt::format(
             "stored    {}\n"
             "values    {}\n"
             "rows      {} nonzeros on average, standard deviation {}, longest row {}, {} "
             "empty\n\n",
             switchyard::name(format_of(matrix)), values_text(structure),
             format_mean(structure.mean_row()), format_mean(structure.row_deviation),
             format_count(structure.longest_row), format_count(structure.empty_rows)) +
         histogram_text(length_histogram(matrix)) + "\n" + bytes_text(structure);
}

/// What is decided by is only sampled.
void count_all_values(Structure& structure, const Matrix& matrix) {
  structure.distinct_values = std::visit(
      [](const auto& stored) {
        const bool dense = stored.format == Format::Dense;
        return count_distinct_values(rows_of_matrix(stored), stored.slots(),
                                     {.all = true, .without_zeros = dense});
      },
      matrix);
}

Json inspect_document(const Matrix& matrix, const Structure& structure) {
  Json histogram = Json::array();
  for (const LengthBin& bin : length_histogram(matrix)) {
    histogram.push_back({{"from", bin.from}, {"to", bin.to}, {"rows", bin.rows}});
  }
  Json bytes;
  for (const FormatFacts& facts : format_table) {
    for (const Precision precision : {Precision::Float, Precision::Double}) {
      bytes[std::string(facts.name)][std::string(name(precision))] =
          whole(facts.bytes(structure, size_of(precision)));
    }
  }
  return {{"matrix", matrix_json(structure)},
          {"format", name(format_of(matrix))},
          {"row_length",
           {{"mean", structure.mean_row()},
            {"deviation", structure.row_deviation},
            {"longest", structure.longest_row},
            {"empty_rows", structure.empty_rows},
            {"histogram", histogram}}},
          {"lines_per_nonzero", structure.lines_per_nonzero},
          {"distinct_values",
           has_many_values(structure) ? Json(nullptr) : Json(*structure.distinct_values)},
          {"bytes", bytes}};
}

}  // namespace

Action add_inspect(CLI::App& app) {
  const auto argument = std::make_shared<MatrixArgument>();
  add_matrix(app, *argument);
  return [argument](const CommonOptions& common) -> Outcome {
    Activity activity(!common.quiet);
    activity.now(loading_words(*argument));
    const Matrix matrix = load_matrix<double>(*argument);
    activity.now("counting");
    Structure structure = exact_structure(matrix);
    count_all_values(structure, matrix);
    if (common.json) return {json_text(inspect_document(matrix, structure))};
    return {inspect_text(argument->text, matrix, structure)};
  };
}

}  // namespace switchyard::command
