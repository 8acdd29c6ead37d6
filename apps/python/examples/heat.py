"""Heat on a plate after some time, by SciPy's expm_multiply: python heat.py [SIDE]."""

from __future__ import annotations

import sys

import numpy as np
import scipy.sparse
from scipy.sparse.linalg import expm_multiply

import switchyard


def laplacian(side: int) -> scipy.sparse.csr_array:
    """Return the five-point stencil on a plate of `side` times `side` points."""
    line = scipy.sparse.diags_array([1.0, -2.0, 1.0], offsets=[-1, 0, 1], shape=(side, side))
    eye = scipy.sparse.eye_array(side)
    return (scipy.sparse.kron(line, eye) + scipy.sparse.kron(eye, line)).tocsr()


def main() -> None:
    """Compare with SciPy's own products, and say where ours were made."""
    side = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    S = laplacian(side)
    start = np.zeros((side, side))
    start[side // 2, side // 2] = 1
    A = switchyard.matrix(S)
    # expm_multiply cannot see the diagonal of a LinearOperator.
    warm = expm_multiply(A, start.ravel(), traceA=S.trace())
    difference = np.abs(warm - expm_multiply(S, start.ravel())).max()
    print(f"heat in the middle {warm.max():.4f}, largest difference {difference:.1e}")
    print(f"{A.counters['calls']} products, the last in {A.plan().state}")


if __name__ == "__main__":
    main()
