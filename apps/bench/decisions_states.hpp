// Which states a matrix is tried in.
#pragma once

#include <vector>

#include "forms.hpp"

namespace switchyard::command::bench {

/// The states of the host, and of the spaces asked for, that can and need hold the matrix. Why
/// another one is left out is noted, once.
[[nodiscard]] std::vector<State> states_to_hold(Laboratory& lab, const std::string& matrix,
                                                const Structure& structure, Precision precision);

}  // namespace switchyard::command::bench
