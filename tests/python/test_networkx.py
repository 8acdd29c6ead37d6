"""The NetworkX backend."""

import numpy as np
import pytest

networkx = pytest.importorskip("networkx", minversion="3.4")
pytest.importorskip("scipy")

from switchyard.networkx import backend, backend_info  # noqa: E402


@pytest.fixture
def graph():
    made = networkx.gnp_random_graph(60, 0.08, seed=4, directed=True)
    networkx.set_edge_attributes(
        made, {edge: 1 + i % 5 for i, edge in enumerate(made.edges)}, "weight"
    )
    made.add_node("alone")
    return made


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"alpha": 0.6},
        {"weight": None},
        {"personalization": {0: 1, 5: 2}},
        {"dangling": {1: 1}},
        {"nstart": {0: 1.0, 3: 2.0}, "tol": 1e-9, "max_iter": 300},
    ],
)
def test_ranks_are_networkxs(graph, options):
    expected = networkx.pagerank(graph, **options)
    actual = backend.pagerank(graph, **options)
    assert list(actual) == list(expected)
    np.testing.assert_allclose(list(actual.values()), list(expected.values()), atol=1e-5)


def test_edge_cases(graph):
    assert backend.pagerank(networkx.DiGraph()) == {}
    with pytest.raises(networkx.PowerIterationFailedConvergence):
        backend.pagerank(graph, max_iter=1, tol=1e-15)
    with pytest.raises(ZeroDivisionError):
        backend.pagerank(graph, personalization={"nobody": 1})


def test_networkx_finds_the_backend(graph):
    assert set(backend_info()["functions"]) == {"pagerank"}
    if "switchyard" not in networkx.utils.backends.backends:
        pytest.skip("the package is not installed, so that there is no entry point")
    expected = networkx.pagerank(graph)
    actual = networkx.pagerank(graph, backend="switchyard")
    np.testing.assert_allclose(list(actual.values()), list(expected.values()), atol=1e-6)
