"""Vectors that stay where they are."""

import pickle

import numpy as np
import pytest

import switchyard
from conftest import random_csr, tolerance
from switchyard import Vector


def test_contents(dtype):
    v = Vector(np.arange(5, dtype=dtype))
    assert len(v) == 5 and v.shape == (5,) and v.dtype == dtype and v.spaces == ["host"]
    np.testing.assert_array_equal(v.get(), np.arange(5))
    np.testing.assert_array_equal(np.asarray(v), np.arange(5))
    np.testing.assert_array_equal(np.from_dlpack(v), np.arange(5))
    assert v.set([5, 4, 3, 2, 1]) is v
    np.testing.assert_array_equal(v.get(), [5, 4, 3, 2, 1])
    np.testing.assert_array_equal(Vector(3, dtype).get(), np.zeros(3))
    assert len(Vector(0)) == 0 and Vector(0).get().shape == (0,)
    assert repr(v) == f"<switchyard.Vector 5 {dtype}, on host>"
    with pytest.raises(TypeError, match="real numbers"):
        Vector(np.ones(2) * 1j)
    with pytest.raises(ValueError, match="1 dimension"):
        Vector(np.ones((2, 2)))
    with pytest.raises(TypeError, match=r"v\.get\(\)"):
        pickle.dumps(v)
    with pytest.raises(TypeError, match="float32 or float64"):
        Vector(3, int)
    with pytest.raises(ValueError, match="vector is"):
        v.set(np.ones(4))


def test_operations(rng, dtype):
    a, b = rng.standard_normal((2, 400)).astype(dtype)
    close = lambda actual, expected: np.testing.assert_allclose(  # noqa: E731
        actual, expected, rtol=tolerance(dtype), atol=tolerance(dtype) * 10
    )
    v, w = Vector(a), Vector(b)
    close(v.dot(w), a @ b)
    close(v @ w, a @ b)
    close(v.norm(), np.linalg.norm(a))
    close(v.sum(), a.sum())
    close(v.axpby(2, w, 3).get(), 2 * b + 3 * a)
    close(v.axpby(1, v, 1).get(), 2 * (2 * b + 3 * a))
    close(w.scale(2).add_scalar(1).get(), 2 * b + 1)
    close(w.relu().get(), np.maximum(2 * b + 1, 0))
    close(w.fill(4).get(), np.full(400, 4))
    with pytest.raises(ValueError, match="not \\(3,\\)"):
        v.dot(Vector(3, dtype))
    with pytest.raises(TypeError):
        v.dot(Vector(400, np.float32 if dtype == np.float64 else np.float64))
    with pytest.raises(TypeError):
        v.dot(b)


def test_products(rng, dtype):
    data, indices, indptr, dense = random_csr(rng, 40, 30, 0.3, dtype)
    A = switchyard.matrix((data, indices, indptr), shape=(40, 30))
    x = rng.standard_normal(30).astype(dtype)
    v, w = Vector(x), Vector(40, dtype)
    np.testing.assert_allclose((A @ v).get(), dense @ x, atol=tolerance(dtype))
    assert A.multiply(v, w, alpha=2) is w
    np.testing.assert_allclose(w.get(), 2 * dense @ x, atol=tolerance(dtype))
    np.testing.assert_allclose((A.T @ w).get(), dense.T @ w.get(), atol=tolerance(dtype) * 100)
    with pytest.raises(ValueError, match="dimension mismatch"):
        A @ w
    with pytest.raises(TypeError, match="Vector"):
        A.multiply(v, np.zeros(40, dtype))
    with pytest.raises(TypeError):
        A @ Vector(30, np.float32 if dtype == np.float64 else np.float64)


def test_a_power_iteration(rng):
    root = rng.standard_normal((50, 50))
    symmetric = root @ root.T
    A = switchyard.matrix(symmetric).expect_calls(300)
    v, w = Vector(np.ones(50)), Vector(50)
    for _ in range(300):
        A.multiply(v, w)
        w.scale(1 / w.norm())
        v, w = w, v
    np.testing.assert_allclose(v.dot(A @ v), np.linalg.eigvalsh(symmetric)[-1], rtol=1e-6)
