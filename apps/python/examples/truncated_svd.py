"""The largest singular values of a sparse matrix: python truncated_svd.py [ROWS].

Block power iteration multiplies by the matrix and by its transpose, 16 columns at a time (Halko,
Martinsson and Tropp, "Finding structure with randomness", SIAM Review 53, 2011, algorithm 4.4).
"""

from __future__ import annotations

import sys

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

import switchyard

COLUMNS = 16
ROUNDS = 12


def terms_in_documents(rows: int) -> scipy.sparse.csr_array:
    """Return counts of words, some of which are in many documents."""
    random = np.random.default_rng(2)
    words = max(rows // 4, COLUMNS + 1)
    entries = 30 * rows
    documents = random.integers(rows, size=entries)
    terms = (words * random.random(entries) ** 4).astype(np.int64)
    counts = scipy.sparse.coo_array(
        (np.ones(entries), (documents, terms)), shape=(rows, words)
    ).tocsr()
    counts.sum_duplicates()
    return counts


def singular_values(matrix, columns: int) -> np.ndarray:
    """Return as many singular values, descending."""
    random = np.random.default_rng(3)
    basis = matrix @ random.standard_normal((matrix.shape[1], columns))
    for _ in range(ROUNDS):
        basis = np.linalg.qr(basis)[0]
        basis = np.linalg.qr(matrix.T @ basis)[0]
        basis = matrix @ basis
    basis = np.linalg.qr(basis)[0]
    return np.linalg.svd(matrix.T @ basis, compute_uv=False)


def main() -> None:
    """Compare with SciPy, and say where the products were made."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    S = terms_in_documents(rows)
    A = switchyard.matrix(S)
    A.expect_calls(ROUNDS + 1, transposed=ROUNDS + 1, columns=COLUMNS)
    found = singular_values(A, COLUMNS)[:4]
    expected = np.sort(scipy.sparse.linalg.svds(S, k=4, return_singular_vectors=False))[::-1]
    print("singular values", np.round(found, 3))
    print(f"largest relative difference {np.max(np.abs(found / expected - 1)):.1e}")
    print(f"{A.counters['calls']} products with {COLUMNS} columns, copies in {A.states}")


if __name__ == "__main__":
    main()
