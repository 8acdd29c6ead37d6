// The greedy search for tiers.
#include "tier_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "infinity.hpp"

namespace switchyard {

namespace {

constexpr std::size_t fewest_in_tier = 6;
constexpr std::size_t most_tiers = 4;
/// Where a cache of some size ends for an operation that uses more than one array.
constexpr std::array cache_shares{1.0, 0.5, 2.0};
constexpr std::size_t spread_borders = 24;
constexpr std::size_t most_folds = 20;
/// One more tier must lower the held-out error by this much of itself, and by this much a sample:
/// among a dozen borders noise alone gains a tenth, and a cache gains more than half.
constexpr double gain_of_tier = 0.15;
constexpr double gain_of_tier_per_sample = 1e-3;

/// A place where one tier may end and the next begin.
struct Border {
  std::size_t begin = 0;  ///< the first sample above it
  double bytes = 0;
};

/// Borders with enough samples below and above, one for each run of samples that they tell apart:
/// at shares of the caches, and spread evenly over the samples, since what ends a tier need not be
/// a cache that anybody told us of.
std::vector<Border> possible_borders(std::span<const Sample> samples,
                                     const std::vector<double>& tier_bytes) {
  std::map<std::size_t, double> borders;
  const auto add = [&](std::size_t begin, double bytes) {
    const bool enough = begin >= fewest_in_tier && samples.size() - begin >= fewest_in_tier;
    if (enough && std::isfinite(bytes)) borders.try_emplace(begin, bytes);
  };
  for (const double share : cache_shares) {
    for (const double cache : tier_bytes) {
      const double bytes = cache * share;
      const auto above = std::partition_point(
          samples.begin(), samples.end(),
          [bytes](const Sample& sample) { return sample.features[Quantity::Bytes] <= bytes; });
      add(static_cast<std::size_t>(above - samples.begin()), bytes);
    }
  }
  const std::size_t step = std::max<std::size_t>(samples.size() / spread_borders, 1);
  for (std::size_t begin = fewest_in_tier; begin < samples.size(); begin += step) {
    add(begin, samples[begin - 1].features[Quantity::Bytes]);
  }
  std::vector<Border> sorted;
  for (const auto& [begin, bytes] : borders) sorted.push_back({begin, bytes});
  return sorted;
}

/// The held-out errors of all samples, and of those that are no spikes.
struct Loss {
  double total = 0;
  double ordinary = 0;
};

/// The search, with every run of samples fitted only once.
class TierSearch {
 public:
  TierSearch(std::span<const Sample> samples, std::span<const Term> candidates, int folds)
      : samples_(samples), candidates_(candidates), folds_(folds) {}

  /// Adds the best border while one is worth it.
  [[nodiscard]] std::vector<Border> run(const std::vector<Border>& possible) {
    std::vector<Border> borders;
    Loss best = loss(borders);
    while (borders.size() + 1 < most_tiers) {
      const auto [extended, extended_loss] = best_extension(borders, possible);
      const double needed =
          std::max(gain_of_tier * best.ordinary,
                   gain_of_tier_per_sample * static_cast<double>(samples_.size()));
      if (!(best.total - extended_loss.total > needed)) break;
      borders = extended;
      best = extended_loss;
    }
    return borders;
  }

  [[nodiscard]] std::vector<FittedTier> tiers(const std::vector<Border>& borders) {
    std::vector<FittedTier> tiers;
    std::size_t begin = 0;
    for (const Border& border : borders) {
      tiers.push_back({begin, border.begin, border.bytes, fit(begin, border.begin)});
      begin = border.begin;
    }
    tiers.push_back({begin, samples_.size(), infinity, fit(begin, samples_.size())});
    return tiers;
  }

 private:
  /// The fit of samples [begin, end).
  const TierFit& fit(std::size_t begin, std::size_t end) {
    const auto [entry, fresh] = fits_.try_emplace({begin, end});
    if (fresh) {
      const auto part = samples_.subspan(begin, end - begin);
      const int most = static_cast<int>(std::min(part.size(), most_folds));
      entry->second = fit_tier(part, candidates_, std::clamp(folds_, 2, most));
    }
    return entry->second;
  }

  Loss loss(const std::vector<Border>& borders) {
    Loss sum;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= borders.size(); ++i) {
      const std::size_t end = i < borders.size() ? borders[i].begin : samples_.size();
      if (!borders.empty() && end - begin < fewest_in_tier) return {infinity, 0};
      for (const double ratio : fit(begin, end).held_out) {
        const double error = capped_error(ratio);
        sum.total += error;
        if (error < largest_error) sum.ordinary += error;
      }
      begin = end;
    }
    return sum;
  }

  std::pair<std::vector<Border>, Loss> best_extension(const std::vector<Border>& borders,
                                                      const std::vector<Border>& possible) {
    std::pair best{borders, Loss{infinity, 0}};
    for (const Border& border : possible) {
      std::vector<Border> extended = borders;
      extended.push_back(border);
      std::sort(extended.begin(), extended.end(),
                [](const Border& a, const Border& b) { return a.begin < b.begin; });
      const Loss extended_loss = loss(extended);
      if (extended_loss.total < best.second.total) best = {std::move(extended), extended_loss};
    }
    return best;
  }

  std::span<const Sample> samples_;
  std::span<const Term> candidates_;
  int folds_;
  std::map<std::pair<std::size_t, std::size_t>, TierFit> fits_;
};

}  // namespace

std::vector<FittedTier> fit_tiers(std::span<const Sample> samples, std::span<const Term> candidates,
                                  const FitOptions& options) {
  TierSearch search(samples, candidates, options.folds);
  return search.tiers(search.run(possible_borders(samples, options.tier_bytes)));
}

}  // namespace switchyard
