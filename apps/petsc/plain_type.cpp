// Taking over the functions of a plain type, and converting from it.
#include "plain_type.hpp"

namespace switchyard::petsc {

PetscErrorCode keep_plain(MatType type, PlainFunctions& functions) {
  Mat plain = nullptr;
  PetscFunctionBegin;
  if (functions.mult) PetscFunctionReturn(0);
  PetscCall(MatCreate(PETSC_COMM_SELF, &plain));
  PetscCall(MatSetType(plain, type));
  functions.multadd = plain->ops->multadd;
  functions.multtranspose = plain->ops->multtranspose;
  functions.multtransposeadd = plain->ops->multtransposeadd;
  functions.assemblyend = plain->ops->assemblyend;
  functions.duplicate = plain->ops->duplicate;
  functions.destroy = plain->ops->destroy;
  functions.view = plain->ops->view;
  PetscCall(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(plain), "MatRetrieveValues_C",
                                     &functions.retrieve_values));
  functions.mult = plain->ops->mult;  // last: it tells that all are there
  PetscCall(MatDestroy(&plain));
  PetscFunctionReturn(0);
}

PetscErrorCode convert_by(Adopt adopt, Mat matrix, MatReuse reuse, Mat* result) {
  Settings settings;
  Mat adopted = *result;
  PetscFunctionBegin;
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(matrix, adopted, SAME_NONZERO_PATTERN));
    PetscFunctionReturn(0);
  }
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(matrix, MAT_COPY_VALUES, &adopted));
  PetscCall(read_settings(adopted, settings));
  PetscCall(adopt(adopted, settings));
  *result = adopted;
  PetscFunctionReturn(0);
}

}  // namespace switchyard::petsc
