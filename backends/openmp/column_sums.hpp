// Sums that are made before Y is updated, perhaps several copies of them.
#pragma once

#include "team.hpp"

namespace switchyard::openmp {

/// Sums of A X or A^T X, and what becomes of Y. With beta == 0 they are made in Y.
template <Element T>
class Sums {
 public:
  /// `copies`: of all sums, to be added in their order.
  Sums(const MultiplyArguments<T>& arguments, int copies)
      : arguments_(arguments), size_(arguments.y.size()), copies_(copies) {
    const bool in_y = copies == 1 && arguments.beta == T{0};
    if (!in_y) scratch_ = Array<T>(size_ * copies);
    first_ = in_y ? arguments.y.data() : scratch_.data();
  }
  [[nodiscard]] T* copy(int number) { return first_ + number * size_; }

  /// Elements [begin, end) of Y.
  void finish(Index begin, Index end) const {
    const T alpha = arguments_.alpha;
    if (first_ == arguments_.y.data() && alpha == T{1}) return;
    for (Index i = begin; i < end; ++i) {
      T sum = first_[i];
      for (int c = 1; c < copies_; ++c) sum += first_[c * size_ + i];
      T& y = arguments_.y.data()[i];
      y = updated(alpha, sum, arguments_.beta, y);
    }
  }
  [[nodiscard]] Index size() const { return size_; }

 private:
  const MultiplyArguments<T>& arguments_;
  Index size_;
  int copies_;
  Array<T> scratch_;
  T* first_;
};

}  // namespace switchyard::openmp
