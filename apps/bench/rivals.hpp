// The peers that are in one race: prepared, and checked before they start.
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

/// A peer in the race: its name and how its product is run.
template <Element T>
struct Rival {
  std::string name;
  PeerProduct<T> product;
};

/// The peers of the format that compute where the executor does; where a format has none, all that
/// compute there. One that fails or is wrong is left out with a note.
template <Element T>
[[nodiscard]] std::vector<Rival<T>> rivals_for(Laboratory& lab, RaceMatrix<T>& matrix,
                                               const Executor& executor, Format format);

}  // namespace switchyard::command::bench
