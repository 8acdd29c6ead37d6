# Packages by CPack: `cpack -G DEB` and `cpack -G TGZ` in the build folder. One package of all: who
# uses the library wants the command to calibrate with, and its headers are a megabyte.
set(CPACK_PACKAGE_NAME switchyard)
set(CPACK_PACKAGE_VENDOR "Switchyard")
set(CPACK_PACKAGE_CONTACT "Switchyard maintainers <switchyard@packages.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
    "A C++ library and a command for y = A x, many times over, on matrices whose
density and size are known only at run time. A matrix is kept in whichever
formats and memories pay off, and before each product it is decided, by
models measured on this machine, where to compute, and whether converting or
moving the matrix is worth it. Contains the library, its headers and the
command.")
set(CPACK_GENERATOR TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ocl-icd-libopencl1 | libopencl1, pocl-opencl-icd | opencl-icd")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, cmake, pkg-config")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/debian/triggers)
# What Debian wants beside what is installed.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian/documents.cmake)
set(CPACK_SWITCHYARD_COPYRIGHT ${CMAKE_CURRENT_LIST_DIR}/debian/copyright)
include(CPack)
