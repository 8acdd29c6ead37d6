"""Products: shapes, element types, results in place, transposes."""

import numpy as np
import pytest

import switchyard
from conftest import random_csr, tolerance


@pytest.fixture
def pair(rng, dtype):
    """A matrix of 40 x 25 and the same as an array."""
    data, indices, indptr, dense = random_csr(rng, 40, 25, 0.3, dtype)
    return switchyard.matrix((data, indices, indptr), shape=(40, 25)), dense


def close(actual, expected, dtype):
    assert actual.dtype == dtype and actual.shape == expected.shape
    np.testing.assert_allclose(actual, expected, atol=tolerance(dtype), rtol=tolerance(dtype))


@pytest.mark.parametrize("columns", [(), (1,), (2,), (7,), (16,), (33,)])
def test_products_of_every_shape(pair, rng, dtype, columns):
    A, dense = pair
    x = rng.standard_normal((25, *columns)).astype(dtype)
    z = rng.standard_normal((40, *columns)).astype(dtype)
    close(A @ x, dense @ x, dtype)
    close(A.T @ z, dense.T @ z, dtype)
    close(A.H @ z, dense.T @ z, dtype)
    close(A.T.T @ x, dense @ x, dtype)
    close(A.dot(x), dense @ x, dtype)
    close(z.T @ A, z.T @ dense, dtype)
    close(x.T @ A.T, x.T @ dense.T, dtype)


def test_the_names_of_linear_operators(pair, rng, dtype):
    A, dense = pair
    x, z = rng.standard_normal(25).astype(dtype), rng.standard_normal(40).astype(dtype)
    X, Z = rng.standard_normal((25, 3)).astype(dtype), rng.standard_normal((40, 3)).astype(dtype)
    close(A.matvec(x), dense @ x, dtype)
    close(A.matvec(x[:, None]), dense @ x[:, None], dtype)
    close(A.rmatvec(z), dense.T @ z, dtype)
    close(A.matmat(X), dense @ X, dtype)
    close(A.rmatmat(Z), dense.T @ Z, dtype)
    with pytest.raises(ValueError, match=r"A is \(40, 25\), x has \(25, 3\)"):
        A.matvec(X)
    with pytest.raises(ValueError, match="2 dimensions"):
        A.matmat(x)


def test_results_in_place(pair, rng, dtype):
    A, dense = pair
    x = rng.standard_normal(25).astype(dtype)
    out = np.full(40, np.nan, dtype)
    assert A.matvec(x, out=out) is out
    close(out, dense @ x, dtype)
    y = rng.standard_normal(40).astype(dtype)
    expected = 2 * (dense @ x) - 3 * y
    assert A.multiply(x, y, alpha=2, beta=-3) is y
    close(y, expected, dtype)
    Y = np.empty((25, 4), dtype)
    Z = rng.standard_normal((40, 4)).astype(dtype)
    assert A.rmatmat(Z, out=Y) is Y
    close(Y, dense.T @ Z, dtype)
    close(A.multiply(x, alpha=0.5), 0.5 * (dense @ x), dtype)


def test_a_strided_out_is_filled(pair, rng, dtype):
    A, dense = pair
    x = rng.standard_normal(25).astype(dtype)
    room = np.full((40, 2), 7, dtype)
    A.multiply(x, room[:, 0], beta=1)
    close(room[:, 0], dense @ x + 7, dtype)
    assert (room[:, 1] == 7).all()
    columns = np.asfortranarray(np.zeros((40, 3), dtype))
    X = rng.standard_normal((25, 3)).astype(dtype)
    close(A.matmat(X, out=columns), dense @ X, dtype)


def test_out_of_another_type_is_never_written(pair, dtype):
    A, _ = pair
    other = np.float32 if dtype == np.float64 else np.float64
    for wrong in (other, np.int64, np.complex128, dtype.newbyteorder()):
        out = np.full(40, 3, wrong)
        with pytest.raises(TypeError, match="out is"):
            A.matvec(np.ones(25), out=out)
        assert (out == 3).all()
    for out in ([0.0] * 40, "text"):
        with pytest.raises(TypeError, match="NumPy array"):
            A.matvec(np.ones(25), out=out)


def test_out_of_another_shape_or_read_only_is_refused(pair, dtype):
    A, _ = pair
    for shape in [(39,), (41,), (40, 1), (1, 40)]:
        out = np.full(shape, 3, dtype)
        with pytest.raises(ValueError, match="the result is"):
            A.multiply(np.ones(25), out)
        assert (out == 3).all()
    out = np.zeros(40, dtype)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        A.matvec(np.ones(25), out=out)
    assert not out.any()


def test_x_and_out_must_not_overlap(dtype):
    A = switchyard.matrix(np.eye(6, dtype=dtype))
    room = np.arange(9, dtype=dtype)
    with pytest.raises(switchyard.Error, match="share memory"):
        A.multiply(room[:6], room[3:])
    np.testing.assert_array_equal(room, np.arange(9))
    A.multiply(room[:3].repeat(2), room[3:])
    np.testing.assert_array_equal(room, [0, 1, 2, 0, 0, 1, 1, 2, 2])


@pytest.mark.parametrize("shape", [(24,), (26,), (), (25, 2, 2), (1, 25), (40,)])
def test_wrong_shapes_raise_in_the_words_of_numpy(pair, shape):
    A, _ = pair
    with pytest.raises(ValueError, match=r"A is \(40, 25\), x has "):
        A @ np.ones(shape)


def test_vectors_of_other_types_are_converted(pair, dtype):
    A, dense = pair
    x = np.arange(25)
    for wrong in (x, x.astype(np.float32), x.astype(np.float64), x.astype("f2"), x.tolist(), x > 3):
        close(A @ wrong, (dense @ np.asarray(wrong, dtype)), dtype)
    wide = np.repeat(x.astype(dtype), 3)[::3]
    close(A @ wide, dense @ x.astype(dtype), dtype)
    close(A @ np.asfortranarray(np.ones((25, 3), dtype)), dense @ np.ones((25, 3), dtype), dtype)
    swapped = x.astype(dtype.newbyteorder())
    close(A @ swapped, dense @ x.astype(dtype), dtype)
    for wrong in (x * 1j, np.array(["a"] * 25), np.array([None] * 25)):
        with pytest.raises(TypeError):
            A @ wrong


def test_a_read_only_x(pair, dtype):
    A, dense = pair
    x = np.ones(25, dtype)
    x.flags.writeable = False
    close(A @ x, dense @ x, dtype)


def test_a_misaligned_x(pair, dtype):
    A, dense = pair
    raw = np.zeros(25 * dtype.itemsize + 1, np.uint8)
    x = raw[1:].view(dtype)
    x[:] = 2
    close(A @ x, dense @ np.full(25, 2, dtype), dtype)


def test_numbers_and_operators_scale_and_add(pair, dtype):
    pytest.importorskip("scipy")
    A, dense = pair
    x = np.ones(25, dtype)
    np.testing.assert_allclose((2 * A) @ x, 2 * dense @ x, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose((A + A) @ x, 2 * dense @ x, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose((A.T @ A) @ x, dense.T @ (dense @ x), rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose((-A) @ x, -(dense @ x), rtol=1e-4, atol=1e-5)
    with pytest.raises(TypeError):
        2 + A


def large_matrix():
    """Return a matrix of 2 million rows, of which row i has a one in column i % 3."""
    rows = 1 << 21
    columns = np.arange(rows, dtype=np.int32) % 3
    arrays = (np.ones(rows), columns, np.arange(rows + 1, dtype=np.int32))
    return switchyard.matrix(arrays, shape=(rows, 3)), columns


def test_the_memory_of_a_large_result_serves_the_next_one():
    A, columns = large_matrix()
    X = np.arange(9.0).reshape(3, 3)
    first = A @ X  # 48 MB
    where = first.ctypes.data
    assert first.flags.writeable and first.flags.aligned and first.flags.c_contiguous
    second = A @ (2 * X)
    np.testing.assert_array_equal(first, X[columns])  # what is still held is not written
    np.testing.assert_array_equal(second, 2 * first)
    del first
    third = A @ (X + 1)
    assert third.ctypes.data == where
    np.testing.assert_array_equal(third, (X + 1)[columns])


def test_a_large_result_outlives_its_matrix():
    A, columns = large_matrix()
    y = A @ np.repeat(np.arange(3.0)[:, None], 4, axis=1)
    kept = y[::1000, 1]
    del A, y
    np.testing.assert_array_equal(kept, columns[::1000])


def test_large_results_of_prepared_operands():
    A, columns = large_matrix()
    X = np.arange(9, dtype=np.int64).reshape(3, 3)
    np.testing.assert_array_equal(A @ X, X[columns])
    np.testing.assert_array_equal(A.multiply(X, alpha=2.0), 2 * X[columns])
