// What the models' choice among all states costs where so many products are to come that the way
// there does not count.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "kernels.hpp"
#include "statistics.hpp"

namespace switchyard::command::bench {
namespace {

/// The products of one matrix that a machine with one more device than the host could choose from,
/// or a machine with none.
struct Offer {
  std::string matrix;
  Precision precision = Precision::Float;
  Space device;
  std::vector<const KernelCase*> cases = {};
};

std::vector<Offer> offers_of(const std::vector<KernelCase>& cases) {
  std::set<std::tuple<std::string, Precision, Space>> keys;
  for (const KernelCase& entry : cases) {
    keys.insert({entry.matrix, entry.precision, entry.state.space});
  }
  std::vector<Offer> offers;
  for (const auto& [matrix, precision, device] : keys) {
    Offer offer{matrix, precision, device};
    for (const KernelCase& entry : cases) {
      const bool same = entry.matrix == matrix && entry.precision == precision;
      const bool there = entry.state.space.is_host() || entry.state.space == device;
      if (same && there && entry.seconds > 0 && entry.predicted) offer.cases.push_back(&entry);
    }
    if (offer.cases.size() > 1) offers.push_back(std::move(offer));
  }
  return offers;
}

struct Outcome {
  const Offer* offer;
  const KernelCase* chosen;
  const KernelCase* best;
  [[nodiscard]] double ratio() const { return chosen->seconds / best->seconds; }
};

std::vector<Outcome> outcomes_of(const std::vector<Offer>& offers) {
  std::vector<Outcome> outcomes;
  for (const Offer& offer : offers) {
    const auto predicted = [](const KernelCase* entry) { return *entry->predicted; };
    const auto measured = [](const KernelCase* entry) { return entry->seconds; };
    outcomes.push_back({&offer, *std::ranges::min_element(offer.cases, {}, predicted),
                        *std::ranges::min_element(offer.cases, {}, measured)});
  }
  std::ranges::stable_sort(outcomes, std::greater{}, &Outcome::ratio);
  return outcomes;
}

std::vector<double> ratios_of(const std::vector<Outcome>& outcomes) {
  std::vector<double> ratios;
  for (const Outcome& outcome : outcomes) ratios.push_back(outcome.ratio());
  return ratios;
}

Json outcome_json(const Outcome& outcome) {
  return {{"matrix", outcome.offer->matrix},
          {"precision", name(outcome.offer->precision)},
          {"spaces", outcome.offer->device.is_host()
                         ? Json{name(Space::host())}
                         : Json{name(Space::host()), name(outcome.offer->device)}},
          {"chosen", name(outcome.chosen->state)},
          {"chosen_variant", outcome.chosen->variant},
          {"best", name(outcome.best->state)},
          {"best_variant", outcome.best->variant},
          {"ratio", outcome.ratio()}};
}

constexpr std::size_t most_shown = 10;

}  // namespace

Json long_horizon_json(const std::vector<KernelCase>& cases) {
  const std::vector<Offer> offers = offers_of(cases);
  if (offers.empty()) return nullptr;
  const std::vector<Outcome> outcomes = outcomes_of(offers);
  const std::vector<double> ratios = ratios_of(outcomes);
  Json furthest = Json::array();
  for (const Outcome& outcome : outcomes) {
    if (furthest.size() < most_shown) furthest.push_back(outcome_json(outcome));
  }
  return {{"count", ratios.size()},
          {"geometric_mean", geometric_mean(ratios)},
          {"p95", percentile(ratios, 0.95)},
          {"maximum", ratios.front()},
          {"furthest", furthest}};
}

std::string long_horizon_text(const std::vector<KernelCase>& cases) {
  const std::vector<Offer> offers = offers_of(cases);
  if (offers.empty()) return {};
  const std::vector<Outcome> outcomes = outcomes_of(offers);
  const std::vector<double> ratios = ratios_of(outcomes);
  const Outcome& worst = outcomes.front();
  return fmt::format(
      "\nFor many calls, the state predicted to be fastest takes, of the time of the really "
      "fastest, "
      "in {}\n"
      "cases: geometric mean {:.3f}, p95 {:.2f}, maximum {:.2f} ({} {}: {} instead of {}).\n",
      ratios.size(), geometric_mean(ratios), percentile(ratios, 0.95), ratios.front(),
      worst.offer->matrix, name(worst.offer->precision), name(worst.chosen->state),
      name(worst.best->state));
}

}  // namespace switchyard::command::bench
