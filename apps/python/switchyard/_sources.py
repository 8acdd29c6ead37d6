"""What a matrix can be made from, as NumPy arrays that the C++ part can use."""

from __future__ import annotations

import operator
import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core

_CPU = (1, 3, 11)  # kDLCPU, and host memory that CUDA and ROCm have pinned
_MOST_INT32 = np.iinfo(np.int32).max


class Copying:
    """Whether a copy is allowed, and why one was made."""

    def __init__(self, copy: bool | None) -> None:
        """Take ``copy`` as NumPy 2 has it: ``None`` where necessary, ``False`` never, or always."""
        if copy not in (None, False, True):
            raise ValueError(f"copy must be None, False or True, not {copy!r}")
        self.wanted = copy is not None and bool(copy)
        self._allowed = copy is None or bool(copy)

    def needed(self, reason: str) -> None:
        """Raise ``ValueError`` where no copy is allowed."""
        if not self._allowed:
            raise ValueError(f"a copy is needed because {reason}; copy=None allows it")


@dataclass
class Compressed:
    """CSR arrays, or CSC arrays where ``by_columns``."""

    shape: tuple[int, int]
    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    by_columns: bool = False

    def arguments(self, copying: Copying) -> tuple:
        """Return what the C++ part makes a matrix from. Raises ``ValueError`` for bad arrays."""
        rows, cols = self.shape
        major, minor = (cols, rows) if self.by_columns else (rows, cols)
        if len(self.indices) != len(self.data):
            raise ValueError(f"data has {len(self.data)} elements, indices {len(self.indices)}")
        indices = narrowed(self.indices, "indices", minor, copying)
        indptr = offsets(self.indptr, len(self.data), copying)
        ascending = _core.check_compressed(major, minor, indices, indptr)
        if not ascending:
            copying.needed("indices do not ascend strictly in each row")
        arrays = [self.data, indices, indptr]
        if copying.wanted:
            arrays = [array.copy() for array in arrays]
        return rows, cols, *arrays, self.by_columns, ascending


@dataclass
class DenseArray:
    """A two-dimensional array."""

    data: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.data.shape  # type: ignore[return-value]

    def arguments(self, copying: Copying) -> tuple:
        """Return what the C++ part makes a matrix from."""
        return (self.data.copy() if copying.wanted else self.data,)


Source = Compressed | DenseArray


def element_type(dtype: Any) -> np.dtype:
    """Return float32 or float64 for an element type. Raises ``TypeError`` for complex ones."""
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        raise TypeError("complex matrices are not supported: use the real and imaginary parts")
    if dtype.kind not in "biuf":
        raise TypeError(f"elements of type {dtype} are not numbers")
    return dtype if dtype in (np.float32, np.float64) else np.dtype(np.float64)


def usable(array: np.ndarray, dtype: Any, what: str, copying: Copying) -> np.ndarray:
    """Return the array, aligned and C-contiguous, with elements of that type."""
    if array.dtype != dtype:
        copying.needed(f"{what} is {array.dtype}, not {np.dtype(dtype)}")
    elif not array.dtype.isnative:
        copying.needed(f"{what} is in another byte order")
    elif not array.flags.c_contiguous:
        copying.needed(f"{what} is not C-contiguous")
    elif not array.flags.aligned:
        copying.needed(f"{what} is not aligned")
    else:
        return array
    return np.require(array, np.dtype(dtype).newbyteorder("="), ["C", "A"])


def narrowed(indices: np.ndarray, what: str, size: int, copying: Copying) -> np.ndarray:
    """Return column or row numbers as int32."""
    if indices.dtype.kind not in "iu" and indices.size:
        raise TypeError(f"{what} must be integers, not {indices.dtype}")
    if indices.dtype != np.int32 and indices.size:
        if indices.max() > _MOST_INT32 or indices.min() < 0:
            raise ValueError(f"{what} must be at least 0 and below {min(size, _MOST_INT32)}")
    return usable(indices, np.int32, what, copying)


def offsets(indptr: np.ndarray, nnz: int, copying: Copying) -> np.ndarray:
    """Return offsets in as many bits as the library keeps them."""
    if indptr.dtype.kind not in "iu":
        raise TypeError(f"indptr must be integers, not {indptr.dtype}")
    if indptr.dtype != np.int32 and indptr.size:
        if indptr.max() > nnz or indptr.min() < 0:
            raise ValueError(f"indptr must lie between 0 and {nnz}, the number of elements")
    return usable(indptr, np.int32 if nnz <= _MOST_INT32 else np.int64, "indptr", copying)


def from_object(obj: Any, dtype: Any, shape: tuple | None, copying: Copying) -> Source:
    """Return the arrays of anything but a Matrix Market file."""
    if isinstance(obj, (str, os.PathLike)):
        return from_npz(os.fspath(obj), dtype)
    if isinstance(obj, tuple) and len(obj) == 3:
        return from_arrays(obj, dtype, shape, copying)
    if isinstance(obj, tuple) and len(obj) == 2 and isinstance(obj[1], tuple):
        raise TypeError(
            "coordinates: use switchyard.matrix(scipy.sparse.coo_array((data, (row, col)), shape))"
        )
    if shape is not None:
        raise ValueError("shape is for (data, indices, indptr) only")
    if hasattr(obj, "tocsr") and hasattr(obj, "format"):
        return from_scipy(obj, dtype, copying)
    return from_dense(obj, dtype, copying)


def from_arrays(arrays: tuple, dtype: Any, shape: tuple | None, copying: Copying) -> Compressed:
    """Return (data, indices, indptr) of a CSR matrix."""
    given = [np.asarray(array) for array in arrays]
    for name, array in zip(("data", "indices", "indptr"), given, strict=True):
        if array.ndim != 1:
            raise ValueError(f"{name} has {array.ndim} dimensions instead of 1")
    if shape is None:
        cols = int(given[1].max()) + 1 if given[1].size else 0
        shape = (max(len(given[2]) - 1, 0), cols)
    sizes = tuple(operator.index(size) for size in shape)
    if len(sizes) != 2 or min(sizes) < 0:
        raise ValueError(f"the shape of a matrix is (rows, cols), not {shape}")
    data = usable(given[0], element_type(dtype or given[0].dtype), "data", copying)
    return Compressed(sizes, data, given[1], given[2])


def from_scipy(matrix: Any, dtype: Any, copying: Copying) -> Compressed:
    """Return the arrays of a SciPy sparse matrix or array of any format."""
    dtype = element_type(dtype or matrix.dtype)
    if len(matrix.shape) != 2:
        raise ValueError(f"a matrix has 2 dimensions, this has {len(matrix.shape)}")
    if matrix.format not in ("csr", "csc"):
        copying.needed(f"its format is {matrix.format}, not csr or csc")
        matrix = matrix.tocsr()
    data = usable(matrix.data, dtype, "data", copying)
    by_columns = matrix.format == "csc"
    return Compressed(matrix.shape, data, matrix.indices, matrix.indptr, by_columns)


def from_dense(obj: Any, dtype: Any, copying: Copying) -> DenseArray:
    """Return a NumPy array, or memory on the CPU that DLPack or NumPy's protocols give."""
    if not isinstance(obj, np.ndarray) and hasattr(obj, "__dlpack_device__"):
        if obj.__dlpack_device__()[0] not in _CPU:
            raise TypeError("the array is on a device; bring it to the host first")
        array = np.from_dlpack(obj)
    else:
        if not hasattr(obj, "__array__"):
            copying.needed(f"a {type(obj).__name__} is no array")
        array = np.asarray(obj)
    if array.ndim == 0 and array.dtype.kind not in "biufc":
        raise TypeError(f"a {type(obj).__name__} is no matrix, no array and no path")
    if array.ndim != 2:
        raise ValueError(f"a matrix has 2 dimensions, this has {array.ndim}")
    return DenseArray(usable(array, element_type(dtype or array.dtype), "the array", copying))


def from_npz(path: str, dtype: Any) -> Source:
    """Read a file of ``scipy.sparse.save_npz``. CSR and CSC need no SciPy."""
    with np.load(path, allow_pickle=False) as file:
        if "format" not in file:
            raise ValueError(f"{path} is not a file of scipy.sparse.save_npz")
        kind = file["format"].item()
        kind = kind.decode() if isinstance(kind, bytes) else kind
        if kind in ("csr", "csc"):
            rows, cols = (int(size) for size in file["shape"])
            copying = Copying(None)
            data = usable(file["data"], element_type(dtype or file["data"].dtype), "data", copying)
            return Compressed((rows, cols), data, file["indices"], file["indptr"], kind == "csc")
    import scipy.sparse

    return from_scipy(scipy.sparse.load_npz(path), dtype, Copying(None))
