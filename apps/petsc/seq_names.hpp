// The functions that PETSc finds by the names of types.
#pragma once

#include "petsc.hpp"

namespace switchyard::petsc {

/// What converts matrices.
using Converter = PetscErrorCode (*)(Mat, MatType, MatReuse, Mat*);

/// Composes with `matrix` what is looked for under the name of MATSEQAIJSWITCHYARD: `convert` and
/// `convert_back`, SEQAIJ's converters to formats that are no subtypes of it, and products with
/// other matrices.
PetscErrorCode add_names(Mat matrix, Converter convert, Converter convert_back);
/// Removes them.
PetscErrorCode remove_names(Mat matrix);

}  // namespace switchyard::petsc
