// The steps that were really done with a matrix.
#pragma once

#include <string_view>
#include <switchyard/core/plan.hpp>
#include <vector>

namespace switchyard {

/// The last hundred steps since the contents changed. Calls in one state after another are one
/// step. Not synchronised.
class History {
 public:
  /// Forgets everything. Allocates nothing.
  void clear() noexcept { steps_.clear(); }
  /// Allocates all that it will ever need, so that recording does not.
  void reserve();
  /// A conversion or transfer took so many seconds.
  void record_move(const Step& step, double seconds);
  /// So many calls were made in `state` by `variant`.
  void record_products(State state, std::string_view variant, Index calls = 1);
  /// One recorded there took so many seconds; forgotten where other steps have followed since.
  void record_time(State state, std::string_view variant, double seconds) noexcept;
  /// In the order in which they were done.
  [[nodiscard]] const std::vector<Step>& steps() const noexcept { return steps_; }

 private:
  void add(Step step);
  /// The last step, if that is calls there.
  [[nodiscard]] Step* last_products(State state, std::string_view variant) noexcept;
  std::vector<Step> steps_;
};

}  // namespace switchyard
