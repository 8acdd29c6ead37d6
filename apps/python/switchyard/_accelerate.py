"""SciPy's compressed arrays with Switchyard's products."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import scipy.sparse

from ._making import matrix
from ._matrix import Matrix
from ._runtime import Runtime

# In place, on the arrays that a matrix borrows.
_WRITING = (
    "__setitem__", "__imul__", "__itruediv__", "__iadd__", "__isub__", "__idiv__",
    "eliminate_zeros", "prune", "resize", "setdiag", "sort_indices", "sum_duplicates",
)  # fmt: skip
_ARRAYS = ("data", "indices", "indptr")


_Mixin: Any = object  # of csr_array or csc_array, which come next in the order of methods


class _Accelerated(_Mixin):
    """What both classes add: products by a :class:`Matrix` on the same arrays.

    The matrix is made at the first product. It is dropped when one of the arrays is replaced, or
    when a method writes to them.
    """

    _switchyard: Matrix | None = None
    _switchyard_runtime: Runtime | None = None

    @property
    def matrix(self) -> Matrix:
        """The matrix behind the products, for ``explain()``, ``pin`` and ``expect_calls``."""
        if self._switchyard is None:
            self._switchyard = matrix(self, runtime=self._switchyard_runtime)
        return self._switchyard

    def refresh(self) -> Any:
        """Forget the matrix, after ``S.data[...] = ...``, which nothing can see. Returns S."""
        self.__dict__.pop("_switchyard", None)
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        """Forget the matrix where an array is replaced."""
        if name in _ARRAYS:
            self.refresh()
        super().__setattr__(name, value)

    def __matmul__(self, other: Any) -> Any:
        """Return S x."""
        y = self._fast(other)
        return super().__matmul__(other) if y is None else y

    def dot(self, other: Any) -> Any:
        """Return S x."""
        y = self._fast(other)
        return super().dot(other) if y is None else y

    def __rmatmul__(self, other: Any) -> Any:
        """Return x S."""
        if isinstance(other, np.ndarray) and other.ndim in (1, 2) and self._takes(other):
            if other.shape[-1] == self.shape[0]:
                return other @ self.matrix
        return super().__rmatmul__(other)

    def _fast(self, x: Any) -> Any:
        """Return the product, or None where SciPy has to compute it."""
        if type(x) is not np.ndarray:
            return None
        # The extension checks x itself: what it takes needs no check here, which costs more.
        made = self._switchyard
        if made is not None and (y := made._matmul(x)) is not None:
            return y
        if not self._takes(x):
            return None
        if x.ndim not in (1, 2) or x.shape[0] != self.shape[1]:
            return None
        return self.matrix @ x

    def _takes(self, x: np.ndarray) -> bool:
        """Whether the product has this element type in SciPy, too."""
        dtype = self.dtype
        if dtype != np.float64 and dtype != np.float32:
            return False
        return x.dtype == dtype or (x.dtype.kind in "biuf" and np.result_type(x, dtype) == dtype)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the arrays only."""
        return {
            name: value
            for name, value in self.__dict__.items()
            if name not in ("_switchyard", "_switchyard_runtime")
        }

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        """Return the transpose, whose products are accelerated, too."""
        if copy or axes not in (None, (1, 0), [1, 0]):
            return super().transpose(axes, copy=copy)
        kind = AcceleratedCsc if isinstance(self, AcceleratedCsr) else AcceleratedCsr
        rows, cols = self.shape
        arrays = (self.data, self.indices, self.indptr)
        result = kind(arrays, shape=(cols, rows), copy=False)
        if self._switchyard is not None:
            result.__dict__["_switchyard"] = self._switchyard.T
        result.__dict__["_switchyard_runtime"] = self._switchyard_runtime
        return result

    @property
    def T(self) -> Any:  # noqa: N802
        """The transpose, whose products are accelerated, too."""
        return self.transpose()


class AcceleratedCsr(_Accelerated, scipy.sparse.csr_array):
    """A ``scipy.sparse.csr_array`` whose products are Switchyard's."""


class AcceleratedCsc(_Accelerated, scipy.sparse.csc_array):
    """A ``scipy.sparse.csc_array`` whose products are Switchyard's."""


def _forgetting(name: str, method: Any) -> Any:
    """Wrap a method that writes to the arrays."""

    @functools.wraps(method)
    def forgets(self: Any, *args: Any, **kwargs: Any) -> Any:
        self.refresh()
        return method(self, *args, **kwargs)

    return forgets


for _class in (AcceleratedCsr, AcceleratedCsc):
    for _name in _WRITING:
        if _method := getattr(_class, _name, None):
            setattr(_class, _name, _forgetting(_name, _method))


def accelerate(S: Any, dtype: Any = None, runtime: Runtime | None = None) -> AcceleratedCsr:  # noqa: N803
    """Return a ``csr_array`` whose products with dense arrays are Switchyard's.

    It is for programs that want SciPy's own type: scikit-learn, pyamg. Everything that is not a
    product with a dense array stays SciPy's, and so do products that SciPy computes in a wider
    element type. The arrays are shared where ``S`` is CSR and ``dtype`` is its own.
    After ``S.data[...] = ...`` call ``S.refresh()``.

    Args:
        S: a SciPy sparse matrix or array, or what ``csr_array`` takes.
        dtype: convert the elements.
        runtime: the devices and the profile to use.
    """
    csr = scipy.sparse.csr_array(S, dtype=dtype)
    if csr.dtype.kind == "c":
        raise TypeError("complex matrices are not supported: use the real and imaginary parts")
    result = AcceleratedCsr((csr.data, csr.indices, csr.indptr), shape=csr.shape, copy=False)
    result.__dict__["_switchyard_runtime"] = runtime
    return result
