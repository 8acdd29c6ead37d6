"""Type hints: the installed package has them, and mypy accepts a program that uses them."""

import subprocess
import sys
from pathlib import Path

import pytest

import switchyard

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


def test_mypy_accepts_a_program(tmp_path):
    pytest.importorskip("mypy")
    folder = Path(switchyard.__file__).parent
    assert (folder / "py.typed").exists()
    if not (folder / "_core.pyi").exists():
        pytest.skip("the stub of the extension is made by the installation")
    (tmp_path / "right.py").write_text(PROGRAM)
    (tmp_path / "wrong.py").write_text("import switchyard\nswitchyard.Runtime(thread=1)\n")
    verdicts = [
        subprocess.run(
            [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), name],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        for name in ("right.py", "wrong.py")
    ]
    assert verdicts[0].returncode == 0, verdicts[0].stdout
    assert verdicts[1].returncode == 1 and "thread" in verdicts[1].stdout
