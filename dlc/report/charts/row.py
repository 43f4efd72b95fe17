"""A row of a chart: something that takes time and waits for others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dlc.report.values import microseconds


@dataclass(frozen=True)
class Row:
    """A launch of a run, or a layer of a model.

    number: its place among all. name: a short one. title: what it computes. kind: what its colour
    stands for. us: what it takes, as far as that is known. bound_us: what it takes at least; 0:
    nobody knows. flops, bytes: its work; 0: nobody knows. reads: the rows before whose results it
    reads. after: those that have ended when it begins. anchor: the part of the page that says more.
    other_us: what it takes elsewhere, by where. is_critical: whether it is on the way that takes
    longest.
    """

    number: int
    name: str
    title: str
    kind: str
    us: float
    bound_us: float
    flops: float
    bytes: float
    reads: Sequence[int]
    after: Sequence[int]
    anchor: str = ""
    other_us: Mapping[str, float] = field(default_factory=dict[str, float])
    is_critical: bool = False

    @property
    def tip(self) -> str:
        """What is said of it where a pointer rests on it."""
        others = "".join(f", {name} {microseconds(us)}" for name, us in self.other_us.items())
        return f"{self.name} {self.title}: {self.us:.3g} us ({self.kind}){others}"
