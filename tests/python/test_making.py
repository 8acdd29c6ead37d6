"""What a matrix can be made from, and when its arrays are borrowed."""

import gc
import gzip
import sys
import tarfile

import numpy as np
import pytest

import switchyard
from conftest import random_csr, tolerance


def shares(A, array):
    """Whether a product follows a write to the array that A was made from."""
    ones = np.ones(A.shape[1], A.dtype)
    before = A @ ones
    kept = array[:].copy()
    array[:] = kept + 1
    after = A @ ones
    array[:] = kept
    return not np.array_equal(before, after)


def test_arrays_are_borrowed_where_they_can_be(rng, dtype):
    data, indices, indptr, dense = random_csr(rng, 40, 30, dtype=dtype)
    A = switchyard.matrix((data, indices, indptr), shape=dense.shape, copy=False).pin("csr@host")
    assert A.shape == (40, 30) and A.dtype == dtype and A.nnz == len(data)
    np.testing.assert_allclose(A @ np.ones(30), dense.sum(axis=1), atol=tolerance(dtype))
    assert shares(A, data)
    assert not shares(
        switchyard.matrix((data, indices, indptr), shape=dense.shape, copy=True), data
    )


def test_a_dense_array_is_borrowed(rng, dtype):
    dense = rng.standard_normal((12, 9)).astype(dtype)
    A = switchyard.matrix(dense, copy=False).pin("dense@host")
    assert A.states == ["dense@host"]
    assert shares(A, dense.reshape(-1))


def test_borrowed_arrays_live_as_long_as_the_matrix(rng):
    data, indices, indptr, dense = random_csr(rng, 50, 50)
    before = sys.getrefcount(data)
    A = switchyard.matrix((data, indices, indptr), shape=(50, 50))
    assert sys.getrefcount(data) > before
    x = rng.standard_normal(50)
    expected = dense @ x
    transposed = A.T
    del A
    kept = weak_copy = data
    del data, indices, indptr, kept, weak_copy
    gc.collect()
    np.testing.assert_allclose(transposed.T @ x, expected)


def test_a_matrix_frees_what_it_borrowed(rng):
    data, indices, indptr, dense = random_csr(rng, 50, 50)
    before = [sys.getrefcount(array) for array in (data, indices, indptr)]
    for _ in range(100):
        A = switchyard.matrix((data, indices, indptr), shape=(50, 50))
        A @ np.ones(50)
        A.T @ np.ones(50)
    del A
    gc.collect()
    assert [sys.getrefcount(array) for array in (data, indices, indptr)] == before


def test_a_borrowed_array_cannot_be_resized_behind_the_matrix(rng):
    data, indices, indptr, _ = random_csr(rng, 20, 20)
    data = data.copy()
    A = switchyard.matrix((data, indices, indptr), shape=(20, 20))
    with pytest.raises(ValueError, match="resize"):
        data.resize(3)
    assert np.isfinite(A @ np.ones(20)).all()


def test_a_matrix_keeps_its_arrays_when_their_owner_takes_others():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    S = scipy_sparse.csr_matrix(np.diag([1.0, 2.0, 3.0]))
    A = switchyard.matrix(S, copy=False)
    S.data, S.indices = np.array([5.0, 5.0, 5.0]), np.array([2, 2, 2], np.int32)
    gc.collect()
    np.testing.assert_array_equal(A @ np.ones(3), [1, 2, 3])
    S = S @ S
    np.testing.assert_array_equal(np.ones(3) @ A, [1, 2, 3])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda d, i, p: (d, i.astype(np.int64), p), "indices is int64"),
        (lambda d, i, p: (d, i, p.astype(np.int64)), "indptr is int64"),
        (lambda d, i, p: (np.repeat(d, 2)[::2], i, p), "data is not C-contiguous"),
        (lambda d, i, p: (d.astype(np.int32), i, p), "data is int32"),
        (lambda d, i, p: (d.astype(">f8"), i, p), "data is >f8|byte order"),
        (lambda d, i, p: (d, i[::-1].copy(), p), "do not ascend"),
    ],
)
def test_without_a_copy_the_reason_is_named(rng, change, reason):
    data, indices, indptr, dense = random_csr(rng, 30, 30)
    arrays = change(np.rint(data * 100), indices, indptr)
    with pytest.raises(ValueError, match=reason):
        switchyard.matrix(arrays, shape=dense.shape, copy=False)
    scipy_sparse = pytest.importorskip("scipy.sparse")
    expected = scipy_sparse.csr_matrix(arrays, shape=dense.shape)
    A = switchyard.matrix(arrays, shape=dense.shape)
    np.testing.assert_allclose(A.toarray(), expected.toarray())


def test_misaligned_data_is_copied(rng):
    data, indices, indptr, dense = random_csr(rng, 20, 20)
    raw = np.empty(data.nbytes + 1, np.uint8)
    askew = raw[1:].view(np.float64)
    askew[:] = data
    with pytest.raises(ValueError, match="aligned"):
        switchyard.matrix((askew, indices, indptr), shape=(20, 20), copy=False)
    np.testing.assert_allclose(
        switchyard.matrix((askew, indices, indptr), shape=(20, 20)).toarray(), dense
    )


def test_duplicates_are_added_and_columns_sorted():
    arrays = np.array([1.0, 2, 4, 8]), np.array([2, 0, 2, 1]), np.array([0, 3, 4])
    A = switchyard.matrix(arrays, shape=(2, 3))
    np.testing.assert_array_equal(A.toarray(), [[2, 0, 5], [0, 8, 0]])
    assert A.nnz == 3


@pytest.mark.parametrize(
    ("arrays", "shape", "words"),
    [
        (([1.0], [3], [0, 1]), (1, 3), "outside the shape"),
        (([1.0], [-1], [0, 1]), (1, 3), "at least 0"),
        (([1.0], np.array([-1], np.int32), np.array([0, 1], np.int32)), (1, 3), "outside"),
        (([1.0], [2**40], [0, 1]), (1, 3), "below"),
        (([1.0], [0], [0, 2]), (1, 3), "indptr"),
        (([1.0], [0], np.array([0, 2, 1], np.int32)), (2, 3), "must not decrease|indptr"),
        (([1.0], [0], [1, 1]), (1, 3), "indptr"),
        (([1.0], [0], [0, 1]), (2, 3), "indptr has 2 elements; 2 rows need 3"),
        (([1.0, 2.0], [0], [0, 1]), (1, 3), "data has 2 elements, indices 1"),
        (([[1.0]], [0], [0, 1]), (1, 3), "data has 2 dimensions"),
        (([1.0], [0], [0, 1]), (1, 3, 1), "shape of a matrix"),
        (([1.0], [0], [0, 1]), (-1, 3), "shape of a matrix"),
    ],
)
def test_arrays_that_are_no_matrix_are_refused(arrays, shape, words):
    with pytest.raises(ValueError, match=words):
        switchyard.matrix(tuple(np.asarray(array) for array in arrays), shape=shape)


@pytest.mark.parametrize("kind", ["?", "i1", "u2", "i4", "i8", "f2", "g"])
def test_other_numbers_become_float64(kind):
    dense = np.array([[1, 0, 1], [0, 1, 0]]).astype(kind)
    A = switchyard.matrix(dense)
    assert A.dtype == np.float64
    np.testing.assert_array_equal(A.toarray(), dense)


def test_complex_and_objects_raise_type_error():
    with pytest.raises(TypeError, match="complex"):
        switchyard.matrix(np.eye(2) * 1j)
    with pytest.raises(TypeError, match="complex"):
        switchyard.matrix(np.eye(2), dtype=np.complex128)
    with pytest.raises(TypeError, match="not numbers"):
        switchyard.matrix(np.array([["a"]]))
    with pytest.raises(ValueError, match="dimensions"):
        switchyard.matrix(np.ones(3))


@pytest.mark.parametrize("wrong", [None, b"web.mtx", {}, object()])
def test_what_is_no_matrix_raises_type_error(wrong):
    with pytest.raises(TypeError, match=f"a {type(wrong).__name__} is no matrix"):
        switchyard.matrix(wrong)


def test_wrong_arguments_are_named():
    arrays = np.ones(1), np.zeros(1, np.int32), np.array([0, 1], np.int32)
    with pytest.raises(TypeError, match="coo_array"):
        switchyard.matrix((np.ones(1), (np.zeros(1, int), np.zeros(1, int))), shape=(1, 1))
    with pytest.raises(ValueError, match="copy must be None, False or True"):
        switchyard.matrix(arrays, shape=(1, 1), copy="never")
    with pytest.raises(TypeError, match="runtime must be a Runtime, not int"):
        switchyard.matrix(arrays, shape=(1, 1), runtime=3)
    for shape in ("ab", (1.5, 1)):
        with pytest.raises(TypeError, match="integer"):
            switchyard.matrix(arrays, shape=shape)


def test_copy_may_be_a_boolean_of_numpy(rng):
    data, indices, indptr, dense = random_csr(rng, 40, 30)
    arrays = data, indices, indptr
    assert not shares(switchyard.matrix(arrays, shape=dense.shape, copy=np.True_), data)
    with pytest.raises(ValueError, match="a copy is needed"):
        switchyard.matrix(
            (data, indices.astype(np.int64), indptr), shape=dense.shape, copy=np.False_
        )


def test_fortran_order_strides_and_read_only_arrays(rng):
    dense = rng.standard_normal((8, 6))
    for array in (np.asfortranarray(dense), np.repeat(dense, 2, axis=1)[:, ::2], dense.tolist()):
        with pytest.raises(ValueError, match="copy"):
            switchyard.matrix(array, copy=False)
        np.testing.assert_array_equal(switchyard.matrix(array).toarray(), dense)
    dense.flags.writeable = False
    A = switchyard.matrix(dense, copy=False)
    A.update(2 * dense)
    np.testing.assert_array_equal(A.toarray(), 2 * dense)


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0), (3, 3)])
def test_empty_matrices(shape):
    for A in (
        switchyard.matrix(np.zeros(shape)),
        switchyard.matrix(
            (np.zeros(0), np.zeros(0, int), np.zeros(shape[0] + 1, int)), shape=shape
        ),
    ):
        assert A.shape == shape and len(A) == shape[0]
        np.testing.assert_array_equal(A @ np.ones(shape[1]), np.zeros(shape[0]))
        np.testing.assert_array_equal(A.T @ np.ones((shape[0], 2)), np.zeros((shape[1], 2)))
        assert (A @ np.ones((shape[1], 0))).shape == (shape[0], 0)
        np.testing.assert_array_equal(A.toarray(), np.zeros(shape))
        assert "switchyard.Matrix" in repr(A)


def test_not_a_number_and_infinity_pass_through():
    A = switchyard.matrix(np.array([[1.0, np.nan], [np.inf, 0.0]]))
    np.testing.assert_array_equal(A @ np.array([1.0, 1.0]), [np.nan, np.inf])


def test_dlpack_on_the_cpu():
    class Tensor:
        def __init__(self, array, device=(1, 0)):
            self.array, self.device = array, device

        def __dlpack_device__(self):
            return self.device

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

    array = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(switchyard.matrix(Tensor(array)).toarray(), array)
    with pytest.raises(TypeError, match="device"):
        switchyard.matrix(Tensor(array, (2, 0)))


def test_matrix_market_files(tmp_path, dtype):
    text = "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 3 1.5\n2 1 -2\n"
    (tmp_path / "a.mtx").write_text(text)
    with gzip.open(tmp_path / "a.mtx.gz", "wt") as file:
        file.write(text)
    for path in (tmp_path / "a.mtx", str(tmp_path / "a.mtx.gz")):
        A = switchyard.matrix(path, dtype=dtype)
        assert A.dtype == dtype
        np.testing.assert_array_equal(A.toarray(), [[0, 0, 1.5], [-2, 0, 0]])
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "b.mtx").write_text(text)
    with tarfile.open(tmp_path / "b.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "b", "b")
    assert switchyard.matrix(tmp_path / "b.tar.gz").shape == (2, 3)
    assert switchyard.read_matrix_market(tmp_path / "a.mtx").shape == (2, 3)


def test_what_scipy_writes_of_any_kind_is_read(tmp_path):
    io = pytest.importorskip("scipy.io")
    sparse = pytest.importorskip("scipy.sparse")
    for kind in ("u1", "u4", "u8", "i4", "?", "f4", "f8"):
        dense = np.array([[1, 0, 1], [0, 1, 0]]).astype(kind)
        io.mmwrite(tmp_path / "a.mtx", sparse.csr_matrix(dense))
        read = switchyard.matrix(tmp_path / "a.mtx")
        np.testing.assert_array_equal(read.toarray(), dense, err_msg=kind)


def test_lenient_files(tmp_path):
    path = tmp_path / "words.mtx"
    path.write_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 3 more\n")
    with pytest.raises(ValueError, match="after the entry"):
        switchyard.matrix(path)
    np.testing.assert_array_equal(switchyard.matrix(path, lenient=True).toarray(), [[0, 3], [0, 0]])


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
def test_npz_files(tmp_path, kind, rng):
    scipy_sparse = pytest.importorskip("scipy.sparse")
    S = scipy_sparse.random(20, 30, 0.2, format=kind, random_state=1)
    scipy_sparse.save_npz(tmp_path / "a.npz", S)
    np.testing.assert_array_equal(switchyard.matrix(tmp_path / "a.npz").toarray(), S.toarray())


def test_other_npz_files_are_refused(tmp_path):
    np.savez(tmp_path / "b.npz", x=np.ones(3))
    with pytest.raises(ValueError, match="save_npz"):
        switchyard.matrix(tmp_path / "b.npz")


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"])
@pytest.mark.parametrize("maker", ["matrix", "array"])
def test_scipy_of_any_kind(kind, maker, dtype):
    sparse = pytest.importorskip("scipy.sparse")
    S = getattr(sparse, f"{kind}_{maker}")(
        sparse.random(25, 35, 0.2, format="csr", random_state=3).astype(dtype)
    )
    A = switchyard.matrix(S)
    assert A.dtype == dtype and A.shape == S.shape
    x = np.linspace(-1, 1, 35).astype(dtype)
    np.testing.assert_allclose(A @ x, S.toarray() @ x, atol=tolerance(dtype))
    if kind in ("csr", "csc"):
        assert shares(switchyard.matrix(S, copy=False).pin(f"{kind}@host"), S.data)
    else:
        with pytest.raises(ValueError, match=f"format is {kind}"):
            switchyard.matrix(S, copy=False)


def test_what_scipy_makes_of_int64_and_of_products():
    sparse = pytest.importorskip("scipy.sparse")
    coo = sparse.coo_array(
        (np.ones(4), (np.array([0, 1, 2, 2]), np.array([2, 0, 1, 2]))), shape=(3, 3)
    )
    wide = sparse.csr_array(coo)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int32)
    np.testing.assert_array_equal(switchyard.matrix(wide).toarray(), wide.toarray())
    square = sparse.csr_array(sparse.random(50, 50, 0.1, format="csr", random_state=5))
    unsorted = square @ square
    np.testing.assert_allclose(switchyard.matrix(unsorted).toarray(), unsorted.toarray())
