// How many work-items share a row.
#pragma once

#include <algorithm>
#include <bit>
#include <switchyard/backends/executor.hpp>
#include <switchyard/containers/numbers.hpp>

#include "tuning.hpp"

namespace switchyard::opencl {

/// ceil(a / b) for a >= 0, b > 0.
[[nodiscard]] constexpr Index divided_up(Index a, Index b) noexcept {
  return a / b + (a % b != 0 ? 1 : 0);
}

/// The smallest power of two that is at least `wanted`, but 1 at least and `most`, a power of two,
/// at most.
[[nodiscard]] constexpr Index lanes_for(Index wanted, Index most) noexcept {
  if (wanted >= most) return most;
  return static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(std::max<Index>(wanted, 1))));
}

/// The items of one multiplication that run without waiting for their turn.
[[nodiscard]] inline Index items_at_once(const ExecutorFacts& facts) noexcept {
  return tuning_of(facts).items_per_unit * facts.compute_units;
}

/// Items for each row where rows are so few that about all items could run at once with more.
[[nodiscard]] inline Index lanes_to_fill(const ExecutorFacts& facts, Index rows) noexcept {
  const Index items = facts.is_gpu ? items_at_once(facts) / std::max<Index>(rows, 1) : 1;
  return static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(items) | 1U));
}

/// The work-groups of `group` items that `rows` rows with `lanes` items each take.
[[nodiscard]] constexpr Index groups_for(Index rows, Index lanes, Index group) noexcept {
  return divided_up(rows, group / lanes);
}

}  // namespace switchyard::opencl
