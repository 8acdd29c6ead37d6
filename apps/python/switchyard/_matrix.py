"""The matrix: its products, its states and its plans."""

from __future__ import annotations

import importlib.util
import json
import operator
from typing import Any

import numpy as np

from . import _core
from ._plan import Explanation, Plan, Step, steps_from_json
from ._runtime import Runtime
from ._sources import Compressed, Copying, element_type, from_object
from ._vector import Vector

if importlib.util.find_spec("scipy") is not None:
    from scipy.sparse.linalg import LinearOperator as _Base
else:

    class _Base:  # type: ignore[no-redef]
        """Stands in for SciPy's LinearOperator where there is no SciPy."""

        def __init__(self, dtype: Any, shape: tuple[int, int]) -> None:
            self.dtype, self.shape = dtype, shape


class Matrix(_Base):
    """A matrix that is kept in the formats, and on the devices, where its products are fastest.

    Made by :func:`switchyard.matrix`. With SciPy installed it is a
    ``scipy.sparse.linalg.LinearOperator``, which SciPy's solvers take. Any number of threads may
    multiply with one matrix at once; other Python threads run during a product. ``A.T`` shares the
    matrix: nothing is copied.
    """

    ndim = 2
    __array_ufunc__ = None  # so that ``ndarray @ A`` comes here
    __hash__ = object.__hash__

    def __new__(cls, *args: Any, **kwargs: Any) -> Matrix:
        """Make an instance without LinearOperator's search for overridden methods."""
        return object.__new__(cls)

    def __init__(self, handle: Any, runtime: Runtime) -> None:
        """Wrap a handle of the C++ part; use :func:`switchyard.matrix`."""
        dtype = np.dtype(np.float32 if isinstance(handle, _core.MatrixFloat32) else np.float64)
        super().__init__(dtype, (handle.rows, handle.cols))
        self._handle = handle
        self._runtime = runtime
        self._matmul = handle.matmul
        self._transposed: Matrix | None = None
        self._hint: tuple[int, int, int, int] | None = None

    # Products

    def __matmul__(self, x: Any) -> Any:
        """Return A x for a vector, several vectors in columns, or a :class:`Vector`."""
        y = self._matmul(x)
        return self._product(x) if y is None else y

    def __rmatmul__(self, x: Any) -> Any:
        """Return x A, for a row vector or rows of them."""
        if isinstance(x, _Base):
            return NotImplemented
        if hasattr(x, "tocsr"):
            return x @ self.to_scipy()
        x = np.asarray(x)
        return self.T @ x if x.ndim == 1 else np.ascontiguousarray((self.T @ x.T).T)

    def __mul__(self, x: Any) -> Any:
        """Scale A by a number; otherwise the same as ``A @ x``, as in LinearOperator."""
        return self._scaled(x) if np.isscalar(x) else self @ x

    def __rmul__(self, x: Any) -> Any:
        """Scale A by a number."""
        return self._scaled(x) if np.isscalar(x) else NotImplemented

    def __call__(self, x: Any) -> Any:
        """Return A x, as LinearOperator does."""
        return self @ x

    def dot(self, x: Any) -> Any:
        """Return A x; the same as ``A @ x``."""
        return self @ x

    def matvec(self, x: Any, out: np.ndarray | None = None) -> np.ndarray:
        """Return A x for x of shape (cols,) or (cols, 1), in ``out`` if it is given."""
        if out is None:
            y = self._matmul(x)
            if y is not None and (y.ndim == 1 or y.shape[1] == 1):
                return y
        elif type(out) is np.ndarray and out.ndim == 1 and self._handle.multiply(x, out):
            return out
        return self._times(_vector_or_column(x, self.shape), out)

    def rmatvec(self, x: Any, out: np.ndarray | None = None) -> np.ndarray:
        """Return the transpose times x, in ``out`` if it is given."""
        return self.T.matvec(x, out)

    def matmat(self, x: Any, out: np.ndarray | None = None) -> np.ndarray:
        """Return A X for the columns of X, in ``out`` if it is given."""
        if np.ndim(x) != 2:
            raise ValueError(f"matmat needs 2 dimensions, x has {np.ndim(x)}")
        return self._times(x, out)

    def rmatmat(self, x: Any, out: np.ndarray | None = None) -> np.ndarray:
        """Return the transpose times the columns of X, in ``out`` if it is given."""
        return self.T.matmat(x, out)

    def multiply(self, x: Any, out: Any = None, alpha: float = 1.0, beta: float = 0.0) -> Any:
        """Compute ``out = alpha A x + beta out`` and return ``out``.

        ``out`` needs A's element type and the right shape. With ``beta`` 0 it is not read. Without
        ``out`` a new array is returned. ``x`` and ``out`` may be :class:`Vector`, which stay on a
        device.
        """
        if isinstance(x, Vector):
            return self._multiply_vector(x, out, alpha, beta)
        if out is not None and self._handle.multiply(x, out, alpha, beta):
            return out
        return self._times(x, out, alpha, beta)

    def _product(self, x: Any) -> Any:
        """Return A x for what the fast path did not take."""
        if isinstance(x, Vector):
            return self._multiply_vector(x, None, 1.0, 0.0)
        if isinstance(x, _Base):
            return super().dot(x)
        if hasattr(x, "tocsr"):
            return self.to_scipy() @ x
        return self._times(x, None)

    def _times(self, x: Any, out: Any, alpha: float = 1.0, beta: float = 0.0) -> np.ndarray:
        """Prepare x and out, and multiply."""
        x = self._operand(x)
        if out is None:
            beta = 0.0
            out = self._handle.result(x.shape[1] if x.ndim == 2 else None)
        else:
            self._check_out(out, (self.shape[0], *x.shape[1:]))
        target = out if out.flags.c_contiguous and out.flags.aligned else np.array(out, order="C")
        if x.size and target.size:
            done = self._handle.multiply(x, target, alpha, beta)
            assert done, "prepared arrays are refused"
        elif target.size:
            target *= beta if beta != 0 else 0
        if target is not out:
            out[...] = target
        return out

    def _operand(self, x: Any) -> np.ndarray:
        """Return x as an array of this element type, or raise what NumPy would."""
        x = np.asarray(x)
        if x.dtype.kind == "c":
            raise TypeError("x is complex: multiply its real and imaginary parts")
        if x.ndim not in (1, 2) or x.shape[0] != self.shape[1]:
            raise ValueError(f"dimension mismatch: A is {self.shape}, x has {x.shape}")
        if x.dtype.kind not in "biuf":
            raise TypeError(f"x has elements of type {x.dtype}, which are not numbers")
        return np.require(x, self.dtype, ["C", "A"])

    def _check_out(self, out: Any, shape: tuple[int, ...]) -> None:
        """Raise where ``out`` cannot take a result of that shape."""
        if not isinstance(out, np.ndarray):
            raise TypeError(f"out must be a NumPy array, not {type(out).__name__}")
        if out.dtype != self.dtype or not out.dtype.isnative:
            raise TypeError(f"out is {out.dtype}, the result {self.dtype}")
        if out.shape != shape:
            raise ValueError(f"dimension mismatch: the result is {shape}, out has {out.shape}")
        if not out.flags.writeable:
            raise ValueError("out is read-only")

    def _multiply_vector(self, x: Vector, out: Vector | None, alpha: float, beta: float) -> Vector:
        """Compute with vectors where they are."""
        if out is None:
            out = Vector(self.shape[0], self.dtype, runtime=self._runtime)
            beta = 0.0
        if not isinstance(out, Vector):
            raise TypeError("out must be a Vector, as x is")
        if x.dtype != self.dtype or out.dtype != self.dtype:
            raise TypeError(f"A is {self.dtype}, x {x.dtype}, out {out.dtype}")
        if x.shape[0] != self.shape[1] or out.shape[0] != self.shape[0]:
            raise ValueError(
                f"dimension mismatch: A is {self.shape}, x has {x.shape}, out has {out.shape}"
            )
        self._handle.multiply_vector(x._core, out._core, alpha, beta)
        return out

    def _scaled(self, factor: Any) -> Any:
        """Return the operator ``factor A`` of SciPy."""
        return super().dot(factor)

    # What LinearOperator calls

    _matvec = matvec
    _matmat = matmat
    _rmatvec = rmatvec
    _rmatmat = rmatmat

    def _transpose(self) -> Matrix:
        # The transpose does not refer back: such a cycle would keep large arrays for a while.
        if self._transposed is None:
            self._transposed = Matrix(self._handle.transposed(), self._runtime)
        return self._transposed

    _adjoint = _transpose

    @property
    def T(self) -> Matrix:  # noqa: N802
        """The transpose, which shares the matrix."""
        return self._transpose()

    @property
    def H(self) -> Matrix:  # noqa: N802
        """The adjoint; elements are real, so it is the transpose."""
        return self._transpose()

    def transpose(self) -> Matrix:
        """Return the transpose, which shares the matrix."""
        return self._transpose()

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.shape[0]

    # States and plans

    def expect_calls(self, n: int, transposed: int = 0, columns: int = 1) -> Matrix:
        """Plan for ``n`` products with A, and ``transposed`` with its transpose; return A.

        ``columns`` is how many columns x has in these products.
        """
        n, transposed, columns = map(operator.index, (n, transposed, columns))
        self._handle.expect_calls(n, transposed, columns)
        self._hint = (n, transposed, columns, self._handle.calls())
        return self

    def pin(self, state: str) -> Matrix:
        """Compute in that state only, for example ``"csr@host"``; return A."""
        self._handle.pin(state)
        return self

    def unpin(self) -> Matrix:
        """Let the planner decide again; return A."""
        self._handle.unpin()
        return self

    @property
    def pinned(self) -> str | None:
        """The state that A is pinned to."""
        return self._handle.pinned()

    @property
    def states(self) -> list[str]:
        """The states that hold a copy of the matrix."""
        return self._handle.states()

    def bring_to(self, state: str) -> Matrix:
        """Make a copy in that state and keep it; return A."""
        self._handle.bring_to(state)
        return self

    def evict(self, state: str) -> bool:
        """Drop the copy in that state. ``False`` if there is none, or it is the last one."""
        return self._handle.evict(state)

    def plan(self, columns: int = 1) -> Plan:
        """Return what the next product with so many columns will do."""
        return Plan(json.loads(self._handle.plan_json(columns)))

    def explain(self, columns: int = 1) -> Explanation:
        """Return the plan with its reasons: ``print(A.explain())``."""
        return Explanation(
            self._handle.explain(columns), json.loads(self._handle.plan_json(columns))
        )

    @property
    def history(self) -> list[Step]:
        """The steps since the contents last changed, at most the last hundred."""
        return steps_from_json(self._handle.history_json())

    @property
    def counters(self) -> dict[str, Any]:
        """Counters of calls, decisions, conversions and transfers since A was made."""
        return json.loads(self._handle.counters_json())

    # Contents

    @property
    def nnz(self) -> int:
        """The number of stored elements, estimated while only dense data exists."""
        return self._handle.nnz()

    def update(self, data: Any) -> Matrix:
        """Replace the elements: those stored, in the order of CSR, or all, in two dimensions.

        The pattern stays. Borrowed arrays are not written. Running products are waited for.
        Returns A.
        """
        if self._handle.is_transposed:
            raise ValueError("update the matrix, not its transpose")
        data = np.asarray(data)
        element_type(data.dtype)
        if data.ndim not in (1, 2) or (data.ndim == 2 and data.shape != self.shape):
            raise ValueError(f"dimension mismatch: A is {self.shape}, data has {data.shape}")
        self._handle.update(np.require(data, self.dtype, ["C", "A"]))
        return self

    def assign(self, obj: Any, copy: bool | None = None) -> Matrix:
        """Replace the contents by another matrix of this shape; return A.

        ``obj`` and ``copy`` are those of :func:`switchyard.matrix`.
        """
        if self._handle.is_transposed:
            raise ValueError("assign to the matrix, not to its transpose")
        copying = Copying(copy)
        source = from_object(obj, self.dtype, None, copying)
        if source.shape != self.shape:
            raise ValueError(f"dimension mismatch: A is {self.shape}, this is {source.shape}")
        name = "assign_compressed" if isinstance(source, Compressed) else "assign_dense"
        getattr(self._handle, name)(*source.arguments(copying))
        return self

    def toarray(self) -> np.ndarray:
        """Return a dense copy."""
        array = self._handle.dense_array()
        return array.T.copy() if self._handle.is_transposed else array

    def csr_arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return copies of (data, indices, indptr) of the CSR form. Raises for a transpose."""
        if self._handle.is_transposed:
            raise ValueError("the transpose has no CSR form of its own: use A.T.csr_arrays()")
        return self._handle.csr_arrays()

    def to_scipy(self) -> Any:
        """Return a copy as a ``scipy.sparse.csr_array``, of a transpose as a ``csc_array``."""
        import scipy.sparse

        kind = scipy.sparse.csc_array if self._handle.is_transposed else scipy.sparse.csr_array
        return kind(self._handle.csr_arrays(), shape=self.shape)

    def __reduce__(self) -> tuple:
        """Pickle the elements, the pin and the remaining hint, not copies on devices."""
        from . import _making

        if self._handle.is_transposed:
            return _making.transpose_of, (self.T,)
        hint = None
        if self._hint is not None:
            n, transposed, columns, before = self._hint
            left = n - (self._handle.calls() - before)
            hint = (max(left, 0), transposed, columns) if max(left, transposed) > 0 else None
        dense = all(state.startswith("dense@") for state in self.states)
        contents = self.toarray() if dense else self.csr_arrays()
        return _making.unpickled, (contents, self.shape, self.dtype, self.pinned, hint)

    def __copy__(self) -> Matrix:
        """Return a matrix of its own with the same contents."""
        make, arguments = self.__reduce__()
        return make(*arguments)

    def __deepcopy__(self, memo: dict) -> Matrix:
        """Return a matrix of its own with the same contents."""
        return self.__copy__()

    def __repr__(self) -> str:
        """Say what the matrix is and where."""
        rows, cols = self.shape
        first, *others = self.states or ["nowhere"]
        where = first + (f" (+{' +'.join(others)})" if others else "")
        calls = self._handle.calls()
        return (
            f"<switchyard.Matrix {rows}×{cols} {self.dtype}, {_short(self.nnz)} stored, "
            f"in {where}, {calls} product{'' if calls == 1 else 's'}>"
        )


def _vector_or_column(x: Any, shape: tuple[int, int]) -> Any:
    """Return x, checked for ``matvec``."""
    if np.shape(x) not in ((shape[1],), (shape[1], 1)):
        raise ValueError(f"dimension mismatch: A is {shape}, x has {np.shape(x)}")
    return x


def _short(count: int) -> str:
    """Return a count in at most four digits: 40.1k."""
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if count >= limit:
            return f"{count / (1e3 if unit == 'k' else limit):.3g}{unit}"
    return str(count)
