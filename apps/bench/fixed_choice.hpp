// What a contender holds fixed: a state, or one kernel variant of a host state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"

namespace switchyard::command::bench {

/// A state, and the variant of its kernel where that is fixed as well. Variants of the host differ
/// in their number of threads.
struct FixedChoice {
  State state;
  std::string_view variant = {};  ///< a static text; empty: the planner chooses the variant
  auto operator<=>(const FixedChoice&) const = default;
};

/// "csr@host", or "csr@host/serial".
[[nodiscard]] std::string name(const FixedChoice& choice);

/// The runtime to hold that choice with: the laboratory's own, or one whose profile has no models
/// of the host's other variants, so that its planner cannot use them. Opened when first asked for.
[[nodiscard]] Runtime& runtime_holding(Laboratory& lab, const FixedChoice& choice);

/// The choice that the last call in `history` was made with. REQUIRES: it has a multiply step.
[[nodiscard]] FixedChoice last_choice(const std::vector<Step>& history);

/// Throws `Error(Unsupported)` if calls in `history` used another variant than the fixed one.
void check_held(const FixedChoice& choice, const std::vector<Step>& history);

}  // namespace switchyard::command::bench
