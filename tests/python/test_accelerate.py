"""accelerate(): SciPy's own type with Switchyard's products."""

import copy
import pickle

import numpy as np
import pytest

import switchyard
from conftest import tolerance

sparse = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")


@pytest.fixture
def S(dtype):
    return sparse.csr_array(sparse.random(80, 50, 0.2, format="csr", random_state=1).astype(dtype))


def calls(F):
    """How many products the matrix behind F has made."""
    return F.matrix.counters["calls"]


def test_products_are_ours(S, rng, dtype):
    F = switchyard.accelerate(S)
    assert isinstance(F, sparse.csr_array) and sparse.issparse(F)
    assert F.data is S.data or np.shares_memory(F.data, S.data)
    x, z = rng.standard_normal(50).astype(dtype), rng.standard_normal(80).astype(dtype)
    X = rng.standard_normal((50, 3)).astype(dtype)
    products = [
        (lambda M: M @ x), (lambda M: M.dot(X)), (lambda M: M @ x[:, None]), (lambda M: z @ M),
        (lambda M: M.T @ z), (lambda M: x @ M.T), (lambda M: M.T.T @ X), (lambda M: X.T @ M.T),
    ]  # fmt: skip
    for product in products:
        before = calls(F)
        actual, expected = product(F), product(S)
        assert calls(F) == before + 1
        assert actual.dtype == expected.dtype and actual.shape == expected.shape
        np.testing.assert_allclose(actual, expected, atol=tolerance(dtype))


def test_what_is_no_product_with_an_array_stays_scipys(S, dtype):
    F = switchyard.accelerate(S)
    np.testing.assert_allclose((F @ F.T).toarray(), (S @ S.T).toarray(), rtol=1e-4)
    np.testing.assert_array_equal((F + F).toarray(), (S + S).toarray())
    np.testing.assert_array_equal(F[3:9].toarray(), S[3:9].toarray())
    np.testing.assert_array_equal(F.multiply(2).toarray(), S.multiply(2).toarray())
    assert type(F[3:9]) is type(F)
    np.testing.assert_allclose(F[3:9] @ np.ones(50, dtype), S[3:9] @ np.ones(50, dtype), rtol=1e-4)
    with pytest.raises(ValueError):
        F @ np.ones(49)
    wide = F @ np.ones(50, np.complex128)
    assert wide.dtype == np.complex128
    assert (F @ np.ones(50, np.float64)).dtype == np.float64


def test_integers_and_complex():
    whole = sparse.csr_array(np.array([[1, 2], [0, 3]]))
    F = switchyard.accelerate(whole)
    assert (F @ np.array([1, 1])).dtype == whole.dtype
    np.testing.assert_array_equal(F @ np.array([1, 1]), [3, 3])
    with pytest.raises(TypeError, match="complex"):
        switchyard.accelerate(whole * 1j)


def test_changes_are_seen(S, dtype):
    ones = np.ones(50, dtype)
    for change in (
        lambda M: M.__imul__(2),
        lambda M: M.__setitem__((3, 4), 7),
        lambda M: M.setdiag(1),
        lambda M: M.data.__imul__(3),
        lambda M: setattr(M, "data", M.data * 2),
    ):
        F, plain = switchyard.accelerate(S.copy()), S.copy()
        F @ ones
        for M in (F, plain):
            with np.errstate(all="ignore"):
                try:
                    change(M)
                except Exception as error:  # some SciPy has no such method on arrays
                    pytest.fail(str(error))
            if M is F:
                F.refresh()
        np.testing.assert_allclose(F @ ones, plain @ ones, rtol=1e-4, atol=1e-5)


def test_methods_that_write_forget_the_matrix(S, dtype):
    F = switchyard.accelerate(S)
    F @ np.ones(50, dtype)
    first = F.matrix
    F *= 2
    assert F.matrix is not first
    second = F.matrix
    F[1, 1] = 5
    assert F.matrix is not second
    third = F.matrix
    F.data = F.data + 1
    assert F.matrix is not third


def test_copies_and_pickles(S, dtype):
    F = switchyard.accelerate(S)
    F @ np.ones(50, dtype)
    for other in (F.copy(), copy.copy(F), copy.deepcopy(F), pickle.loads(pickle.dumps(F))):
        assert type(other) is type(F)
        np.testing.assert_array_equal(other.toarray(), S.toarray())
        np.testing.assert_allclose(other @ np.ones(50, dtype), S @ np.ones(50, dtype), rtol=1e-4)


def test_conversions(S):
    F = switchyard.accelerate(S)
    for kind in ("csr", "csc", "coo", "lil", "dok"):
        np.testing.assert_array_equal(F.asformat(kind).toarray(), S.toarray())
    assert switchyard.accelerate(S.tocsc()).format == "csr"
    assert switchyard.accelerate(S, dtype=np.float32).dtype == np.float32
    np.testing.assert_array_equal(F.T.toarray(), S.toarray().T)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_scipys_solvers(S, dtype):
    F = switchyard.accelerate(S)
    b = np.sin(np.arange(80)).astype(dtype)
    before = calls(F)
    np.testing.assert_allclose(linalg.lsmr(F, b)[0], linalg.lsmr(S, b)[0], rtol=1e-2, atol=1e-3)
    assert calls(F) > before
    normal = sparse.csr_array(S.T @ S + 3 * sparse.eye(50, dtype=dtype))
    G = switchyard.accelerate(normal)
    rhs = np.ones(50, dtype)
    np.testing.assert_allclose(
        linalg.cg(G, rhs)[0], linalg.cg(normal, rhs)[0], rtol=1e-2, atol=1e-4
    )
    v0 = np.ones(50, dtype)
    values = [np.sort(linalg.eigsh(M, k=3, v0=v0)[0]) for M in (G, normal)]
    np.testing.assert_allclose(values[0], values[1], rtol=1e-3)
    values = [np.sort(linalg.svds(M, k=3, v0=v0)[1]) for M in (F, S)]
    np.testing.assert_allclose(values[0], values[1], rtol=1e-3)
    np.testing.assert_allclose(
        linalg.expm_multiply(0.1 * G, rhs), linalg.expm_multiply(0.1 * normal, rhs), rtol=1e-3
    )
    X = np.random.default_rng(0).standard_normal((50, 2)).astype(dtype)
    values = [np.sort(linalg.lobpcg(M, X.copy(), maxiter=100, tol=1e-4)[0]) for M in (G, normal)]
    np.testing.assert_allclose(values[0], values[1], rtol=1e-2)


@pytest.mark.parametrize("algorithm", ["arpack", "randomized"])
def test_truncated_svd(algorithm):
    decomposition = pytest.importorskip("sklearn.decomposition")
    S = sparse.csr_array(sparse.random(200, 60, 0.1, format="csr", random_state=7))
    F = switchyard.accelerate(S)
    values = [
        decomposition.TruncatedSVD(4, algorithm=algorithm, random_state=0).fit(M).singular_values_
        for M in (F, S)
    ]
    np.testing.assert_allclose(values[0], values[1], rtol=1e-6)


def test_randomized_svd_calls_our_products():
    extmath = pytest.importorskip("sklearn.utils.extmath")
    S = sparse.csr_array(sparse.random(200, 60, 0.1, format="csr", random_state=7))
    F = switchyard.accelerate(S)
    before = calls(F)
    ours = extmath.randomized_svd(F, 4, random_state=0)
    theirs = extmath.randomized_svd(S, 4, random_state=0)
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-8)
    assert calls(F) > before


def test_scikit_learns_estimators():
    pytest.importorskip("sklearn")
    from sklearn.decomposition import PCA
    from sklearn.linear_model import LogisticRegression, Ridge

    S = sparse.csr_array(sparse.random(200, 30, 0.2, format="csr", random_state=8))
    F = switchyard.accelerate(S)
    target = S @ np.arange(30.0)
    pca = [PCA(3, svd_solver="arpack", random_state=0).fit(M) for M in (F, S)]
    np.testing.assert_allclose(pca[0].singular_values_, pca[1].singular_values_, rtol=1e-6)
    for solver in ("lsqr", "sparse_cg", "sag"):
        ridge = [Ridge(solver=solver, random_state=0).fit(M, target) for M in (F, S)]
        np.testing.assert_allclose(ridge[0].coef_, ridge[1].coef_, rtol=1e-3, atol=1e-3)
    classes = target > np.median(target)
    logistic = [LogisticRegression().fit(M, classes) for M in (F, S)]
    np.testing.assert_allclose(logistic[0].coef_, logistic[1].coef_, rtol=1e-3, atol=1e-4)


def test_pyamg():
    pyamg = pytest.importorskip("pyamg")
    S = sparse.csr_array(pyamg.gallery.poisson((20, 20), format="csr"))
    b = np.ones(400)
    answers = [
        pyamg.ruge_stuben_solver(M).solve(b, tol=1e-10) for M in (switchyard.accelerate(S), S)
    ]
    np.testing.assert_allclose(answers[0], answers[1], rtol=1e-6)
    np.testing.assert_allclose(S @ answers[0], b, atol=1e-6)
