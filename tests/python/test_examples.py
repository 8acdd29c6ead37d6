"""The examples run, and agree with what they compare with."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "apps/python/examples"
SMALL = {
    "heat.py": "20",
    "pagerank.py": "2000",
    "pruned_inference.py": "64",
    "truncated_svd.py": "800",
}


@pytest.mark.parametrize("example", sorted(path.name for path in EXAMPLES.glob("*.py")))
def test_example(example, tmp_path):
    pytest.importorskip("scipy", minversion="1.12", reason="the examples use sparse arrays")
    ended = subprocess.run(
        [sys.executable, str(EXAMPLES / example), SMALL[example]],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    difference = re.search(r"difference (\S+)$", ended.stdout, re.MULTILINE)
    assert float(difference[1]) < 1e-3, ended.stdout
