// Keeping the mean.
#include "mean_work.hpp"

namespace switchyard {
namespace {

constexpr Index fewest_products = 2;

bool far_apart(Index one, Index other) { return one > 2 * other + 1 || other > 2 * one + 1; }

}  // namespace

void MeanWork::add(const VectorWork& work) noexcept {
  sum_.operations += work.operations;
  sum_.sums += work.sums;
  sum_.bytes += work.bytes;
  ++products_;
}

VectorWork MeanWork::mean() const noexcept {
  if (products_ == 0) return {};
  return {sum_.operations / products_, sum_.sums / products_, sum_.bytes / products_};
}

bool MeanWork::departs_from(const VectorWork& work) const noexcept {
  if (products_ < fewest_products) return false;
  return far_apart(mean().operations, work.operations) || far_apart(mean().sums, work.sums);
}

}  // namespace switchyard
