"""Type hints: the installed package has them, and mypy accepts a program that uses them."""

import subprocess
import sys
from pathlib import Path

import pytest

import switchyard

ROOT = Path(__file__).parents[2]
PROGRAM = """
import numpy as np
import switchyard

A: switchyard.Matrix = switchyard.matrix(np.eye(3))
states: list[str] = A.states
seconds: float = A.plan().predicted_seconds
v: switchyard.Vector = switchyard.Vector(3).scale(2.0)
report: dict[str, object] = switchyard.devices().to_dict()
with switchyard.trace("t.json") as runtime:
    runtime.write_trace("u.json")
"""


def mypy(folder, *arguments):
    """Run mypy in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
    )


@pytest.fixture(autouse=True)
def stubs():
    """Skip where the package is not installed as users have it."""
    pytest.importorskip("mypy")
    folder = Path(switchyard.__file__).parent
    assert (folder / "py.typed").exists()
    if not (folder / "_core.pyi").exists():
        pytest.skip("the stub of the extension is made by the installation")


def test_mypy_accepts_a_program_and_finds_a_mistake(tmp_path):
    (tmp_path / "right.py").write_text(PROGRAM)
    (tmp_path / "wrong.py").write_text("import switchyard\nswitchyard.Runtime(thread=1)\n")
    right, wrong = mypy(tmp_path, "right.py"), mypy(tmp_path, "wrong.py")
    assert right.returncode == 0, right.stdout
    assert wrong.returncode == 1 and "thread" in wrong.stdout


def test_mypy_accepts_the_package(tmp_path):
    verdict = mypy(tmp_path, "-p", "switchyard")
    assert verdict.returncode == 0, verdict.stdout
