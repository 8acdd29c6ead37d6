"""The runtime: devices, profile and budgets. A program usually needs only the default one."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Iterator
from typing import Any

from . import _core


class Runtime:
    """The devices of this machine, its profile and its memory budgets.

    Matrices made with a runtime share it and keep it alive. Arguments that are ``None`` come from
    the environment (``SWITCHYARD_DEVICES`` and so on) or have the library's defaults.

    Args:
        devices: which OpenCL devices to use: ``"all"``, ``"none"``, ``"0,1"``, ``"nvidia"``.
        profile: the file of the profile to plan with.
        threads: the most host threads of all calls together.
        reproducible: ignore times measured at run time: the same calls then give the same plans.
        host_budget: the most bytes of matrices and vectors on the host.
        device_budget: the same for each device.
        trace: record every decision, step and call for :meth:`write_trace`. Calls are then waited
            for and timed, which makes them slower.
    """

    def __init__(
        self,
        devices: str | None = None,
        profile: str | os.PathLike[str] | None = None,
        *,
        threads: int | None = None,
        reproducible: bool | None = None,
        host_budget: int | None = None,
        device_budget: int | None = None,
        trace: bool = False,
    ) -> None:
        """Open the devices."""
        if threads is not None and threads < 1:
            raise ValueError(f"threads must be at least 1, not {threads}")
        self._core = _core.Runtime(
            devices=devices,
            profile=None if profile is None else os.fspath(profile),
            threads=threads,
            reproducible=reproducible,
            host_budget=host_budget,
            device_budget=device_budget,
            trace=trace,
        )

    @property
    def counters(self) -> dict[str, Any]:
        """Counters of all matrices of this runtime: calls, decisions, conversions, transfers."""
        return json.loads(self._core.counters_json())

    @property
    def profile_problem(self) -> str:
        """Why no better profile is used. Empty if the profile fits this machine."""
        return self._core.profile_problem()

    def use_profile(self, path: str | os.PathLike[str]) -> None:
        """Use another profile for later plans."""
        self._core.use_profile(os.fspath(path))

    def write_trace(self, path: str | os.PathLike[str]) -> None:
        """Write the trace for chrome://tracing or Perfetto. Needs ``trace=True``."""
        self._core.write_trace(os.fspath(path))

    def __repr__(self) -> str:
        """Name the spaces."""
        facts = json.loads(self._core.devices_json())
        spaces = ["host", *(device["space"] for device in facts["devices"])]
        return f"<switchyard.Runtime on {', '.join(spaces)}>"


_lock = threading.Lock()
_default: Runtime | None = None


def default_runtime() -> Runtime:
    """Return the runtime of matrices that are made without one, opened at the first use."""
    global _default
    with _lock:
        if _default is None:
            _default = Runtime()
        return _default


@contextlib.contextmanager
def trace(path: str | os.PathLike[str]) -> Iterator[Runtime]:
    """Record what matrices that are made in this block do, and write it to ``path`` at its end.

    The file is for chrome://tracing, Perfetto and similar viewers. Inside the block a runtime of
    its own is the default one, for all threads.
    """
    global _default
    traced = Runtime(trace=True)
    with _lock:
        before, _default = _default, traced
    try:
        yield traced
    finally:
        with _lock:
            _default = before
        traced.write_trace(path)


def forget_lock_after_fork() -> None:
    """Give a child process a lock that no thread of its parent holds."""
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=forget_lock_after_fork)
