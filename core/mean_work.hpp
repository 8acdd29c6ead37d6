// What a program does with vectors between products, where that is never twice the same.
#pragma once

#include <switchyard/core/planner.hpp>

namespace switchyard {

/// The mean work between products: GMRES has one more sum each time, BiCGSTAB two kinds of turns.
/// Used by one thread at a time.
class MeanWork {
 public:
  /// Counts what was done before one more product.
  void add(const VectorWork& work) noexcept;
  [[nodiscard]] VectorWork mean() const noexcept;
  /// Whether so much more or less is done that a plan for `work` deserves another look: more than
  /// twice as much, so that work that grows is looked at less and less often.
  [[nodiscard]] bool departs_from(const VectorWork& work) const noexcept;

 private:
  VectorWork sum_;
  Index products_ = 0;
};

}  // namespace switchyard
