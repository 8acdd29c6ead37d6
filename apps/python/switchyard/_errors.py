"""The exceptions of the package. Each is also what Python code expects of such a failure."""

from __future__ import annotations


class Error(Exception):
    """A failure in Switchyard.

    ``code`` is its kind (``"dimension_mismatch"``), ``where`` the file, matrix or device, and
    ``hint`` what to do about it. Both texts may be empty. ``str()`` has all of it on one line.
    """

    code: str
    where: str
    hint: str

    def __init__(
        self, message: str = "", *, code: str = "internal", where: str = "", hint: str = ""
    ) -> None:
        """Make an exception with that message and these attributes."""
        super().__init__(message)
        self.code = code
        self.where = where
        self.hint = hint

    def __reduce__(self) -> tuple:
        """Keep the attributes when the exception travels between processes."""
        return _unpickle, (type(self), self.args, self.code, self.where, self.hint)


class InvalidInputError(Error, ValueError):
    """An argument, a shape or a file's content is wrong."""


class OutOfMemoryError(Error, MemoryError):
    """The host or a device has not enough memory."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


class UnsupportedError(Error, NotImplementedError):
    """Something is not supported, for example a state without a kernel."""


class ExecutionError(Error, RuntimeError):
    """Any other failure: a device, a driver, a profile."""


_CLASSES: dict[str, type[Error]] = {
    "invalid_argument": InvalidInputError,
    "dimension_mismatch": InvalidInputError,
    "out_of_range": InvalidInputError,
    "parse_error": InvalidInputError,
    "data_corrupt": InvalidInputError,
    "out_of_memory": OutOfMemoryError,
    "device_out_of_memory": OutOfMemoryError,
    "io_error": FileError,
    "unsupported": UnsupportedError,
}

# In tracebacks they have the name that programs use.
for _class in (Error, *Error.__subclasses__()):
    _class.__module__ = "switchyard"


def exception(code: str, message: str, where: str, hint: str) -> Error:
    """Return the exception for a code of the C++ library."""
    return _CLASSES.get(code, ExecutionError)(message, code=code, where=where, hint=hint)


def _unpickle(cls: type[Error], args: tuple, code: str, where: str, hint: str) -> Error:
    return cls(*args, code=code, where=where, hint=hint)
