"""The recipe for Spack 1.0 or later, of the clone that it lies in (docs/installing.md)."""

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Switchyard(CMakePackage):
    """Matrix-vector products in the storage format and on the device that are fastest.

    A library for C++, C and Fortran, and a command.
    """

    license("Apache-2.0")

    # Without an archive to fetch: `spack develop --path` names the clone.
    version("0.1.0")

    variant("shared", default=True, description="Build shared libraries")
    variant("apps", default=True, description="Build the command and the examples")
    variant("bench", default=True, when="+apps", description="Build `switchyard bench`")
    variant(
        "opencl", default=True, description="Bring an OpenCL loader; it is looked for at run time"
    )

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.24:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("eigen@3.4:", type="build")
    depends_on("nlohmann-json@3.10:", type="build")
    depends_on("opencl-c-headers", type="build")
    depends_on("opencl-clhpp", type="build")
    depends_on("cli11@2:", type="build", when="+apps")
    depends_on("fmt@9:")
    depends_on("spdlog@1.10: +fmt_external")
    depends_on("zlib-api")
    depends_on("ocl-icd", type="run", when="+opencl")

    conflicts("%gcc@:11", msg="C++20 as g++ 12 has it is needed")

    def cmake_args(self):
        """Return what differs from the defaults of CMakeLists.txt."""
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("SWITCHYARD_BUILD_APPS", "apps"),
            self.define("SWITCHYARD_BUILD_BENCH", self.spec.satisfies("+bench")),
            self.define("SWITCHYARD_BUILD_TESTS", False),
            self.define("SWITCHYARD_BUILD_PETSC", False),
            self.define("SWITCHYARD_WERROR", False),
        ]
