// Every allocation of the first products fails in turn: PETSc gets its error, and the next product
// is right.
#include "core/allocations/failing_allocations.hpp"
#include "pair.hpp"

using switchyard::testing::Checks;
using switchyard::testing::fail_allocation;
using switchyard::testing::Failing;
using switchyard::testing::Pair;
using switchyard::testing::stop_failing;

namespace {

constexpr PetscInt rows = 60;

/// The first product that is Switchyard's, with that allocation failing. `failed` says whether one
/// did, `code` is what PETSc got.
PetscErrorCode multiply_once(Checks& checks, long nth, bool& failed, PetscErrorCode& code) {
  Pair pair;
  Vec x = nullptr;
  Vec y = nullptr;
  PetscFunctionBeginUser;
  PetscCall(switchyard::testing::make_pair(rows, rows, pair));
  PetscCall(MatCreateVecs(pair.ours, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(pair.ours, x, y));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  fail_allocation(nth, Failing::Once);
  code = MatMult(pair.ours, x, y);
  failed = stop_failing() > 0;
  PetscCall(PetscPopErrorHandler());
  PetscCall(checks.expect(code == 0 || code == PETSC_ERR_MEM, "the error is PETSC_ERR_MEM"));
  PetscCall(switchyard::testing::expect_same_products(checks, pair, "after a failed allocation"));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(switchyard::testing::destroy_pair(pair));
  PetscFunctionReturn(0);
}

PetscErrorCode sweep(Checks& checks) {
  bool failed = true;
  long refused = 0;
  long nth = 0;
  PetscFunctionBeginUser;
  for (; failed; ++nth) {
    PetscErrorCode code = 0;
    PetscCall(multiply_once(checks, nth, failed, code));
    if (code != 0) ++refused;
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%ld allocations, %ld errors\n", nth - 1, refused));
  PetscCall(checks.expect(nth > 5 && refused > 0, "allocations were made"));
  PetscFunctionReturn(0);
}

/// What was allocated for a matrix is gone with it. Open MPI leaks itself, so that the sanitizer's
/// search for leaks is no help here.
PetscErrorCode expect_no_leak(Checks& checks) {
  constexpr long no_failure = 1'000'000;
  bool failed = false;
  PetscErrorCode code = 0;
  PetscFunctionBeginUser;
  PetscCall(multiply_once(checks, no_failure, failed, code));
  const long before = switchyard::testing::live_allocations();
  for (int i = 0; i < 5; ++i) PetscCall(multiply_once(checks, no_failure, failed, code));
  PetscCall(checks.expect(switchyard::testing::live_allocations() <= before, "nothing leaks"));
  PetscFunctionReturn(0);
}

}  // namespace

int main(int argc, char** argv) {
  Checks checks;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  PetscCall(SwitchyardPetscRegister());
  PetscCall(sweep(checks));
  PetscCall(expect_no_leak(checks));
  PetscCall(PetscFinalize());
  return checks.failures() == 0 ? 0 : 1;
}
