"""Making matrices: from arrays, files and pickles."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _core
from ._matrix import Matrix
from ._runtime import Runtime, default_runtime
from ._sources import Compressed, Copying, Source, element_type, from_object

_HANDLES: dict[str, Any] = {"float32": _core.MatrixFloat32, "float64": _core.MatrixFloat64}


def matrix(
    obj: Any,
    dtype: Any = None,
    copy: bool | None = None,
    *,
    shape: tuple[int, int] | None = None,
    runtime: Runtime | None = None,
    lenient: bool = False,
) -> Matrix:
    """Make a matrix.

    Args:
        obj: a SciPy sparse matrix or array, a two-dimensional array, ``(data, indices, indptr)``
            of CSR with ``shape``, an object with ``__dlpack__`` on the CPU, or a path: ``.mtx``,
            ``.mtx.gz``, SuiteSparse's ``.tar.gz``, or ``.npz`` as ``scipy.sparse.save_npz``
            writes it.
        dtype: float32 or float64; by default that of ``obj``. Integers and booleans become
            float64.
        copy: ``None`` borrows arrays where it can, and copies otherwise; ``False`` raises
            ``ValueError`` where a copy is needed; ``True`` always copies. Borrowed arrays are kept
            alive. After writing to them, call :meth:`Matrix.update`.
        shape: of ``(data, indices, indptr)``.
        runtime: the devices and the profile to use, by default the common ones.
        lenient: accept Matrix Market files that deviate from the format in known ways.

    Raises:
        TypeError: ``obj`` is no matrix, elements are complex or no numbers, or an array is on a
            device.
        ValueError: the arrays are no matrix, or ``copy=False`` and a copy is needed.
    """
    if isinstance(obj, Matrix):
        if copy is not True and (dtype is None or obj.dtype == dtype):
            return obj
        obj = obj.to_scipy()
    if runtime is not None and not isinstance(runtime, Runtime):
        raise TypeError(f"runtime must be a Runtime, not {type(runtime).__name__}")
    runtime = runtime or default_runtime()
    if isinstance(obj, (str, os.PathLike)) and not os.fspath(obj).endswith(".npz"):
        kind = _HANDLES[element_type(dtype or np.float64).name]
        return Matrix(kind.read(runtime._core, os.fspath(obj), lenient), runtime)
    copying = Copying(copy)
    return _made(from_object(obj, dtype, shape, copying), copying, runtime)


def _made(source: Source, copying: Copying, runtime: Runtime) -> Matrix:
    """Make the matrix of prepared arrays."""
    kind = _HANDLES[source.data.dtype.name]
    make = kind.compressed if isinstance(source, Compressed) else kind.dense
    return Matrix(make(runtime._core, *source.arguments(copying)), runtime)


def unpickled(contents: Any, shape: tuple, dtype: Any, pin: str | None, hint: Any) -> Matrix:
    """Make a pickled matrix again. A state that this machine does not have is no reason to fail."""
    if isinstance(contents, tuple):
        made = matrix(contents, dtype, shape=shape)
    else:
        made = matrix(contents, dtype)
    if pin is not None and pin.endswith("@host"):
        made.pin(pin)
    if hint is not None:
        made.expect_calls(*hint)
    return made


def transpose_of(of: Matrix) -> Matrix:
    """Return the transpose of a pickled matrix."""
    return of.T
