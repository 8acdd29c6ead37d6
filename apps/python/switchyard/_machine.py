"""What there is to compute with, what is wrong with it, and measuring it."""

from __future__ import annotations

import html
import json
import os
import sys
from collections.abc import Callable
from typing import Any, TextIO

from . import _core
from ._runtime import Runtime, default_runtime


class Report:
    """A document with its page of text: ``print`` shows the page, ``to_dict`` has the values."""

    def __init__(self, text: str) -> None:
        """Read the JSON text of the C++ part, whose key ``text`` is the page."""
        self._document: dict[str, Any] = json.loads(text)
        self._page: str = self._document.pop("text")

    def to_dict(self) -> dict[str, Any]:
        """Return the document that the command prints with ``--json``."""
        return self._document

    def __getitem__(self, key: str) -> Any:
        """Return one key of the document."""
        return self._document[key]

    def __str__(self) -> str:
        """Return the page."""
        return self._page

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._page)}</pre>"


def devices(runtime: Runtime | None = None) -> Report:
    """Return the host and every OpenCL device, and whether a calibrated profile fits them."""
    return Report((runtime or default_runtime())._core.devices_json())


def doctor() -> Report:
    """Check the environment, devices, kernels, memory, folders and profile.

    The page ends with what to do. ``report["status"]`` is ``"ok"``, ``"warning"`` or ``"problem"``.
    """
    return Report(_core.doctor_json())


Progress = Callable[[str, int, int, float, float], None]


class _Bar:
    """A line that is redrawn on a terminal and in a notebook, or a line for each tenth."""

    width = 30

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._redraw = stream.isatty() or "ipykernel" in sys.modules
        self._tenth = -1

    def __call__(self, what: str, done: int, total: int, seconds: float, left: float) -> None:
        share = seconds / (seconds + left) if seconds + left > 0 else 1.0
        if self._redraw:
            full = round(share * self.width)
            bar = "#" * full + "-" * (self.width - full)
            line = f"[{bar}] {share:4.0%} {left:4.0f} s left  {what}"
            self._stream.write("\r" + line[:99].ljust(99))
        elif int(share * 10) > self._tenth:
            self._tenth = int(share * 10)
            self._stream.write(f"switchyard: {share:.0%}, {left:.0f} s left: {what}\n")
        self._stream.flush()

    def close(self) -> None:
        """Wipe the line."""
        if self._redraw:
            self._stream.write("\r" + " " * 99 + "\r")
            self._stream.flush()


def calibrate(
    quick: bool = True,
    *,
    thorough: bool = False,
    budget: float | None = None,
    device: int | None = None,
    output: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: bool | Progress = True,
    runtime: Runtime | None = None,
) -> Report:
    """Measure this machine, write its profile, and use it for later plans of the runtime.

    Nothing else should run meanwhile. After ``KeyboardInterrupt``, ``resume=True`` continues.

    Args:
        quick: about 20 seconds; ``False`` takes about two minutes and is more accurate.
        thorough: about ten minutes.
        budget: the most seconds to measure for, in place of these.
        device: measure the host and this OpenCL device only.
        output: the file to write; by default the one that later runtimes look for.
        resume: use what an interrupted calibration has measured.
        progress: show a bar on standard error, or a function
            ``(what, done, total, seconds, seconds_left)`` to be called.
        runtime: whose devices to measure.
    """
    if budget is not None and not budget > 0:
        raise ValueError(f"budget must be above 0 seconds, not {budget}")
    runtime = runtime or default_runtime()
    path = os.fspath(output) if output else _core.default_profile_path(runtime._core)
    if not path:
        raise ValueError("there is no folder for the profile: set HOME, or name a file as output")
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    bar = _Bar(sys.stderr) if progress is True else None
    try:
        return Report(
            _core.calibrate_json(
                runtime._core,
                effort="thorough" if thorough else "quick" if quick else "standard",
                budget_seconds=budget or 0.0,
                device=device,
                output=path,
                resume=resume,
                tell=bar or (progress if callable(progress) else _tell_nobody),
            )
        )
    finally:
        if bar:
            bar.close()


def _tell_nobody(*_: object) -> None:
    """Show no progress."""
