// What the tests share: a matrix of our type, the same as PETSc's AIJ, and how they are compared.
#pragma once

#include <petscksp.h>
#include <switchyard_petsc.h>

namespace switchyard::testing {

/// Counts what is not as expected, and prints it. All ranks call it with the same `what`.
class Checks {
 public:
  /// Expects that it holds on all ranks of PETSC_COMM_WORLD.
  PetscErrorCode expect(bool holds, const char* what);
  /// The number of failures.
  [[nodiscard]] int failures() const { return failures_; }

 private:
  int failures_ = 0;
};

/// The same matrix twice.
struct Pair {
  Mat ours = nullptr;
  Mat aij = nullptr;
};

/// A random matrix with so many rows and columns in all, of that type (MATAIJ, MATSWITCHYARD). The
/// first rows are full, further ones have elements near the diagonal, some have none. The same
/// arguments give the same matrix with any number of ranks.
PetscErrorCode make_matrix(MatType type, PetscInt rows, PetscInt cols, Mat* matrix);
/// Both types.
PetscErrorCode make_pair(PetscInt rows, PetscInt cols, Pair& pair);
/// Destroys both.
PetscErrorCode destroy_pair(Pair& pair);

/// Compares the four products with vectors, `rounds` times in turn: the first is PETSc's own, later
/// ones are Switchyard's.
PetscErrorCode expect_same_products(Checks& checks, const Pair& pair, const char* what,
                                    int rounds = 3);
/// Compares the elements.
PetscErrorCode expect_same_elements(Checks& checks, const Pair& pair, const char* what);
/// Whether Switchyard multiplies with the matrix: with its diagonal block, if it is parallel.
PetscErrorCode expect_ours(Checks& checks, Mat matrix, const char* what);

}  // namespace switchyard::testing
