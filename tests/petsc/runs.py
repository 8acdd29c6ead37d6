"""Compiles PETSc's examples, runs them with and without the plug-in, and compares the output."""

import dataclasses
import os
import pathlib
import re
import shlex
import subprocess

EXAMPLES = pathlib.Path("/usr/share/petsc/3.18/share/petsc/examples/src")
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
}


@dataclasses.dataclass
class Machine:
    """Where programs are compiled and run."""

    plugin: str
    folder: pathlib.Path
    cc: str = "mpicc"
    mpiexec: str = "mpiexec"
    threads: str | None = "1"

    def environment(self):
        """Of a program: with as many threads of a rank, or those that the rank chooses."""
        threads = {"OMP_NUM_THREADS": self.threads} if self.threads else {}
        return {**os.environ, **ENVIRONMENT, **threads}

    def compile(self, source):
        """The program of that source, or None where it does not compile."""
        name = "_".join(source.relative_to(EXAMPLES).with_suffix("").parts)
        program = self.folder / name
        if program.exists():
            return program
        self.folder.mkdir(parents=True, exist_ok=True)
        flags = subprocess.check_output(["pkg-config", "--cflags", "--libs", "PETSc"], text=True)
        private = ["-I/usr/share/petsc/3.18/include"]
        command = [
            self.cc,
            "-O1",
            "-w",
            source,
            *private,
            *shlex.split(flags),
            "-lm",
            "-o",
            program,
        ]
        done = subprocess.run(command, capture_output=True, check=False)
        return program if done.returncode == 0 else None

    def run(self, program, ranks, arguments, ours, timeout=120):
        """Status and output. `ours` is None for AIJ, or a list of options for the plug-in's type."""
        types = ["-mat_type", "aij"]
        if ours is not None:
            types = ["-dll_append", self.plugin, "-mat_type", "switchyard", *ours]
        command = [self.mpiexec, "-n", str(ranks), program, *arguments, *types]
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=timeout,
                cwd=self.folder,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return 124, ""
        return done.returncode, done.stdout


def same(first, second, relative=1e-5, absolute=1e-10):
    """Whether two outputs are equal but for rounding: each number within either tolerance."""
    first, second = (text.replace("seqaijswitchyard", "seqaij") for text in (first, second))
    if NUMBER.sub("#", first).split() != NUMBER.sub("#", second).split():
        return False
    numbers = zip(NUMBER.findall(first), NUMBER.findall(second), strict=True)
    return all(
        a == b or abs(float(a) - float(b)) <= max(absolute, relative * abs(float(a)))
        for a, b in numbers
    )
