"""What a check of a model finds, as lines for a user and as plain data."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dlc.errors import printable
from dlc.frontends.onnx.open_sizes import OpenSize, options_text


@dataclass(frozen=True)
class Problem:
    """One thing that keeps a model from being compiled.

    at: the node, input or file where it is, as the user knows it. unknown: the inputs whose values,
    given as constants, might be all that is missing.
    """

    at: str | None
    message: str
    unknown: tuple[str, ...] = ()

    def __str__(self) -> str:
        return printable(f"{self.at}: {self.message}" if self.at else self.message)


@dataclass(frozen=True)
class Findings:
    """What a check found in a model.

    operators: how often each type of node stands in it, the most frequent first. problems: what is
    not supported. open_sizes: those that a compile must be given. waiting: how many nodes cannot be
    checked before that. notes: what is worth knowing and keeps nothing from being compiled.
    """

    operators: Mapping[str, int] = field(default_factory=dict[str, int])
    problems: Sequence[Problem] = ()
    open_sizes: Sequence[OpenSize] = ()
    waiting: int = 0
    notes: Sequence[str] = ()

    def lines(self) -> Iterator[str]:
        """Yield the lines for a user: counts of operators, what is unsupported, then the rest."""
        yield from map(printable, self._lines())

    def _lines(self) -> Iterator[str]:
        width = len(str(max(self.operators.values(), default=0)))
        yield from (f"{count:>{width}} {name}" for name, count in self.operators.items())
        if self.problems:
            yield f"not supported ({len(self.problems)}):"
            yield from (f"  {problem}" for problem in self.problems)
        else:
            yield "nothing unsupported"
        yield from self._open_lines()
        yield from self.notes

    def _open_lines(self) -> Iterator[str]:
        yield from (
            f"open size {size}: give it with {options_text([size])}" for size in self.open_sizes
        )
        if self.waiting:
            waiting = "1 node waits" if self.waiting == 1 else f"{self.waiting} nodes wait"
            yield (
                f"not all is checked: {waiting} for these sizes;"
                f" check again with {options_text(self.open_sizes)}"
            )

    def data(self) -> dict[str, Any]:
        """Return all of it as what JSON can hold."""
        return {
            "supported": not self.problems,
            "operators": dict(self.operators),
            "problems": [vars(problem) for problem in self.problems],
            "open_sizes": [vars(size) for size in self.open_sizes],
            "waiting": self.waiting,
            "notes": list(self.notes),
        }
