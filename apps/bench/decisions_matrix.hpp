// All workloads of one matrix.
#pragma once

#include "decisions.hpp"

namespace switchyard::command::bench {

/// Adds the cases of one matrix in one precision, from every state that can hold it, and its costs.
/// Throws `Error` where the matrix cannot be made.
template <Element T>
void decide_about(Laboratory& lab, const Subject& subject, DecisionResults& results);

}  // namespace switchyard::command::bench
