"""Layers that one call of a library computes together: a convolution with what follows it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dlc.analysis.dataflow import Cluster
from dlc.analyze.kernels import Kernels
from dlc.dialects.graph.computed import ComputedOp
from dlc.plan import Plan, Planner


@dataclass
class Part:
    """Layers by name, in an order in which they can run, and their kernels."""

    layers: list[str]
    kernels: Kernels


def joined(alone: Mapping[str, Kernels], planner: Planner) -> list[Part]:
    """Return parts of one or several layers, in an order in which they can run.

    A layer joins a kernel before it, where some library of the planner computes both, and no other
    layer reads a result of that part. alone: the kernels of layers, in an order in which these can
    run.
    """
    found = _Joiner(planner)
    for name, kernels in alone.items():
        found.add(name, kernels)
    return [*found.parts.values()]


@dataclass
class _Joiner:
    """parts: by the first of their layers. home: of ops, the part and the kernel."""

    planner: Planner
    parts: dict[str, Part] = field(default_factory=dict[str, Part])
    home: dict[ComputedOp, tuple[str, Cluster]] = field(
        default_factory=dict[ComputedOp, tuple[str, Cluster]]
    )

    def add(self, name: str, kernels: Kernels) -> None:
        if len(kernels.each) == 1 and not kernels.loops:
            (own,) = kernels.each
            for first, before in dict.fromkeys(self._before(own)):
                both = before.merged(own)
                if _is_for(self.parts[first].kernels, own) and self._is_computed(both):
                    self._join(first, name, before, both)
                    return
        self._place(name, Part([name], kernels))

    def _before(self, own: Cluster) -> Sequence[tuple[str, Cluster]]:
        """Return the kernels, with their parts, whose results a kernel reads."""
        makers = (maker for op in own.ops for maker in own.flow.producers(op))
        return [self.home[maker] for maker in makers if maker in self.home]

    def _is_computed(self, both: Cluster) -> bool:
        plan = self.planner.whole(both)
        return isinstance(plan, Plan) and any(x.schedule.library for x in plan.candidates)

    def _join(self, first: str, name: str, before: Cluster, both: Cluster) -> None:
        part = self.parts.pop(first)  # it comes behind all that it reads now
        others = (each for each in part.kernels.each if each != before)
        kernels = Kernels((*others, both), part.kernels.loops)
        self._place(first, Part([*part.layers, name], kernels))

    def _place(self, first: str, part: Part) -> None:
        self.parts[first] = part
        self.home |= {op: (first, each) for each in part.kernels.each for op in each.ops}


def _is_for(before: Kernels, own: Cluster) -> bool:
    """Whether nothing but its own ops and those of a kernel reads results of a part. Else what
    reads them would stand before it once it has moved behind all that the kernel reads.
    """
    flow, results = own.flow, [value for each in before.each for value in each.results]
    inside = {*own.ops, *(op for each in before.each for op in each.ops)}
    readers = {reader for value in results for reader in flow.readers(value)}
    leaves = any(map(flow.escapes, results))
    return not before.loops and not leaves and readers <= inside
