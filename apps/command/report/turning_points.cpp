// Halving between two densities until it is known where the choice turns.
#include <array>
#include <cmath>

#include "state_map.hpp"
#include "state_prices.hpp"

namespace switchyard::command::report {
namespace {

constexpr std::array<Index, 5> call_numbers{1, 10, 100, 1000, 10000};
constexpr std::array<Index, 6> row_numbers{64, 256, 1024, 4096, 16384, 65536};

std::optional<State> best_at(Question question, double density, const Profile& profile) {
  question.structure = square_matrix(question.structure.rows, density, question.precision);
  return best_state(question, profile);
}

/// The density between `low` and `high` up to which the state that is best at `low` stays so.
double turn_between(const Question& question, double low, double high, const Profile& profile) {
  const auto before = best_at(question, low, profile);
  constexpr double close = 1.005;
  while (high > close * low) {
    const double middle = std::sqrt(low * high);
    (best_at(question, middle, profile) == before ? low : high) = middle;
  }
  return high;
}

Json turns_of(const Question& question, const std::vector<double>& densities,
              const Profile& profile) {
  Json turns = Json::array();
  auto before = best_at(question, densities.front(), profile);
  const std::optional<State> first = before;
  for (std::size_t j = 1; j < densities.size(); ++j) {
    const auto here = best_at(question, densities[j], profile);
    if (here == before) continue;
    const double density = turn_between(question, densities[j - 1], densities[j], profile);
    turns.push_back({{"density", brief(density)}, {"to", here ? Json(name(*here)) : Json()}});
    before = here;
  }
  return {{"first", first ? Json(name(*first)) : Json()}, {"turns", std::move(turns)}};
}

}  // namespace

Json turning_points(const Profile& profile, const Grid& grid) {
  Json entries = Json::array();
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    for (const Vectors vectors : {Vectors::Travel, Vectors::Stay}) {
      for (const State from : starts_among(states_of(profile))) {
        for (const Index rows : row_numbers) {
          for (const Index calls : call_numbers) {
            const Question question{.structure = {.rows = rows},
                                    .precision = precision,
                                    .from = from,
                                    .calls = calls,
                                    .vectors = vectors};
            Json entry{{"precision", name(precision)},
                       {"vectors", vectors == Vectors::Travel ? "travel" : "stay"},
                       {"from", name(from)},
                       {"rows", rows},
                       {"calls", calls}};
            entry.update(turns_of(question, grid.densities, profile));
            entries.push_back(std::move(entry));
          }
        }
      }
    }
  }
  return entries;
}

}  // namespace switchyard::command::report
