"""Compares products with SciPy's: python apps/python/benchmarks/against_scipy.py [MATRIX...].

Without arguments it measures a call on a 16 x 16 matrix, making a matrix of 100 MB of CSR arrays,
and generated matrices. No numbers of calls are hinted. SciPy allocates each result; "with out" is
ours into an array that is there. What is compared takes turns, and each figure is a median. On a
machine that does other work, only ratios mean something.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import scipy.sparse

import switchyard

TURNS = 9
SECONDS_PER_TURN = 0.05


def seconds(call: Callable[[], object], repeats: int) -> float:
    """Return the time of one call, from so many of them."""
    begin = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - begin) / repeats


def race(*calls: Callable[[], object]) -> list[float]:
    """Return the median time of each call; they take turns."""
    repeats = []
    for call in calls:
        for _ in range(20):  # until plans are settled
            call()
        repeats.append(max(1, int(SECONDS_PER_TURN / max(seconds(call, 3), 1e-7))))
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(TURNS):
        for spent, call, count in zip(times, calls, repeats, strict=True):
            spent.append(seconds(call, count))
    return [statistics.median(spent) for spent in times]


def small_calls() -> None:
    """Measure the overhead of a call."""
    S = scipy.sparse.random(16, 16, 0.3, format="csr", random_state=1)
    A, x, out = switchyard.matrix(S), np.ones(16), np.empty(16)
    ours, in_place, scipys = race(lambda: A @ x, lambda: A.multiply(x, out), lambda: S @ x)
    print(
        f"16 x 16: A @ x {1e6 * ours:.2f} us, A.multiply(x, out) {1e6 * in_place:.2f} us, "
        f"SciPy {1e6 * scipys:.2f} us"
    )


def borrowing() -> None:
    """Measure making a matrix of 100 MB of CSR arrays.

    The search for few distinct values ends early where there are many, and reads all where all are
    the same.
    """
    rows, per_row = 1_660_000, 5
    indices = (np.arange(rows, dtype=np.int32)[:, None] + np.arange(per_row, dtype=np.int32)) % rows
    indices.sort(axis=1)
    indptr = np.arange(0, rows * per_row + 1, per_row, dtype=np.int32)
    pattern = indices.reshape(-1), indptr
    of_ones = np.ones(rows * per_row), *pattern
    distinct = np.random.default_rng(1).standard_normal(rows * per_row), *pattern
    times = race(
        lambda: switchyard.matrix(distinct, shape=(rows, rows), copy=False),
        lambda: switchyard.matrix(of_ones, shape=(rows, rows), copy=False),
    )
    megabytes = sum(array.nbytes for array in of_ones) / 1e6
    print(
        f"borrowing {megabytes:.0f} MB of CSR: {1e3 * times[0]:.2f} ms, "
        f"with one value everywhere {1e3 * times[1]:.2f} ms"
    )


def products(name: str, S: scipy.sparse.csr_array) -> tuple[float, float, float, float]:
    """Measure products with one matrix; return the speedups over SciPy."""
    rng = np.random.default_rng(1)
    x, X = rng.standard_normal(S.shape[1]), rng.standard_normal((S.shape[1], 16))
    A, F = switchyard.matrix(S), switchyard.accelerate(S)
    np.testing.assert_allclose(A @ x, S @ x, rtol=1e-8, atol=1e-8 * np.abs(S).max())
    ours, accelerated, scipys = race(lambda: A @ x, lambda: F @ x, lambda: S @ x)
    out = np.empty((S.shape[0], 16))
    ours_16, in_place_16, scipys_16 = race(
        lambda: A @ X, lambda: A.multiply(X, out), lambda: S @ X
    )
    speedups = (
        scipys / ours,
        scipys / accelerated,
        scipys_16 / ours_16,
        scipys_16 / in_place_16,
    )
    state = A.history[-1].target
    print(
        f"{name:44.44s} {S.nnz:9d} "
        f"{speedups[0]:8.2f} {speedups[1]:11.2f} {speedups[2]:11.2f} {speedups[3]:10.2f}  {state}",
        flush=True,
    )
    return speedups


def read(files: list[Path]) -> Iterator[tuple[str, scipy.sparse.csr_array]]:
    """Read Matrix Market files; what is complex is left out."""
    for file in files:
        try:
            yield file.name, switchyard.matrix(file, lenient=True).to_scipy()
        except NotImplementedError as error:
            print(f"left out: {error}")


def generated() -> Iterator[tuple[str, scipy.sparse.csr_array]]:
    """Make random matrices with five elements in a row."""
    for n in (200, 2_000, 20_000, 200_000):
        yield (
            f"random {n} x {n}",
            scipy.sparse.random_array((n, n), density=5 / n, format="csr", rng=1),
        )


def main() -> None:
    """Measure what is asked for."""
    files = [Path(argument) for argument in sys.argv[1:]]
    small_calls()
    borrowing()
    print(
        f"\n{'speedup over SciPy':44s} {'nonzeros':>9s} {'A @ x':>8s} {'accelerate':>11s} "
        f"{'16 columns':>11s} {'with out':>10s}  state"
    )
    sets = read(files) if files else generated()
    results = [(S.nnz, *products(name, S)) for name, S in sets if S.nnz >= 1000]
    for least in (1_000, 100_000):
        kept = np.array([speedups for nnz, *speedups in results if nnz >= least])
        if len(kept):
            means, worst = np.exp(np.log(kept).mean(axis=0)), kept.min(axis=0)
            label = f"from {least} nonzeros: geometric mean, least"
            columns = "  ".join(f"{m:.2f}, {w:.2f}" for m, w in zip(means, worst, strict=True))
            print(f"{label:44s} {len(kept):9d} matrices: {columns}")


if __name__ == "__main__":
    main()
