// A matrix whose first rank has a full diagonal block, and the others a few diagonals: the products
// are right, and the blocks' states are printed.
#include <array>

#include "pair.hpp"

using switchyard::testing::Checks;
using switchyard::testing::Pair;

namespace {

constexpr PetscInt local_rows = 400;

PetscErrorCode make_blocks(MatType type, Mat* matrix) {
  PetscInt begin = 0;
  PetscInt end = 0;
  PetscInt all = 0;
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, matrix));
  PetscCall(MatSetSizes(*matrix, local_rows, local_rows, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(*matrix, type));
  PetscCall(MatMPIAIJSetPreallocation(*matrix, local_rows, nullptr, 2, nullptr));
  PetscCall(MatSeqAIJSetPreallocation(*matrix, local_rows, nullptr));
  PetscCall(MatGetOwnershipRange(*matrix, &begin, &end));
  PetscCall(MatGetSize(*matrix, &all, nullptr));
  for (PetscInt row = begin; row < end; ++row) {
    const PetscInt reach = begin == 0 ? local_rows : 1 + row % 9;
    for (PetscInt col = PetscMax(row - reach, 0); col < PetscMin(row + reach, all); ++col) {
      const bool is_near = col >= begin && col < end;
      if (!is_near && PetscAbs(row - col) > 1) continue;
      PetscCall(MatSetValue(*matrix, row, col, 1.0 / (1 + row + 2 * col), INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*matrix, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

PetscErrorCode run(Checks& checks) {
  Pair pair;
  PetscFunctionBeginUser;
  PetscCall(make_blocks(MATSWITCHYARD, &pair.ours));
  PetscCall(make_blocks(MATAIJ, &pair.aij));
  PetscCall(switchyard::testing::expect_same_products(checks, pair, "different blocks", 20));
  PetscCall(PetscViewerPushFormat(PETSC_VIEWER_STDOUT_WORLD, PETSC_VIEWER_ASCII_INFO_DETAIL));
  PetscCall(MatView(pair.ours, PETSC_VIEWER_STDOUT_WORLD));
  PetscCall(PetscViewerPopFormat(PETSC_VIEWER_STDOUT_WORLD));
  PetscCall(switchyard::testing::destroy_pair(pair));
  PetscFunctionReturn(0);
}

}  // namespace

int main(int argc, char** argv) {
  Checks checks;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  PetscCall(SwitchyardPetscRegister());
  PetscCall(run(checks));
  PetscCall(PetscFinalize());
  return checks.failures() == 0 ? 0 : 1;
}
