# Finds PETSc as the matrix type needs it: real, double precision, 32-bit indices, its private headers.
# Sets SWITCHYARD_PETSC_PROBLEM to the reason where it cannot be used, else the targets
# PkgConfig::PETSC and MPI::MPI_C and SWITCHYARD_PETSC_PRIVATE_INCLUDE.
set(SWITCHYARD_PETSC_PROBLEM "")
if(NOT BUILD_SHARED_LIBS)
  set(SWITCHYARD_PETSC_PROBLEM "it needs the shared library (BUILD_SHARED_LIBS)")
  return()
endif()
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PETSC QUIET IMPORTED_TARGET PETSc)
endif()
if(NOT PETSC_FOUND)
  set(SWITCHYARD_PETSC_PROBLEM "pkg-config finds no PETSc (scripts/install-packages petsc)")
  return()
endif()
# A matrix type is made of private structures, which change from version to version.
if(NOT PETSC_VERSION VERSION_GREATER_EQUAL 3.18 OR NOT PETSC_VERSION VERSION_LESS 3.19)
  set(SWITCHYARD_PETSC_PROBLEM "PETSc is ${PETSC_VERSION}, and 3.18 is supported")
  return()
endif()
# Debian's has options for its own build.
set_property(TARGET PkgConfig::PETSC PROPERTY INTERFACE_COMPILE_OPTIONS "")
find_package(MPI QUIET COMPONENTS C)
if(NOT MPI_C_FOUND)
  set(SWITCHYARD_PETSC_PROBLEM "there is no MPI for C")
  return()
endif()

find_path(SWITCHYARD_PETSC_PUBLIC_INCLUDE petscconf.h HINTS ${PETSC_INCLUDE_DIRS} NO_DEFAULT_PATH)
file(STRINGS ${SWITCHYARD_PETSC_PUBLIC_INCLUDE}/petscconf.h unsuitable
     REGEX "^#define PETSC_USE_(COMPLEX|64BIT_INDICES|REAL_SINGLE|REAL___FLOAT128) ")
if(unsuitable)
  set(SWITCHYARD_PETSC_PROBLEM "PETSc is built with other numbers than double and 32-bit indices")
  return()
endif()
# Debian has them in a folder of their own.
string(REGEX MATCH "^[0-9]+\\.[0-9]+" version ${PETSC_VERSION})
find_path(SWITCHYARD_PETSC_PRIVATE_INCLUDE petsc/private/matimpl.h
          HINTS ${PETSC_INCLUDE_DIRS} /usr/share/petsc/${version}/include)
if(NOT SWITCHYARD_PETSC_PRIVATE_INCLUDE)
  set(SWITCHYARD_PETSC_PROBLEM "PETSc's private headers are missing (petsc/private/matimpl.h)")
endif()
