// The steps that were really done with a matrix.
#pragma once

#include <switchyard/core/plan.hpp>
#include <vector>

#include "execution/product_kind.hpp"

namespace switchyard {

/// The last hundred steps since the contents changed. Calls and skeletons of one kind after another
/// are one step. Not synchronised.
class History {
 public:
  /// Forgets everything. Allocates nothing.
  void clear() noexcept { steps_.clear(); }
  /// Allocates all that it will ever need, so that recording does not.
  void reserve();
  /// A conversion or transfer took so many seconds.
  void record_move(const Step& step, double seconds);
  /// A skeleton was computed, in so many seconds where that was measured.
  void record_skeleton(const Step& step, std::optional<double> seconds);
  /// So many calls of that kind were made.
  void record_products(const ProductKind& products, Index calls = 1);
  /// One recorded there took so many seconds; forgotten where other steps have followed since.
  void record_time(const ProductKind& product, double seconds) noexcept;
  /// In the order in which they were done.
  [[nodiscard]] const std::vector<Step>& steps() const noexcept { return steps_; }

 private:
  void add(Step step);
  /// The last step, if that is calls of that kind.
  [[nodiscard]] Step* last_products(const ProductKind& products) noexcept;
  std::vector<Step> steps_;
};

}  // namespace switchyard
