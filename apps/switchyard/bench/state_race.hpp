// All variants of one state, the peers that do the same, and a plain read, in one race.
#pragma once

#include "forms.hpp"
#include "kernels.hpp"

namespace switchyard::command::bench {

/// The matrix of a race, x, and the product that is right.
template <Element T>
struct RaceMatrix {
  const Subject& subject;
  Forms<T> forms;
  std::vector<T> x;
  std::vector<ReferenceRow> expected;
};

/// The cases of one state. Throws `Error` where the matrix cannot be brought there.
template <Element T>
[[nodiscard]] std::vector<KernelCase> race_state(Laboratory& lab, RaceMatrix<T>& matrix,
                                                 Executor& executor, Format format);

}  // namespace switchyard::command::bench
