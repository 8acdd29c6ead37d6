// What was really done with a matrix.
#pragma once

#include <string_view>
#include <switchyard/core/plan.hpp>
#include <vector>

namespace switchyard {

/// The last steps since the contents changed. Products in one state after another are one step.
/// Allocates only when a new step begins. Not synchronised.
class History {
 public:
  void clear() { steps_.clear(); }
  void record_move(const Step& step, double seconds);
  void record_product(State state, std::string_view variant);
  /// The product recorded there was not made after all.
  void take_back_product(State state, std::string_view variant) noexcept;
  /// One recorded there took so many seconds; forgotten where other steps have followed since.
  void record_time(State state, std::string_view variant, double seconds) noexcept;
  [[nodiscard]] const std::vector<Step>& steps() const noexcept { return steps_; }

 private:
  void add(Step step);
  /// The last step, if that is products there.
  [[nodiscard]] Step* last_product(State state, std::string_view variant) noexcept;
  std::vector<Step> steps_;
};

}  // namespace switchyard
