// A type of PETSc that one of ours is made of.
#pragma once

#include "petsc.hpp"
#include "settings.hpp"

namespace switchyard::petsc {

/// Functions of a plain matrix that ours call through.
struct PlainFunctions {
  decltype(_MatOps::mult) mult = nullptr;
  decltype(_MatOps::multadd) multadd = nullptr;
  decltype(_MatOps::multtranspose) multtranspose = nullptr;
  decltype(_MatOps::multtransposeadd) multtransposeadd = nullptr;
  decltype(_MatOps::assemblyend) assemblyend = nullptr;
  decltype(_MatOps::duplicate) duplicate = nullptr;
  decltype(_MatOps::destroy) destroy = nullptr;
  decltype(_MatOps::view) view = nullptr;
  PetscErrorCode (*retrieve_values)(Mat) = nullptr;
};

/// Takes the functions of `type` from a matrix that is made for it, unless they are there: one that
/// is to become ours may have functions of others.
PetscErrorCode keep_plain(MatType type, PlainFunctions& functions);

/// What makes a plain matrix one of ours in place.
using Adopt = PetscErrorCode (*)(Mat, const Settings&);

/// `MatConvert` to the type that `adopt` makes.
PetscErrorCode convert_by(Adopt adopt, Mat matrix, MatReuse reuse, Mat* result);

}  // namespace switchyard::petsc
