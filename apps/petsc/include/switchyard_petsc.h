/* Switchyard as a matrix type of PETSc. See docs/petsc.md. */
#ifndef SWITCHYARD_PETSC_H
#define SWITCHYARD_PETSC_H

#include <petscmat.h>

/** The type for `MatSetType`: MATSEQAIJSWITCHYARD on one rank, MATMPIAIJSWITCHYARD on several. */
#define MATSWITCHYARD "switchyard"
/** MATSEQAIJ whose multiplications are Switchyard's. Also for `-mat_seqaij_type`. */
#define MATSEQAIJSWITCHYARD "seqaijswitchyard"
/** MATMPIAIJ whose two blocks on each rank are of type MATSEQAIJSWITCHYARD. `MatGetType` of such a
    matrix says "mpiaij" (docs/decisions/0019). */
#define MATMPIAIJSWITCHYARD "mpiaijswitchyard"

/** Registers the types. Collective on PETSC_COMM_WORLD. REQUIRES: after `PetscInitialize`. May be
    called again. `-dll_append libswitchyard_petsc.so` calls it for programs that do not. */
PETSC_EXTERN PetscErrorCode SwitchyardPetscRegister(void);

#endif
