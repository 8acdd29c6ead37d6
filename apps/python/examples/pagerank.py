"""PageRank of a random graph, with SciPy and with Switchyard: python pagerank.py [VERTICES]."""

from __future__ import annotations

import sys

import numpy as np
import scipy.sparse

import switchyard

DAMPING = 0.85
ROUNDS = 60


def random_links(vertices: int) -> scipy.sparse.csr_array:
    """Return who links to whom: a few vertices get most of the links."""
    random = np.random.default_rng(1)
    links = 8 * vertices
    sources = random.integers(vertices, size=links)
    targets = (vertices * random.random(links) ** 3).astype(np.int64)
    ones = np.ones(links)
    graph = scipy.sparse.coo_array((ones, (sources, targets)), shape=(vertices, vertices)).tocsr()
    graph.data[:] = 1
    return graph


def transition_matrix(graph: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
    """Return the matrix whose product moves rank along the links."""
    out_degrees = np.maximum(graph.sum(axis=1), 1)
    return (scipy.sparse.diags_array(1 / out_degrees) @ graph).T.tocsr()


def pagerank(matrix, vertices: int) -> np.ndarray:
    """Return the ranks. `matrix` is anything that multiplies vectors."""
    ranks = np.full(vertices, 1 / vertices)
    for _ in range(ROUNDS):
        ranks = DAMPING * (matrix @ ranks)
        ranks += (1 - ranks.sum()) / vertices
    return ranks


def main() -> None:
    """Compare both, and say where the products were made."""
    vertices = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    S = transition_matrix(random_links(vertices))
    A = switchyard.matrix(S).expect_calls(ROUNDS)
    ranks = pagerank(A, vertices)
    difference = np.abs(ranks - pagerank(S, vertices)).max()
    print(f"largest rank {ranks.max():.3g}, largest difference {difference:.1e}")
    print(f"{A.counters['calls']} products, the last in {A.plan().state}")


if __name__ == "__main__":
    main()
