// Products of our sequential type with types that know SEQAIJ only.
#pragma once

#include "petsc.hpp"

namespace switchyard::petsc {

/// What PETSc calls where it finds no function for the types of a product: looks for one with the
/// name of SEQAIJ in the place of ours, then for what the other operands do with any type.
PetscErrorCode set_product_as_seqaij(Mat product);

}  // namespace switchyard::petsc
