// What was really done with a matrix.
#pragma once

#include <optional>
#include <switchyard/core/plan.hpp>
#include <vector>

namespace switchyard {

/// The last steps since the contents changed. Products in one state after another are one step.
/// Allocates only when a new step begins. Not synchronised.
class History {
 public:
  void clear() { steps_.clear(); }
  void record_move(const Step& step, double seconds);
  void record_product(State state, std::string_view variant, std::optional<double> seconds);
  [[nodiscard]] const std::vector<Step>& steps() const noexcept { return steps_; }

 private:
  void add(Step step);
  std::vector<Step> steps_;
};

}  // namespace switchyard
