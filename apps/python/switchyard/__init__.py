"""Repeated products of one matrix, in whichever format and on whichever device is fastest.

    >>> import switchyard
    >>> A = switchyard.matrix(S)      # SciPy sparse, NumPy, a path, ...
    >>> y = A @ x
    >>> print(A.explain())

``Matrix`` is a SciPy ``LinearOperator`` where SciPy is installed. ``accelerate(S)`` returns a
``csr_array`` for programs that want one. See docs/python.md.
"""

from __future__ import annotations

import atexit as _atexit
import os as _os
from typing import TYPE_CHECKING, Any

from . import _core
from ._errors import (
    Error,
    ExecutionError,
    FileError,
    InvalidInputError,
    OutOfMemoryError,
    UnsupportedError,
)
from ._machine import Report, calibrate, devices, doctor
from ._plan import Explanation, Plan, Step
from ._runtime import Runtime, default_runtime, trace
from ._vector import Vector

if TYPE_CHECKING:
    from ._accelerate import accelerate
    from ._making import matrix
    from ._matrix import Matrix

__version__: str = _core.version

__all__ = [
    "Error",
    "ExecutionError",
    "Explanation",
    "FileError",
    "InvalidInputError",
    "Matrix",
    "OutOfMemoryError",
    "Plan",
    "Report",
    "Runtime",
    "Step",
    "UnsupportedError",
    "Vector",
    "accelerate",
    "calibrate",
    "default_runtime",
    "devices",
    "doctor",
    "matrix",
    "read_matrix_market",
    "trace",
]

_LAZY = {"Matrix": "_matrix", "matrix": "_making", "accelerate": "_accelerate"}


def read_matrix_market(path: str | _os.PathLike[str], dtype: Any = None, **options: Any) -> Matrix:
    """Read a ``.mtx`` or ``.mtx.gz`` file; the same as ``matrix(path)``."""
    from ._making import matrix

    return matrix(path, dtype, **options)


def __getattr__(name: str) -> Any:
    """Import what needs SciPy when it is first used: that takes a third of a second."""
    if name not in _LAZY:
        raise AttributeError(f"module 'switchyard' has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the lazy names, too."""
    return sorted({*globals(), *_LAZY})


# A thread that is in a product when the interpreter ends must not come back into it.
_atexit.register(_core.stop_other_threads)

# A child process must find no lock taken by a thread that it does not have.
_os.register_at_fork(
    before=_core.before_fork,
    after_in_parent=_core.after_fork,
    after_in_child=_core.after_fork_in_child,
)
