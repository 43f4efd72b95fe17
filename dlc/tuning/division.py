"""Divisions of ops into groups as text: what a lock file holds where times decided them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.errors import CompileError
from dlc.plan import Planner
from dlc.search import UNLIMITED, Effort, Partition, Search

_OTHER = "the lock divides the operations of another model, or of one with other options"


def division_text(partition: Partition) -> str:
    """Return the number of the cluster of each op, in order; clusters count from 0 as they come."""
    numbers: dict[int, int] = {}
    homes = [partition.home[op] for op in partition.flow.ops]
    return " ".join(str(numbers.setdefault(home, len(numbers))) for home in homes)


def read_division(text: str, flow: Dataflow) -> Partition:
    """Return the partition of a text; raises CompileError where its ops are others, or where
    clusters would wait for each other.
    """
    numbers = list(map(int, text.split()))
    if len(numbers) != len(flow.ops):
        raise CompileError(_OTHER)
    ops = list(zip(numbers, flow.ops, strict=True))
    parts = [tuple(op for n, op in ops if n == each) for each in dict.fromkeys(numbers)]
    partition = Partition(flow, [Cluster(flow, part) for part in parts])
    if len(partition.order()) < len(parts):
        raise CompileError(f"{_OTHER}: groups wait for each other")
    return partition


@dataclass
class Recorded:
    """A search that notes what another one finds. texts: the divisions, in order."""

    search: Search
    texts: list[str] = field(default_factory=list[str])

    def __call__(self, flow: Dataflow, planner: Planner, effort: Effort = UNLIMITED) -> Partition:
        """Return what the other search finds."""
        found = self.search(flow, planner, effort)
        self.texts.append(division_text(found))
        return found


class Replayed:
    """A search that gives the divisions of a lock file, one after the other."""

    def __init__(self, texts: Sequence[str], path: str):
        """path: of the lock, for errors."""
        self._left = list(texts)
        self._path = path

    def __call__(self, flow: Dataflow, planner: Planner, effort: Effort = UNLIMITED) -> Partition:
        """Return the next division. Raises CompileError where it is that of another model."""
        try:
            if not self._left:
                raise CompileError(_OTHER)
            return read_division(self._left.pop(0), flow)
        except CompileError as error:
            raise CompileError(error.message, at=self._path) from None

    def finish(self) -> None:
        """Raise CompileError where divisions are left: they are those of another model."""
        if self._left:
            raise CompileError(_OTHER, at=self._path)
