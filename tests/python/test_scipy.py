"""SciPy's solvers on a Matrix, against the same solvers on SciPy's own array."""

import numpy as np
import pytest

import switchyard
from conftest import tolerance

sparse = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")

SIZE = 60


@pytest.fixture
def poisson(dtype):
    """The Laplacian of a path with a strong diagonal: symmetric, positive definite."""
    S = sparse.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(SIZE, SIZE), format="csr")
    return sparse.csr_array(S.astype(dtype))


@pytest.fixture
def lopsided(dtype):
    """An unsymmetric matrix with a strong diagonal."""
    S = sparse.random(SIZE, SIZE, 0.05, format="csr", random_state=2) + 4 * sparse.eye(SIZE)
    return sparse.csr_array(S.tocsr().astype(dtype))


@pytest.fixture
def tall(dtype):
    """A matrix with more rows than columns and well separated singular values."""
    S = sparse.random(90, 30, 0.2, format="csr", random_state=4)
    scale = sparse.diags(np.linspace(1, 5, 30))
    return sparse.csr_array((S @ scale).tocsr().astype(dtype))


def right_hand_side(S):
    return np.cos(np.arange(S.shape[0])).astype(S.dtype)


def check(S, solve, rtol=None):
    """Compare what a solver returns for our matrix and for SciPy's."""
    A = switchyard.matrix(S)
    assert isinstance(A, linalg.LinearOperator)
    assert linalg.aslinearoperator(A) is A
    loose = rtol or (2e-3 if S.dtype == np.float32 else 1e-7)
    before = A.counters["calls"]
    ours, theirs = solve(A), solve(S)
    assert A.counters["calls"] > before
    np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), rtol=loose, atol=loose)


@pytest.mark.parametrize("name", ["cg", "minres"])
def test_symmetric_solvers(poisson, name):
    b = right_hand_side(poisson)
    check(poisson, lambda A: getattr(linalg, name)(A, b)[0], rtol=1e-3)


@pytest.mark.parametrize(
    "name", ["bicg", "bicgstab", "cgs", "gmres", "lgmres", "gcrotmk", "qmr", "tfqmr"]
)
def test_unsymmetric_solvers(lopsided, name):
    b = right_hand_side(lopsided)
    solver = getattr(linalg, name)
    check(lopsided, lambda A: solver(A, b)[0], rtol=1e-3)
    x, info = solver(switchyard.matrix(lopsided), b)
    assert info == 0
    assert np.linalg.norm(lopsided @ x - b) <= 1e-3 * np.linalg.norm(b)


@pytest.mark.parametrize("name", ["lsqr", "lsmr"])
def test_least_squares(tall, name):
    b = right_hand_side(tall)
    check(tall, lambda A: getattr(linalg, name)(A, b)[0], rtol=1e-3)


@pytest.mark.parametrize("which", ["LM", "SA"])
def test_eigsh(poisson, which):
    v0 = right_hand_side(poisson)
    values = lambda A: np.sort(  # noqa: E731
        linalg.eigsh(A, k=4, which=which, v0=v0, return_eigenvectors=False)
    )
    check(poisson, values, rtol=1e-3)


def test_eigs(lopsided):
    v0 = right_hand_side(lopsided)
    values = lambda A: np.sort(  # noqa: E731
        np.abs(linalg.eigs(A, k=3, v0=v0, return_eigenvectors=False))
    )
    check(lopsided, values, rtol=1e-3)


@pytest.mark.parametrize("solver", ["arpack", "lobpcg"])
def test_svds(tall, solver):
    v0 = np.ones(30, tall.dtype)

    def singular_values(A):
        options = {"v0": v0} if solver == "arpack" else {"v0": v0, "maxiter": 200, "tol": 1e-6}
        found = linalg.svds(A, k=3, solver=solver, return_singular_vectors=False, **options)
        return np.sort(found)

    check(tall, singular_values, rtol=1e-2 if solver == "lobpcg" else 1e-3)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_lobpcg(poisson, rng):
    X = rng.standard_normal((SIZE, 3)).astype(poisson.dtype)
    solve = lambda A: linalg.lobpcg(A, X.copy(), largest=True, maxiter=200, tol=1e-4)[0]  # noqa: E731
    check(poisson, solve, rtol=1e-2)


def test_expm_multiply(lopsided):
    b = right_hand_side(lopsided)
    trace = lopsided.diagonal().sum()
    S = lopsided
    ours = linalg.expm_multiply(switchyard.matrix(S), b, traceA=trace)
    np.testing.assert_allclose(ours, linalg.expm_multiply(S, b), rtol=1e-3)


def test_onenormest(lopsided):
    check(lopsided, linalg.onenormest, rtol=1e-4)


def test_a_preconditioner(poisson):
    b = right_hand_side(poisson)
    M = switchyard.matrix(sparse.diags(1 / poisson.diagonal()).tocsr().astype(poisson.dtype))
    x, info = linalg.cg(switchyard.matrix(poisson), b, M=M)
    assert info == 0
    np.testing.assert_allclose(poisson @ x, b, atol=1e-4)


def test_operators_of_operators(lopsided, dtype):
    A = switchyard.matrix(lopsided)
    normal = A.T @ A
    x = right_hand_side(lopsided)
    expected = lopsided.T @ (lopsided @ x)
    np.testing.assert_allclose(normal @ x, expected, rtol=tolerance(dtype) * 10, atol=1e-4)


def test_back_to_scipy(lopsided):
    A = switchyard.matrix(lopsided)
    for ours, theirs in ((A, lopsided), (A.T, lopsided.T)):
        back = ours.to_scipy()
        assert back.format == theirs.format
        np.testing.assert_array_equal(back.toarray(), theirs.toarray())
        np.testing.assert_array_equal(ours.toarray(), theirs.toarray())
