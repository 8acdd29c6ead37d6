// Choosing columns with a given density.
#include "scatter.hpp"

#include <algorithm>
#include <cmath>

namespace switchyard {
namespace {

constexpr double worth_trying_each = 1.0 / 16;  // above, a draw for each column is faster
constexpr Index upper_size = 256;
constexpr Index largest_width = 4096;

/// x, x^2, ..., x^count as fractions of 2^64.
std::vector<std::uint64_t> powers(std::uint64_t x, Index count) {
  std::vector<std::uint64_t> table{x};
  while (std::ssize(table) < count) table.push_back(high_product(table.back(), x));
  return table;
}

/// The largest k for which a distance of k is reached: how many powers are above `fraction`.
/// REQUIRES: a power of two of them. A search without branches, since none could be predicted.
Index reached(const std::vector<std::uint64_t>& powers, std::uint64_t fraction) {
  const std::uint64_t* from = powers.data();
  for (auto half = powers.size() / 2; half > 0; half /= 2)
    from += from[half - 1] > fraction ? half : 0;
  return from - powers.data() + (*from > fraction ? 1 : 0);
}

}  // namespace

Scatter::Scatter(double density) : density_(density) {
  if (density >= worth_trying_each) return;
  // Eight to sixteen mean distances are within the tables; the rare longer ones take another draw.
  const double mean = 1.0 / density;
  const double width = std::clamp(mean * 16 / double{upper_size}, 1.0, double{largest_width});
  width_ = static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(width)));
  const auto stay = std::uint64_t{0} - static_cast<std::uint64_t>(std::ldexp(density, 64));
  if (stay == 0) return;  // a density below 2^-64: nothing is ever chosen
  lower_ = powers(stay, width_);
  upper_ = powers(lower_.back(), upper_size);
}

Index Scatter::distance(Index limit, Random& random) const {
  Index distance = 0;
  Index digit = upper_size;
  while (digit == upper_size && distance < limit) {
    digit = reached(upper_, random.next());
    distance += digit * width_;
  }
  if (width_ == 1 || distance >= limit) return distance;
  // Given that the next one is within the width, the fraction is between q^width and 1.
  const std::uint64_t least = lower_.back();
  const std::uint64_t fraction = least + high_product(random.next(), std::uint64_t{0} - least);
  return distance + std::min(reached(lower_, fraction), width_ - 1);
}

void Scatter::append(Index begin, Index end, Random& random, std::vector<Column>& columns) const {
  if (density_ >= worth_trying_each) {
    for (Index j = begin; j < end; ++j) {
      if (random.chance(density_)) columns.push_back(static_cast<Column>(j));
    }
    return;
  }
  if (upper_.empty()) return;
  for (Index j = begin + distance(end - begin, random); j < end;
       j += 1 + distance(end - j, random)) {
    columns.push_back(static_cast<Column>(j));
  }
}

}  // namespace switchyard
