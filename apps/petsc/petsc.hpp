// PETSc's headers as this folder includes them.
#pragma once

// The C++ bindings of MPI were removed from its standard; OpenMPI's headers still offer them.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif

#include <petsc/private/matimpl.h>
#include <petscmat.h>
#include <petscsf.h>
#include <switchyard_petsc.h>

#include <type_traits>

static_assert(std::is_same_v<PetscScalar, double>, "needs PETSc with real double precision");
static_assert(sizeof(PetscInt) == 4, "needs PETSc with 32-bit indices");
