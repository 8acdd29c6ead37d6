"""Run by scripts/build-wheel where nothing is installed but the wheel and NumPy."""

import os
import subprocess
from pathlib import Path

import numpy as np

import switchyard

dense = np.arange(12.0).reshape(3, 4)
A = switchyard.matrix(dense, runtime=switchyard.Runtime(devices="all"))
np.testing.assert_array_equal(A @ np.ones(4), dense.sum(axis=1))
assert "dense@host" in str(A.explain())
assert switchyard.doctor()["status"] in ("ok", "warning", "problem")
left_out = " ".join(switchyard.devices(A._runtime)["left_out"])
assert "there is no OpenCL loader" in left_out, left_out

# No library of the distribution's but those that each Linux has was loaded for it.
maps = Path("/proc/self/maps").read_text()
loaded = {os.path.basename(line.split()[-1]) for line in maps.splitlines() if ".so" in line}
assert not {name for name in loaded if name.startswith(("libfmt.so", "libspdlog.so"))}, loaded

probe = Path(switchyard.__file__).parent / "switchyard-probe-opencl"
assert os.access(probe, os.X_OK)
ended = subprocess.run([probe], stdin=subprocess.DEVNULL, capture_output=True, text=True)
assert "error while loading shared libraries" not in ended.stderr, ended.stderr
