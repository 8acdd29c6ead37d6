// Keeping the mean, and settling on what is usual.
#include "execution/work_between.hpp"

namespace switchyard {
namespace {

constexpr Index fewest_calls = 2;

bool far_apart(Index one, Index other) { return one > 2 * other + 1 || other > 2 * one + 1; }

}  // namespace

void MeanWork::add(const VectorWork& work) noexcept {
  sum_.operations += work.operations;
  sum_.sums += work.sums;
  sum_.bytes += work.bytes;
  ++calls_;
}

VectorWork MeanWork::mean() const noexcept {
  if (calls_ == 0) return {};
  return {sum_.operations / calls_, sum_.sums / calls_, sum_.bytes / calls_};
}

bool MeanWork::departs_from(const VectorWork& work) const noexcept {
  if (calls_ < fewest_calls) return false;
  return far_apart(mean().operations, work.operations) || far_apart(mean().sums, work.sums);
}

VectorWork WorkBetween::before_call(const VectorWork& work) noexcept {
  mean_.add(work);
  if (work == last_) {
    usual_ = work;
  } else if (mean_.departs_from(usual_)) {
    usual_ = mean_.mean();
    mean_ = {};
  }
  last_ = work;
  return usual_;
}

VectorWork WorkBetween::before_first_call(const VectorWork& work) noexcept {
  last_ = work;
  return usual_;
}

}  // namespace switchyard
