// Formats take turns: each matrix is measured in a few of them.
#include "turns.hpp"

#include <algorithm>
#include <array>

namespace switchyard {
namespace {

/// What a quick calibration leaves out, so that the others are measured often enough for a model.
constexpr std::array seldom_fastest{Format::Ell, Format::Coo, Format::Packet, Format::Hyb};

/// The format whose turn is that of `format` too, as the same matrices suit both.
Format shares_turn_with(Format format, bool few_formats) {
  if (format == Format::Csc) return Format::Coo;
  const bool has_blocks = format == Format::Bsr3 || format == Format::Bsr4;
  return few_formats && has_blocks ? Format::Bsr2 : format;
}

/// The turns that formats made by conversion take: one each, but for formats that code values or
/// columns, which share matrices that all of them can hold, and for those above.
std::vector<Turn> all_turns(bool few_formats) {
  std::vector<Turn> turns;
  std::array<Turn, 2> coded{Turn{{}, ValueCoding::Constant}, Turn{{}, ValueCoding::Dictionary8}};
  for (const FormatFacts& facts : format_table) {
    const bool is_left_out =
        few_formats && std::ranges::find(seldom_fastest, facts.format) != seldom_fastest.end();
    if (is_given(facts.format) || is_left_out) continue;
    const auto first = [](const Turn& turn) { return turn.formats.front(); };
    const auto shared =
        std::ranges::find(turns, shares_turn_with(facts.format, few_formats), first);
    if (shared != turns.end()) {
      shared->formats.push_back(facts.format);
      continue;
    }
    const bool packed = facts.columns != ColumnCoding::Plain || facts.values != ValueCoding::Plain;
    if (!packed) turns.push_back({{facts.format}});
    for (Turn& turn : coded) {
      const bool holds = facts.values == ValueCoding::Plain || facts.values == turn.coding;
      if (packed && holds) turn.formats.push_back(facts.format);
    }
  }
  turns.insert(turns.end(), coded.begin(), coded.end());
  return turns;
}

/// The number of the turn on the matrix of that seed: so that a calibration takes about as long
/// with twenty formats as with three. Each round of turns begins with another format: shapes and
/// densities follow digits of the same numbers, and otherwise a format might always meet the same
/// third of them. REQUIRES: seeds from 1 on that ascend from one experiment to the next.
std::size_t number_of_turn(std::uint64_t seed, std::size_t turns) {
  const std::uint64_t round = (seed - 1) / turns;
  return static_cast<std::size_t>((seed + round) % turns);
}

/// The turn of a matrix between dense and CSR: bitmaps, and the formats of one of the two value
/// codings.
Turn turn_between(std::vector<Turn> turns, std::uint64_t seed) {
  const std::size_t coding = seed / between_every % 2;
  Turn turn = std::move(turns[turns.size() - 1 - coding]);
  turn.formats.push_back(Format::Bitmap);
  return turn;
}

/// Whose turn it is on the matrix of an experiment, where it suits them.
Turn own_turn(const MatrixExperiment& experiment) {
  const std::uint64_t seed = experiment.matrix.seed;
  std::vector<Turn> turns = all_turns(experiment.few_formats);
  if (experiment.between) return turn_between(std::move(turns), seed);
  return std::move(turns[number_of_turn(seed, turns.size())]);
}

/// So many that both vectors have no more elements than a few for each nonzero, unless they are
/// small anyway.
Index most_columns(const Structure& structure) {
  constexpr Index elements_of_nonzero = 2;
  constexpr Index always_small = 1 << 20;
  const Index elements = std::max(elements_of_nonzero * structure.nnz, always_small);
  return elements / std::max<Index>(structure.rows + structure.cols, 1);
}

}  // namespace

std::size_t turns_of_formats(bool few_formats) { return all_turns(few_formats).size(); }

Turn turn_of(const MatrixExperiment& experiment, const Structure& structure, Precision precision) {
  Turn its_own = own_turn(experiment);
  const auto suits = [&](const Turn& turn) {
    return std::ranges::any_of(turn.formats, [&](Format format) {
      return fits(experiment, format, structure, precision);
    });
  };
  if (its_own.coding != ValueCoding::Plain || suits(its_own)) return its_own;
  std::vector<Turn> turns = all_turns(experiment.few_formats);
  std::erase_if(
      turns, [&](const Turn& turn) { return turn.coding != ValueCoding::Plain || !suits(turn); });
  return turns.empty() ? its_own : turns[number_of_turn(experiment.matrix.seed, turns.size())];
}

std::vector<Request> requests_on(const MatrixExperiment& experiment, const Turn& turn,
                                 const Structure& structure) {
  constexpr std::uint64_t one_in = 3;
  constexpr std::array<Index, 4> numbers_of_columns{2, 8, 32, 4};
  const std::uint64_t seed = experiment.matrix.seed;
  const bool for_columns = std::ranges::find(turn.formats, Format::Csc) != turn.formats.end();
  std::vector<Request> requests{Request{}};
  if (seed % one_in != 0 && !for_columns) return requests;
  requests.push_back({Operand::Transpose, 1});
  const Index wanted = numbers_of_columns[seed / one_in % numbers_of_columns.size()];
  const Index columns = std::min(wanted, most_columns(structure));
  if (columns < 2) return requests;
  requests.push_back({Operand::Matrix, columns});
  requests.push_back({Operand::Transpose, columns});
  return requests;
}

MatrixExperiment made_for_turn(MatrixExperiment experiment) {
  constexpr Index few = 200;
  const Turn turn = own_turn(experiment);
  switch (turn.coding) {
    case ValueCoding::Plain:
      return suited_to(turn.formats.front(), experiment);
    case ValueCoding::Constant:
      experiment.matrix.distinct_values = 1;
      break;
    case ValueCoding::Dictionary8:
      experiment.matrix.distinct_values = few;
      break;
  }
  return experiment;
}

}  // namespace switchyard
