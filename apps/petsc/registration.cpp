// Where PETSc or a program calls first.
#include "log_events.hpp"
#include "mpi_type.hpp"
#include "petsc.hpp"
#include "seq_type.hpp"
#include "session.hpp"

namespace switchyard::petsc {
namespace {

bool is_registered = false;

PetscErrorCode finalize() {
  PetscFunctionBegin;
  is_registered = false;
  PetscCall(close_session());
  PetscFunctionReturn(0);
}

}  // namespace

PetscErrorCode register_types() {
  PetscFunctionBegin;
  if (is_registered) PetscFunctionReturn(0);
  is_registered = true;
  PetscCall(open_session());
  PetscCall(register_log_events());
  PetscCall(register_seq_type());
  PetscCall(register_mpi_type());
  PetscCall(PetscRegisterFinalize(finalize));
  PetscFunctionReturn(0);
}

}  // namespace switchyard::petsc

PetscErrorCode SwitchyardPetscRegister() { return switchyard::petsc::register_types(); }

/// What -dll_append calls: PETSc makes the name from that of the file.
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_switchyard_petsc(void);
PetscErrorCode PetscDLLibraryRegister_switchyard_petsc() { return SwitchyardPetscRegister(); }
