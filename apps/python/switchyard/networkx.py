"""A backend for NetworkX: ``nx.pagerank(G, backend="switchyard")``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._making import matrix

__all__ = ["backend", "backend_info"]


class _Backend:
    """The functions that NetworkX may call in place of its own."""

    @staticmethod
    def convert_from_nx(graph: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the graph as it is: functions below read NetworkX's own."""
        return graph

    @staticmethod
    def convert_to_nx(result: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the result as it is."""
        return result

    @staticmethod
    def pagerank(
        G: Any,  # noqa: N803
        alpha: float = 0.85,
        personalization: dict | None = None,
        max_iter: int = 100,
        tol: float = 1e-06,
        nstart: dict | None = None,
        weight: str | None = "weight",
        dangling: dict | None = None,
    ) -> dict:
        """Return the PageRank of the nodes, as ``networkx.pagerank`` defines it."""
        import networkx

        nodes = list(G)
        if not nodes:
            return {}
        links = networkx.to_scipy_sparse_array(G, weight=weight, dtype=float, format="csr")
        out = np.asarray(links.sum(axis=1)).ravel()
        scale = np.divide(1.0, out, out=np.zeros_like(out), where=out != 0)
        incoming = matrix(links).T
        jump = _distribution(personalization, nodes, "personalization")
        idle = jump if dangling is None else _distribution(dangling, nodes, "dangling")
        ranks = _distribution(nstart, nodes, "nstart")
        without_links = out == 0
        for _ in range(max_iter):
            before = ranks
            ranks = alpha * (incoming @ (before * scale) + before[without_links].sum() * idle)
            ranks += (1 - alpha) * jump
            if np.abs(ranks - before).sum() < len(nodes) * tol:
                return dict(zip(nodes, map(float, ranks), strict=True))
        raise networkx.PowerIterationFailedConvergence(max_iter)


def _distribution(weights: dict | None, nodes: list, what: str) -> np.ndarray:
    """Return weights of nodes with the sum 1; the same for each without weights."""
    if weights is None:
        return np.full(len(nodes), 1 / len(nodes))
    values = np.array([weights.get(node, 0) for node in nodes], dtype=float)
    if values.sum() == 0:
        raise ZeroDivisionError(f"the values of {what} add up to 0")
    return values / values.sum()


backend = _Backend()


def backend_info() -> dict[str, Any]:
    """Describe the backend to NetworkX."""
    return {
        "backend_name": "switchyard",
        "project": "Switchyard",
        "package": "switchyard",
        "short_summary": "PageRank whose products run in the fastest format and place.",
        "functions": {"pagerank": {}},
    }
