"""Plans and their explanations, as Python objects."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Step:
    """One step of a plan or of what was done: a conversion, a transfer, or multiplications.

    Times are in seconds. ``measured_seconds`` is ``None`` where nothing was measured. ``calls`` and
    ``variant`` (the kernel) are of a multiplication.
    """

    kind: str
    source: str
    target: str
    predicted_seconds: float
    measured_seconds: float | None
    bytes: int | None
    calls: int = 0
    variant: str = ""

    @classmethod
    def from_dict(cls, step: dict[str, Any]) -> Step:
        """Make a step from an element of ``steps`` in the JSON of a plan."""
        multiply = step["kind"] == "multiply"
        return cls(
            kind=step["kind"],
            source=step["state"] if multiply else step["from"],
            target=step["state"] if multiply else step["to"],
            predicted_seconds=step["predicted_seconds"],
            measured_seconds=step["measured_seconds"],
            bytes=step["bytes"],
            calls=step.get("calls", 0),
            variant=step.get("variant", ""),
        )


class Plan:
    """What the next call will do, and what it was chosen from."""

    def __init__(self, document: dict[str, Any]) -> None:
        """Read the document that ``switchyard explain --json`` prints, too."""
        self._document = document

    @property
    def steps(self) -> list[Step]:
        """Conversions and transfers, then the multiplications."""
        return [Step.from_dict(step) for step in self._document["plan"]["steps"]]

    @property
    def state(self) -> str:
        """The state that computes, for example ``"csr@host"``."""
        return self.steps[-1].target

    @property
    def predicted_seconds(self) -> float:
        """The predicted time of all steps and calls."""
        return self._document["plan"]["predicted_seconds"]

    @property
    def calls(self) -> int:
        """The number of calls that the plan is for."""
        return self._document["horizon"]

    @property
    def alternatives(self) -> dict[str, float]:
        """Predicted seconds of the states that were not chosen, the fastest first."""
        return {
            other["state"]: other["predicted_seconds"] for other in self._document["alternatives"]
        }

    def to_dict(self) -> dict[str, Any]:
        """Return all of it: every state with its costs, conversions, reasons."""
        return self._document

    def __repr__(self) -> str:
        """Name the states in their order."""
        path = [self.steps[0].source, *(step.target for step in self.steps)]
        states = [path[0], *(b for a, b in zip(path, path[1:], strict=False) if a != b)]
        return f"<switchyard.Plan {' -> '.join(states)}, {self.predicted_seconds:.3g} s>"


class Explanation(Plan):
    """A plan with its page of text. ``print`` shows the page, and notebooks show a table, too."""

    def __init__(self, page: str, document: dict[str, Any]) -> None:
        """Keep the page of that plan."""
        super().__init__(document)
        self._page = page

    def __str__(self) -> str:
        """Return the page."""
        return self._page

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(state)}</td><td>{1e3 * seconds:.4g}</td></tr>"
            for state, seconds in [(self.state, self.predicted_seconds), *self.alternatives.items()]
        )
        return (
            "<table><thead><tr><th>state</th><th>predicted ms</th></tr></thead>"
            f"<tbody>{rows}</tbody></table><pre>{html.escape(self._page)}</pre>"
        )


def steps_from_json(text: str) -> list[Step]:
    """Read the steps of a history."""
    return [Step.from_dict(step) for step in json.loads(text)]
