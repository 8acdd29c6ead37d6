// A device is lost on one rank in the middle of a solve: the solve converges. The layer of
// tests/faults makes it fail; PoCL is the device.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "faults/fault_layer.hpp"
#include "pair.hpp"

using switchyard::testing::Checks;
using switchyard::testing::FaultLayer;

namespace {

constexpr PetscInt points = 60;
constexpr PetscInt lost_after = 6;

/// Null where the OpenCL loader takes no layers.
const FaultLayer* layer() {
  void* const file = ::dlopen(SWITCHYARD_FAULT_LAYER, RTLD_NOW | RTLD_NOLOAD);
  void* const entry = file ? ::dlsym(file, "switchyard_fault_layer") : nullptr;
  return entry ? reinterpret_cast<const FaultLayer* (*)()>(entry)() : nullptr;
}

/// The Laplacian of a line, with something on its diagonal: hundreds of iterations.
PetscErrorCode make_laplacian(Mat* matrix) {
  PetscInt begin = 0;
  PetscInt end = 0;
  constexpr PetscInt size = points * points;
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, matrix));
  PetscCall(MatSetSizes(*matrix, PETSC_DECIDE, PETSC_DECIDE, size, size));
  PetscCall(MatSetType(*matrix, MATSWITCHYARD));
  PetscCall(MatSetUp(*matrix));
  PetscCall(MatGetOwnershipRange(*matrix, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    PetscCall(MatSetValue(*matrix, row, row, 2.001, INSERT_VALUES));
    if (row > 0) PetscCall(MatSetValue(*matrix, row, row - 1, -1, INSERT_VALUES));
    if (row + 1 < size) PetscCall(MatSetValue(*matrix, row, row + 1, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*matrix, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

/// From here on every OpenCL call of rank 0 fails.
PetscErrorCode lose_device(KSP, PetscInt iteration, PetscReal, void*) {
  PetscMPIInt rank = 0;
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (iteration == lost_after && rank == 0) {
    layer()->set_plan({.nth = 1, .code = CL_OUT_OF_RESOURCES, .for_ever = true});
  }
  PetscFunctionReturn(0);
}

PetscErrorCode solve(Checks& checks) {
  Mat matrix = nullptr;
  Vec x = nullptr;
  Vec b = nullptr;
  KSP solver = nullptr;
  PC preconditioner = nullptr;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscReal residual = 0;
  PetscFunctionBeginUser;
  PetscCall(make_laplacian(&matrix));
  PetscCall(MatCreateVecs(matrix, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &solver));
  PetscCall(KSPSetOperators(solver, matrix, matrix));
  PetscCall(KSPSetType(solver, KSPCG));
  PetscCall(KSPGetPC(solver, &preconditioner));
  PetscCall(PCSetType(preconditioner, PCNONE));
  PetscCall(KSPSetTolerances(solver, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(KSPMonitorSet(solver, lose_device, nullptr, nullptr));
  PetscCall(KSPSetFromOptions(solver));
  PetscCall(KSPSolve(solver, b, x));
  PetscCall(KSPGetConvergedReason(solver, &reason));
  PetscCall(checks.expect(reason > 0, "the solve converged"));
  PetscCall(VecScale(b, -1));
  PetscCall(MatMultAdd(matrix, x, b, b));
  PetscCall(VecNorm(b, NORM_2, &residual));
  PetscCall(checks.expect(residual < 1e-4, "the solution is right"));
  PetscCall(KSPDestroy(&solver));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&matrix));
  PetscFunctionReturn(0);
}

/// Whether rank 0 had a device that failed.
PetscErrorCode expect_fault(Checks& checks) {
  PetscMPIInt rank = 0;
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(checks.expect(rank != 0 || layer()->faults() > 0, "the device of rank 0 failed"));
  PetscFunctionReturn(0);
}

}  // namespace

int main(int argc, char** argv) {
  Checks checks;
  // Not in the environment of mpiexec, which looks for OpenCL devices, too.
  ::setenv("OPENCL_LAYERS", SWITCHYARD_FAULT_LAYER, 1);
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  PetscCall(SwitchyardPetscRegister());
  cl_uint platforms = 0;
  static_cast<void>(::clGetPlatformIDs(0, nullptr, &platforms));
  if (!layer()) {
    std::puts("the OpenCL loader takes no layers");
    PetscCall(PetscFinalize());
    return 77;
  }
  PetscCall(solve(checks));
  PetscCall(expect_fault(checks));
  PetscCall(PetscFinalize());
  return checks.failures() == 0 ? 0 : 1;
}
