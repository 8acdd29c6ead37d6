"""Vectors that stay where products leave them, for loops that never need them on the host."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._runtime import Runtime, default_runtime


class Vector:
    """A vector whose elements are on the host, on devices, or both.

    ``A @ v`` and ``A.multiply(v, out=w)`` leave their result where it was computed. The operations
    below run where their operands are. :meth:`get` and ``numpy.asarray`` copy to the host.

    Args:
        values: the elements, or a number of elements, which are then 0.
        dtype: float32 or float64; by default that of ``values``, else float64.
        runtime: the devices; vectors and matrices that meet need the same one.
    """

    __array_ufunc__ = None

    def __init__(self, values: Any, dtype: Any = None, *, runtime: Runtime | None = None) -> None:
        """Make a vector and copy the elements."""
        array = None if isinstance(values, (int, np.integer)) else np.asarray(values)
        if array is not None and array.dtype.kind not in "biuf":
            raise TypeError(f"a Vector has elements that are real numbers, not {array.dtype}")
        if array is not None and array.ndim != 1:
            raise ValueError(f"a Vector has 1 dimension, this has {array.ndim}")
        size = int(values) if array is None else array.size
        given = np.float64 if array is None or array.dtype != np.float32 else np.float32
        self.dtype = np.dtype(dtype or given)
        self.shape = (size,)
        self._runtime = runtime or default_runtime()
        if self.dtype not in (np.float32, np.float64):
            raise TypeError(f"a Vector has elements of float32 or float64, not {self.dtype}")
        kind = _core.VectorFloat32 if self.dtype == np.float32 else _core.VectorFloat64
        self._core = kind(self._runtime._core, size)
        if array is not None:
            self.set(array)

    def __len__(self) -> int:
        """Return the number of elements."""
        return self.shape[0]

    @property
    def spaces(self) -> list[str]:
        """Where the elements are: ``["host"]``, ``["device0"]``, or several."""
        return self._core.spaces()

    def get(self) -> np.ndarray:
        """Return the elements in a new array."""
        array = np.empty(self.shape, self.dtype)
        if array.size:
            self._core.copy_to(array)
        return array

    def set(self, values: Any) -> Vector:
        """Replace the elements; return the vector."""
        array = np.require(np.asarray(values), self.dtype, ["C", "A"])
        if array.shape != self.shape:
            raise ValueError(f"dimension mismatch: the vector is {self.shape}, not {array.shape}")
        if array.size:
            self._core.copy_from(array)
        return self

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Return the elements on the host."""
        if copy is False:
            raise ValueError("the elements of a Vector are always copied to the host")
        return self.get().astype(dtype or self.dtype, copy=False)

    def __dlpack__(self, **options: Any) -> Any:
        """Return the elements on the host for another library."""
        return self.get().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Say that they are on the CPU."""
        return (1, 0)

    def dot(self, other: Vector) -> float:
        """Return the dot product with another vector."""
        return self._core.dot(self._same(other))

    __matmul__ = dot

    def sum(self) -> float:
        """Return the sum of the elements."""
        return self._core.sum()

    def norm(self) -> float:
        """Return the Euclidean norm."""
        return self._core.norm()

    def axpby(self, a: float, x: Vector, b: float = 1.0) -> Vector:
        """Compute ``self = a x + b self``; return the vector."""
        self._core.axpby(a, self._same(x), b)
        return self

    def scale(self, a: float) -> Vector:
        """Multiply the elements by ``a``; return the vector."""
        self._core.scale(a)
        return self

    def fill(self, value: float) -> Vector:
        """Set each element; return the vector."""
        self._core.fill(value)
        return self

    def add_scalar(self, value: float) -> Vector:
        """Add to each element; return the vector."""
        self._core.add_scalar(value)
        return self

    def relu(self) -> Vector:
        """Replace negative elements by 0; return the vector."""
        self._core.relu()
        return self

    def __reduce__(self) -> Any:
        """Say how to pickle or copy a vector: it belongs to a runtime, which cannot be pickled."""
        raise TypeError("a Vector cannot be pickled or copied: use v.get(), and Vector(array)")

    def _same(self, other: Any) -> Any:
        """Return the C++ part of a vector of this type and size."""
        if not isinstance(other, Vector):
            raise TypeError(f"this needs a Vector, not {type(other).__name__}")
        if other.dtype != self.dtype:
            raise TypeError(f"a vector is {self.dtype}, the other {other.dtype}")
        if other.shape != self.shape:
            raise ValueError(f"dimension mismatch: a vector is {self.shape}, not {other.shape}")
        return other._core

    def __repr__(self) -> str:
        """Say where the elements are."""
        return f"<switchyard.Vector {len(self)} {self.dtype}, on {', '.join(self.spaces)}>"
