// The rule of deciding, walked through with recorded costs instead of a machine.
#pragma once

#include <switchyard/core/plan.hpp>

namespace switchyard::command::bench {

/// The seconds of `calls` products that decide by `predicted` and pay what `truth` says. Each call
/// plans anew, for the calls left where there is a hint, else for as many as were made, at least
/// one; copies stay valid; `once_seconds` is paid with the first product in a state. A switch that
/// was never measured costs what was predicted. REQUIRES: every node of `predicted` in `truth`.
/// Throws what `shortest_plan` throws.
[[nodiscard]] double replayed_seconds(const Yard& predicted, const Yard& truth, Index calls,
                                      bool hinted);

}  // namespace switchyard::command::bench
