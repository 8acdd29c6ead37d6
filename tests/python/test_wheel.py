"""What the installed package, and a wheel of it, need of the machine they are on."""

import shutil
import zipfile
from pathlib import Path

import pytest

import elf
import switchyard

PACKAGE = Path(switchyard.__file__).parent
# Of the distribution; scripts/build-wheel puts these into a wheel.
OF_DISTRIBUTION = ("libfmt.so.", "libgomp.so.", "libspdlog.so.")

pytestmark = pytest.mark.skipif(shutil.which("readelf") is None, reason="there is no readelf")


def test_the_package_needs_few_libraries_and_no_opencl():
    names = {path.name for path in elf.programs(PACKAGE)}
    assert any(name.startswith("_core.") for name in names) and "switchyard-probe-opencl" in names
    rest = {library for library, _ in elf.external(PACKAGE)} - elf.EVERYWHERE
    vendored = {path.name for path in elf.programs(PACKAGE.parent / "switchyard.libs")}
    assert all(library.startswith(OF_DISTRIBUTION) for library in rest - vendored)


def test_a_wheel_that_needs_more_is_found(tmp_path):
    extension = next(path for path in elf.programs(PACKAGE) if path.name.startswith("_core."))
    with zipfile.ZipFile(tmp_path / "with.whl", "w") as wheel:
        wheel.write(extension, "switchyard/" + extension.name)
    rest = elf.needed(extension) - elf.EVERYWHERE
    assert elf.faults(tmp_path / "with.whl") == [
        f"{extension.name} needs {library}" for library in sorted(rest)
    ]
    with zipfile.ZipFile(tmp_path / "without.whl", "w") as wheel:
        wheel.writestr("switchyard/__init__.py", "")
    assert elf.faults(tmp_path / "without.whl") == ["there is no program in it"]
