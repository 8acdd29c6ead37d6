// One trace of all ranks.
#pragma once

#include <string>
#include <switchyard/core/trace.hpp>

#include "petsc.hpp"

namespace switchyard::petsc {

/// Rank 0 writes the events of all ranks into one file, each rank a process of the viewer.
/// Collective on PETSC_COMM_WORLD. Each rank writes `file` + ".rank" + its number for a moment.
PetscErrorCode write_merged_trace(const Trace& trace, const std::string& file);

}  // namespace switchyard::petsc
