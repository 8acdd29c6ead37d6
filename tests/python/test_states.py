"""States, plans, what is said about them, and changing the contents."""

import copy
import pickle

import numpy as np
import pytest

import switchyard
from conftest import random_csr


@pytest.fixture
def A(rng):
    data, indices, indptr, dense = random_csr(rng, 60, 60, 0.2)
    return switchyard.matrix((data, indices, indptr), shape=(60, 60))


def test_states_are_made_pinned_and_dropped(A):
    x = np.ones(60)
    expected = A.toarray() @ x
    assert A.states == ["csr@host"] and A.pinned is None
    A.bring_to("dense@host")
    assert A.states == ["dense@host", "csr@host"]
    assert A.pin("dense@host") is A and A.pinned == "dense@host"
    np.testing.assert_allclose(A @ x, expected)
    assert A.history[-1].target == "dense@host" and A.history[-1].kind == "multiply"
    assert A.evict("csr@host") and not A.evict("csr@host")
    assert not A.evict("dense@host"), "the last copy is never dropped"
    A.unpin()
    assert A.pinned is None
    np.testing.assert_allclose(A @ x, expected)


@pytest.mark.parametrize("state", ["", "csr", "csr@mars", "unknown@host"])
def test_no_state(A, state):
    with pytest.raises(switchyard.Error, match="no state"):
        A.pin(state)


def test_a_state_on_a_device_that_is_not_there(A):
    with pytest.raises(switchyard.ExecutionError) as caught:
        A.pin("csr@device7")
    assert caught.value.code == "device_unavailable"


def test_plans(A):
    A.expect_calls(500)
    plan = A.plan()
    assert plan.calls == 500 and plan.predicted_seconds > 0
    assert plan.steps[-1].kind == "multiply" and plan.steps[-1].calls == 500
    assert plan.state in {node["state"] for node in plan.to_dict()["nodes"]}
    assert plan.state not in plan.alternatives
    assert list(plan.alternatives.values()) == sorted(plan.alternatives.values())
    assert plan.state in repr(plan)
    assert A.plan(columns=16).to_dict()["columns"] == 16
    assert A.T.plan().to_dict()["transposed"] is True


def test_the_hint_counts_down_and_belongs_to_a_request(A):
    A.expect_calls(10, transposed=20)
    A @ np.ones(60)
    A.T @ np.ones(60)
    A.T @ np.ones(60)
    assert A.plan().calls == 9 and A.T.plan().calls == 18
    A.T.expect_calls(7, columns=4)
    assert A.T.plan(columns=4).calls == 7
    with pytest.raises(switchyard.InvalidInputError):
        A.expect_calls(0)
    with pytest.raises(switchyard.InvalidInputError):
        A.expect_calls(-1)
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        A.expect_calls(1.5)


def test_explanations(A):
    A.expect_calls(100)
    explanation = A.explain()
    page = str(explanation)
    assert "multiply" in page and explanation.state in page
    assert repr(explanation) == page
    document = explanation.to_dict()
    assert document["matrix"]["rows"] == 60 and document["precision"] == "double"
    assert document["plan"]["predicted_seconds"] == explanation.predicted_seconds
    html = explanation._repr_html_()
    assert html.startswith("<table>") and explanation.state in html
    assert "<pre>" in html and "&gt;" in html or "->" not in page


def test_counters_and_history(A):
    for _ in range(5):
        A @ np.ones(60)
    A.T @ np.ones((60, 2))
    counters = A.counters
    assert counters["calls"] == 6
    assert sum(step.calls for step in A.history if step.kind == "multiply") >= 1
    assert switchyard.default_runtime().counters["calls"] >= 6


def test_a_repr_says_where_the_matrix_is(A):
    A.bring_to("dense@host")
    A @ np.ones(60)
    text = repr(A)
    assert text.startswith("<switchyard.Matrix 60×60 float64, ")
    assert f"{A.nnz} stored" in text and "csr@host" in text and "dense@host" in text
    assert text.endswith("1 product>")
    assert "in csr@host, 0 products" in repr(switchyard.matrix(A, copy=True))


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda A: pickle.loads(pickle.dumps(A))]
)
def test_copies_keep_contents_pin_and_hint(A, duplicate):
    A.expect_calls(50).pin("csr@host")
    A @ np.ones(60)
    B = duplicate(A)
    np.testing.assert_array_equal(B.toarray(), A.toarray())
    assert B.pinned == "csr@host" and B.dtype == A.dtype
    B.unpin()
    assert B.plan().calls == 49
    B.update(np.zeros(B.nnz))
    assert A.toarray().any()
    np.testing.assert_array_equal(duplicate(A.T).toarray(), A.toarray().T)


def test_dense_matrices_are_pickled_dense(rng):
    dense = rng.standard_normal((5, 7)).astype(np.float32)
    B = pickle.loads(pickle.dumps(switchyard.matrix(dense)))
    assert B.states == ["dense@host"] and B.dtype == np.float32
    np.testing.assert_array_equal(B.toarray(), dense)


def test_update_replaces_elements_and_writes_no_borrowed_array(rng):
    data, indices, indptr, dense = random_csr(rng, 30, 20)
    kept = data.copy()
    A = switchyard.matrix((data, indices, indptr), shape=(30, 20), copy=False)
    A.bring_to("dense@host")
    assert A.update(3 * data) is A
    np.testing.assert_allclose(A @ np.ones(20), 3 * dense.sum(axis=1))
    np.testing.assert_allclose(A.T @ np.ones(30), 3 * dense.sum(axis=0))
    np.testing.assert_array_equal(data, kept)
    A.update(dense + 1)
    np.testing.assert_allclose(A.toarray(), dense + 1)


def test_updates_that_do_not_fit(A):
    before = A.toarray()
    for wrong in (np.ones(3), np.ones((2, 2)), np.ones((60, 60, 1))):
        with pytest.raises(ValueError):
            A.update(wrong)
    with pytest.raises(TypeError, match="complex"):
        A.update(np.ones(A.nnz) * 1j)
    with pytest.raises(ValueError, match="transpose"):
        A.T.update(np.ones(A.nnz))
    np.testing.assert_array_equal(A.toarray(), before)


def test_assign_replaces_the_contents(A, rng):
    data, indices, indptr, dense = random_csr(rng, 60, 60, 0.5)
    transposed = A.T
    assert A.assign((data, indices, indptr)) is A
    np.testing.assert_array_equal(A.toarray(), dense)
    np.testing.assert_allclose(transposed @ np.ones(60), dense.sum(axis=0))
    A.assign(2 * dense)
    np.testing.assert_array_equal(A.toarray(), 2 * dense)
    with pytest.raises(ValueError, match=r"A is \(60, 60\), this is \(3, 3\)"):
        A.assign(np.eye(3))


def test_errors_are_also_what_python_expects(tmp_path):
    with pytest.raises(OSError) as missing:
        switchyard.matrix(tmp_path / "missing.mtx")
    assert isinstance(missing.value, switchyard.FileError)
    assert missing.value.code == "io_error" and "missing.mtx" in missing.value.where
    (tmp_path / "bad.mtx").write_text("no header\n")
    with pytest.raises(ValueError) as bad:
        switchyard.matrix(tmp_path / "bad.mtx")
    assert bad.value.code == "parse_error"
    (tmp_path / "complex.mtx").write_text("%%MatrixMarket matrix array complex general\n1 1\n1 2\n")
    with pytest.raises(NotImplementedError) as unsupported:
        switchyard.matrix(tmp_path / "complex.mtx")
    assert unsupported.value.code == "unsupported"
    again = pickle.loads(pickle.dumps(missing.value))
    assert type(again) is type(missing.value)
    assert (again.code, again.where, str(again)) == (
        "io_error", missing.value.where, str(missing.value),
    )  # fmt: skip
    for name, base in {
        "InvalidInputError": ValueError, "OutOfMemoryError": MemoryError, "FileError": OSError,
        "UnsupportedError": NotImplementedError, "ExecutionError": RuntimeError,
    }.items():  # fmt: skip
        assert issubclass(getattr(switchyard, name), (switchyard.Error, base))
        assert issubclass(getattr(switchyard, name), base)


def test_a_budget_that_is_exceeded_raises_memory_error(rng):
    small = switchyard.Runtime(devices="none", host_budget=1 << 16)
    data, indices, indptr, dense = random_csr(rng, 300, 300, 0.01)
    A = switchyard.matrix((data, indices, indptr), shape=(300, 300), runtime=small)
    np.testing.assert_allclose(A @ np.ones(300), dense.sum(axis=1))
    A.pin("dense@host")
    with pytest.raises(MemoryError) as caught:
        A @ np.ones(300)
    assert caught.value.code == "out_of_memory"
    A.unpin()
    np.testing.assert_allclose(A @ np.ones(300), dense.sum(axis=1))
