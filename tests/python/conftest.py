"""What the tests share: matrices with a known answer, and an environment of their own."""

import os

import numpy as np
import pytest

# Before any runtime: tests do not depend on the profile or the devices of the machine's user.
os.environ.setdefault("SWITCHYARD_DEVICES", "none")
os.environ.setdefault("OMP_NUM_THREADS", "2")


@pytest.fixture(autouse=True, scope="session")
def own_folders(tmp_path_factory):
    """Keep profiles and caches of the user out of the tests."""
    folder = tmp_path_factory.mktemp("home")
    os.environ["XDG_CONFIG_HOME"] = str(folder / "config")
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")


@pytest.fixture(params=[np.float32, np.float64], ids=["float32", "float64"])
def dtype(request):
    """Both element types."""
    return np.dtype(request.param)


@pytest.fixture
def rng():
    """Random numbers that are the same in each run."""
    return np.random.default_rng(20261123)


def random_csr(rng, rows, cols, density=0.1, dtype=np.float64):
    """Return (data, indices, indptr, dense) with ascending columns in each row."""
    dense = rng.standard_normal((rows, cols)) * (rng.random((rows, cols)) < density)
    dense = dense.astype(dtype)
    row, col = np.nonzero(dense)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=rows))])
    return dense[row, col], col.astype(np.int32), indptr.astype(np.int32), dense


def tolerance(dtype):
    """Return the relative error that sums of some hundred terms may have."""
    return 1e-4 if np.dtype(dtype) == np.float32 else 1e-11
