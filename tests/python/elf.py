"""Which shared libraries the programs of a package or a wheel need: elf.py WHEEL...

Exits with an error where a wheel needs a library that a machine might not have.
"""

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

# What a Linux with glibc has: the libraries that PEP 600 lets a wheel need, as far as they are met.
EVERYWHERE = {
    "ld-linux-aarch64.so.1",
    "ld-linux-x86-64.so.2",
    "libc.so.6",
    "libdl.so.2",
    "libgcc_s.so.1",
    "libm.so.6",
    "libpthread.so.0",
    "librt.so.1",
    "libstdc++.so.6",
    "libz.so.1",
}


def programs(folder):
    """Return the files below a folder that are ELF: extensions, libraries and programs."""
    files = (path for path in sorted(Path(folder).rglob("*")) if path.is_file())
    return [path for path in files if path.open("rb").read(4) == b"\x7fELF"]


def needed(program):
    """Return the names of the libraries that the loader looks for when this one is loaded."""
    listed = subprocess.run(
        ["readelf", "--dynamic", "--wide", str(program)], capture_output=True, text=True, check=True
    )
    return set(re.findall(r"\(NEEDED\).*\[(.+)\]", listed.stdout))


def external(folder):
    """Return what the programs below a folder need beside each other, each with who needs it."""
    found = programs(folder)
    inside = {path.name for path in found}
    return {
        (library, path.name) for path in found for library in needed(path) if library not in inside
    }


def faults(wheel):
    """Return what a wheel needs that not each machine has."""
    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(wheel).extractall(folder)
        if not programs(folder):
            return ["there is no program in it"]
        outside = {pair for pair in external(folder) if pair[0] not in EVERYWHERE}
        return [f"{who} needs {library}" for library, who in sorted(outside)]


if __name__ == "__main__":
    lines = [f"{wheel}: {fault}" for wheel in sys.argv[1:] for fault in faults(wheel)]
    print("\n".join(lines))
    sys.exit(1 if lines else 0)
