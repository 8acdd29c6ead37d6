// Edit distances between words.
#include "suggestion.hpp"

#include <algorithm>
#include <vector>

namespace switchyard::command {
namespace {

/// The optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const std::size_t substituted = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, substituted});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  // Words of the command line may have any length; a known one is short.
  constexpr std::size_t longest = 40;
  if (word.size() > longest) return {};
  std::size_t least = (word.size() + 2) / 3 + 1;
  std::string found;
  for (const std::string& candidate : candidates) {
    const std::size_t here = distance(word, candidate);
    if (here >= least) continue;
    least = here;
    found = candidate;
  }
  return found;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::string found = nearest(word, candidates);
  return found.empty() ? "" : "did you mean '" + found + "'?";
}

}  // namespace switchyard::command
