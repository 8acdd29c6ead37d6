// All variants of one state, the peers that do the same, and a plain read, in one race.
#pragma once

#include "rivals.hpp"

namespace switchyard::command::bench {

/// The cases of one state. Throws `Error` where the matrix cannot be brought there.
template <Element T>
[[nodiscard]] std::vector<KernelCase> race_state(Laboratory& lab, RaceMatrix<T>& matrix,
                                                 Executor& executor, Format format);

}  // namespace switchyard::command::bench
