// Comparing measured products with their models, space by space.
#include "likeness.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace switchyard {
namespace {

/// How many times as long as predicted the measured products in `space` take while nothing delays
/// them, as a geometric mean; 1 where none were measured.
double excess_in(const Yard& yard, Space space) {
  double sum = 0;
  int measured = 0;
  for (const YardNode& node : yard.nodes) {
    if (node.state.space != space || !node.measured || node.model_seconds <= 0) continue;
    const double quiet = node.multiply_seconds * (1 - node.stalled_share);
    if (quiet <= 0) continue;
    sum += std::log(quiet / node.model_seconds);
    ++measured;
  }
  return measured > 0 ? std::exp(sum / measured) : 1;
}

}  // namespace

void expect_alike(Yard& yard) {
  std::optional<Space> space;  // that the factor is of: nodes come space by space
  double factor = 1;
  for (YardNode& node : yard.nodes) {
    if (node.measured) continue;
    if (node.state.space != space) {
      space = node.state.space;
      factor = std::sqrt(std::max(excess_in(yard, *space), 1.0));
    }
    node.expected_factor = factor;
    node.multiply_seconds *= factor;
  }
}

}  // namespace switchyard
