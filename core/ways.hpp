// What going from one state to another costs, whatever the way.
#pragma once

#include <switchyard/core/plan.hpp>
#include <vector>

namespace switchyard {

/// The cheapest way between any two states of a yard (Floyd's algorithm; yards have a few states).
class Ways {
 public:
  explicit Ways(const Yard& yard);

  /// Seconds from `from` to `to`, 0 for the same; infinite where there is no way.
  [[nodiscard]] double between(State from, State to) const;
  /// The least of those from any state of `from`.
  [[nodiscard]] double from_any(const std::vector<State>& from, State to) const;

 private:
  [[nodiscard]] std::size_t place(State state) const;  ///< states_.size() where unknown

  std::vector<State> states_;
  std::vector<double> seconds_;  ///< by from x states + to
};

}  // namespace switchyard
