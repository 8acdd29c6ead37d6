"""Products on an OpenCL device, if there is one; PoCL is enough."""

import os
import threading

import numpy as np
import pytest

import switchyard
from conftest import random_csr, tolerance


@pytest.fixture(scope="module")
def runtime():
    """A runtime with devices."""
    found = switchyard.Runtime(devices="all")
    if not switchyard.devices(found)["devices"]:
        pytest.skip("there is no OpenCL device")
    return found


@pytest.fixture
def pair(runtime, rng, dtype):
    """A matrix that is pinned to the device, and the same as an array."""
    facts = switchyard.devices(runtime)["devices"][0]
    if dtype == np.float64 and not facts["double"]:
        pytest.skip("the device has no double precision")
    data, indices, indptr, dense = random_csr(rng, 300, 200, 0.1, dtype)
    A = switchyard.matrix((data, indices, indptr), shape=(300, 200), runtime=runtime)
    return A.pin("csr@device0"), dense


def test_products(pair, rng, dtype):
    A, dense = pair
    x, X = rng.standard_normal(200).astype(dtype), rng.standard_normal((200, 5)).astype(dtype)
    z = rng.standard_normal(300).astype(dtype)
    for actual, expected in ((A @ x, dense @ x), (A @ X, dense @ X), (z @ A, z @ dense)):
        np.testing.assert_allclose(actual, expected, atol=10 * tolerance(dtype))
    assert "csr@device0" in A.states and "csr@device0" in repr(A)


def test_a_vector_stays_on_the_device(pair, rng, dtype):
    A, dense = pair
    x = rng.standard_normal(200).astype(dtype)
    w = A @ switchyard.Vector(x, runtime=A._runtime)
    assert w.spaces == ["device0"]
    w.scale(2)
    assert w.spaces == ["device0"]
    np.testing.assert_allclose(w.get(), 2 * dense @ x, atol=10 * tolerance(dtype))


def test_threads(pair, dtype):
    A, dense = pair
    x = np.ones(200, dtype)
    expected, failures = dense @ x, []

    def work():
        for _ in range(20):
            if not np.allclose(A @ x, expected, atol=10 * tolerance(dtype)):
                failures.append(threading.get_ident())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_goes_on_without_the_device(runtime, rng):
    dense = rng.standard_normal((50, 40))
    A = switchyard.matrix(dense, runtime=runtime)
    A.bring_to("dense@device0")
    x = np.ones(40)
    A @ x
    child = os.fork()
    if child == 0:
        os._exit(0 if np.allclose(A @ x, dense @ x) else 1)
    assert os.waitpid(child, 0)[1] == 0
    np.testing.assert_allclose(A @ x, dense @ x)
