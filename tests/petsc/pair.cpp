// Making and comparing matrices.
#include "pair.hpp"

#include <array>
#include <cmath>

namespace switchyard::testing {
namespace {

constexpr PetscInt full_rows = 3;
constexpr PetscInt band = 4;
constexpr double tolerance = 1e-12;

/// A number in [-1, 1) that depends on nothing else.
double random_number(PetscInt row, PetscInt col) {
  auto bits = static_cast<unsigned>(row) * 2654435761U + static_cast<unsigned>(col) * 40503U;
  bits ^= bits >> 13U;
  bits *= 2246822519U;
  bits ^= bits >> 16U;
  return static_cast<double>(bits) / 2147483648.0 - 1;
}

bool has_element(PetscInt row, PetscInt col) {
  if (row < full_rows || row == col) return true;
  if (row % 7 == 5) return false;
  return std::abs(row - col) <= band && random_number(col, row) > -0.5;
}

PetscErrorCode fill(Mat matrix, PetscInt cols) {
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(matrix, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    for (PetscInt col = 0; col < cols; ++col) {
      if (!has_element(row, col)) continue;
      const double value = row == col ? 10 : random_number(row, col);
      PetscCall(MatSetValue(matrix, row, col, value, INSERT_VALUES));
    }
  }
  PetscFunctionReturn(0);
}

/// x, y, and z for both matrices; for the transpose x has as many elements as there are rows.
struct Vectors {
  Vec x = nullptr;
  Vec y = nullptr;
  Vec ours = nullptr;
  Vec aij = nullptr;
};

PetscErrorCode make_vectors(Mat matrix, bool transposed, PetscInt seed, Vectors& vectors) {
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscFunctionBeginUser;
  PetscCall(transposed ? MatCreateVecs(matrix, &vectors.y, &vectors.x)
                       : MatCreateVecs(matrix, &vectors.x, &vectors.y));
  for (Vec vector : {vectors.x, vectors.y}) {
    PetscCall(VecGetOwnershipRange(vector, &begin, &end));
    for (PetscInt i = begin; i < end; ++i) {
      PetscCall(VecSetValue(vector, i, random_number(i, seed), INSERT_VALUES));
    }
    PetscCall(VecAssemblyBegin(vector));
    PetscCall(VecAssemblyEnd(vector));
  }
  PetscCall(VecDuplicate(vectors.y, &vectors.ours));
  PetscCall(VecDuplicate(vectors.y, &vectors.aij));
  PetscFunctionReturn(0);
}

PetscErrorCode destroy_vectors(Vectors& vectors) {
  PetscFunctionBeginUser;
  for (Vec* vector : {&vectors.x, &vectors.y, &vectors.ours, &vectors.aij}) {
    PetscCall(VecDestroy(vector));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode expect_close(Checks& checks, const Vectors& vectors, const char* what) {
  PetscReal size = 0;
  PetscReal difference = 0;
  PetscFunctionBeginUser;
  PetscCall(VecNorm(vectors.aij, NORM_INFINITY, &size));
  PetscCall(VecAXPY(vectors.ours, -1, vectors.aij));
  PetscCall(VecNorm(vectors.ours, NORM_INFINITY, &difference));
  PetscCall(checks.expect(difference <= tolerance * (1 + size), what));
  PetscFunctionReturn(0);
}

using Multiply = PetscErrorCode (*)(Mat, Vec, Vec, Vec);

PetscErrorCode expect_same(Checks& checks, const Pair& pair, bool transposed, Multiply multiply,
                           const char* what) {
  static PetscInt seed = 0;
  Vectors vectors;
  PetscFunctionBeginUser;
  PetscCall(make_vectors(pair.aij, transposed, ++seed, vectors));
  PetscCall(multiply(pair.ours, vectors.x, vectors.y, vectors.ours));
  PetscCall(multiply(pair.aij, vectors.x, vectors.y, vectors.aij));
  PetscCall(expect_close(checks, vectors, what));
  PetscCall(destroy_vectors(vectors));
  PetscFunctionReturn(0);
}

PetscErrorCode multiply(Mat matrix, Vec x, Vec, Vec z) { return MatMult(matrix, x, z); }
PetscErrorCode multiply_transposed(Mat matrix, Vec x, Vec, Vec z) {
  return MatMultTranspose(matrix, x, z);
}
PetscErrorCode add_in_place(Mat matrix, Vec x, Vec y, Vec z) {
  PetscFunctionBeginUser;
  PetscCall(VecCopy(y, z));
  PetscCall(MatMultAdd(matrix, x, z, z));
  PetscFunctionReturn(0);
}

}  // namespace

PetscErrorCode Checks::expect(bool holds, const char* what) {
  int all = 0;
  const int mine = holds ? 1 : 0;
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD));
  if (all == 0) {
    ++failures_;
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "FAILED: %s\n", what));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode make_matrix(MatType type, PetscInt rows, PetscInt cols, Mat* matrix) {
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, matrix));
  PetscCall(MatSetSizes(*matrix, PETSC_DECIDE, PETSC_DECIDE, rows, cols));
  PetscCall(MatSetType(*matrix, type));
  PetscCall(MatSetUp(*matrix));
  PetscCall(MatSetOption(*matrix, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(fill(*matrix, cols));
  PetscCall(MatAssemblyBegin(*matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*matrix, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

PetscErrorCode make_pair(PetscInt rows, PetscInt cols, Pair& pair) {
  PetscFunctionBeginUser;
  PetscCall(make_matrix(MATSWITCHYARD, rows, cols, &pair.ours));
  PetscCall(make_matrix(MATAIJ, rows, cols, &pair.aij));
  PetscFunctionReturn(0);
}

PetscErrorCode destroy_pair(Pair& pair) {
  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&pair.ours));
  PetscCall(MatDestroy(&pair.aij));
  PetscFunctionReturn(0);
}

PetscErrorCode expect_same_products(Checks& checks, const Pair& pair, const char* what,
                                    int rounds) {
  PetscFunctionBeginUser;
  for (int round = 0; round < rounds; ++round) {
    PetscCall(expect_same(checks, pair, false, multiply, what));
    PetscCall(expect_same(checks, pair, true, multiply_transposed, what));
    PetscCall(expect_same(checks, pair, false, MatMultAdd, what));
    PetscCall(expect_same(checks, pair, true, MatMultTransposeAdd, what));
    PetscCall(expect_same(checks, pair, false, add_in_place, what));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode expect_same_elements(Checks& checks, const Pair& pair, const char* what) {
  Mat difference = nullptr;
  PetscReal norm = 0;
  PetscReal size = 0;
  PetscFunctionBeginUser;
  PetscCall(MatConvert(pair.ours, MATDENSE, MAT_INITIAL_MATRIX, &difference));
  PetscCall(MatAXPY(difference, -1, pair.aij, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatNorm(difference, NORM_FROBENIUS, &norm));
  PetscCall(MatNorm(pair.aij, NORM_FROBENIUS, &size));
  PetscCall(checks.expect(norm <= tolerance * (1 + size), what));
  PetscCall(MatDestroy(&difference));
  PetscFunctionReturn(0);
}

PetscErrorCode expect_ours(Checks& checks, Mat matrix, const char* what) {
  Mat block = matrix;
  MatType type = nullptr;
  PetscBool is_mpi = PETSC_FALSE;
  PetscBool is_ours = PETSC_FALSE;
  PetscFunctionBeginUser;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(matrix), MATMPIAIJ, &is_mpi));
  if (is_mpi) PetscCall(MatMPIAIJGetSeqAIJ(matrix, &block, nullptr, nullptr));
  PetscCall(MatGetType(block, &type));
  PetscCall(PetscStrcmp(type, MATSEQAIJSWITCHYARD, &is_ours));
  PetscCall(checks.expect(is_ours == PETSC_TRUE, what));
  PetscFunctionReturn(0);
}

}  // namespace switchyard::testing
