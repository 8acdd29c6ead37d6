// Which states, and which of their kernel variants, a matrix is tried in.
#pragma once

#include <span>
#include <vector>

#include "fixed_choice.hpp"
#include "forms.hpp"

namespace switchyard::command::bench {

/// The states of the host, and of the spaces asked for, that can and need hold the matrix for calls
/// of one of those kinds. Why another is left out is noted, once.
[[nodiscard]] std::vector<State> states_for(Laboratory& lab, const std::string& matrix,
                                            const Structure& structure, Precision precision,
                                            std::span<const Request> kinds);

/// The states of the host, and of the spaces asked for, that can and need hold the matrix for plain
/// products; after each, if the options ask for variants, those of its variants that can be held
/// fixed. Why a state is left out is noted, once.
[[nodiscard]] std::vector<FixedChoice> choices_to_hold(Laboratory& lab, const std::string& matrix,
                                                       const Structure& structure,
                                                       Precision precision);

}  // namespace switchyard::command::bench
