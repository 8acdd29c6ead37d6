// The parallel type.
#pragma once

#include "petsc.hpp"

namespace switchyard::petsc {

/// Registers MATMPIAIJSWITCHYARD.
PetscErrorCode register_mpi_type();

}  // namespace switchyard::petsc
