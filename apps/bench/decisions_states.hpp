// Which states, and which of their kernel variants, a matrix is tried in.
#pragma once

#include <vector>

#include "fixed_choice.hpp"
#include "forms.hpp"

namespace switchyard::command::bench {

/// The states of the host, and of the spaces asked for, that can and need hold the matrix; after
/// each, if the options ask for variants, those of its variants that can be held fixed. Why a state
/// is left out is noted, once.
[[nodiscard]] std::vector<FixedChoice> choices_to_hold(Laboratory& lab, const std::string& matrix,
                                                       const Structure& structure,
                                                       Precision precision);

}  // namespace switchyard::command::bench
