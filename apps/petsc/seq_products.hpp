// The products of the sequential type.
#pragma once

#include "petsc.hpp"

namespace switchyard::petsc {

/// z = A x
PetscErrorCode multiply(Mat matrix, Vec x, Vec z);
/// z = y + A x, where z may be y
PetscErrorCode multiply_add(Mat matrix, Vec x, Vec y, Vec z);
/// z = A^T x
PetscErrorCode multiply_transposed(Mat matrix, Vec x, Vec z);
/// z = y + A^T x, where z may be y
PetscErrorCode multiply_transposed_add(Mat matrix, Vec x, Vec y, Vec z);

/// Prepares `MatProduct` C = A B or A^T B with dense B.
PetscErrorCode set_product_with_dense(Mat product);
/// C = A B for dense B and C: of matrices of this rank only.
PetscErrorCode multiply_dense(Mat matrix, Mat b, Mat c);

}  // namespace switchyard::petsc
