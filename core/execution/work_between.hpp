// What a program does with vectors between one call and the next, as the next plan expects it.
#pragma once

#include <switchyard/core/vector_traffic.hpp>

namespace switchyard {

/// The mean of the work before each of several calls. Not synchronised.
class MeanWork {
 public:
  /// Counts what was done before one more call.
  void add(const VectorWork& work) noexcept;
  /// The mean per call, rounded down; nothing before the first.
  [[nodiscard]] VectorWork mean() const noexcept;
  /// Whether the mean is more than twice or less than half of `work`, so that a plan for `work` is
  /// worth another look. Work that grows with each call is then looked at less and less often.
  [[nodiscard]] bool departs_from(const VectorWork& work) const noexcept;

 private:
  VectorWork sum_;
  Index calls_ = 0;
};

/// The work to plan with: what was done twice in succession, or the mean where it never is the same
/// twice. GMRES has one more sum before each call, BiCGSTAB two kinds of turns; neither is worth a
/// new plan for each call. Not synchronised.
class WorkBetween {
 public:
  /// Takes what was done since the call before, and returns what to plan with from now on.
  VectorWork before_call(const VectorWork& work) noexcept;
  /// The same before the first call with new contents, which follows no other call.
  VectorWork before_first_call(const VectorWork& work) noexcept;

 private:
  VectorWork last_;
  VectorWork usual_;
  MeanWork mean_;  // since `usual_` was last made of it
};

}  // namespace switchyard
