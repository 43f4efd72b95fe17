"""What a strategy is: one way to make the kernel of a cluster."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.dialects.graph.computed import ComputedOp
from dlc.strategies._implementation import Implementation

FOREIGN = "no strategy computes these ops together"
"""The obstacle of a strategy that has nothing to do with a cluster; another's says more."""


@dataclass(frozen=True)
class Stages:
    """Of kernels that have some. of: a cluster's, in order. gaining: by kind of chip, the kernels
    with those schedules only that may take less than stages as kernels of their own. least_s: the
    least seconds of one of these on a chip, and of any other, by the seconds and bytes of its
    stages as kernels of their own.
    """

    of: Callable[[Cluster], Sequence[Cluster]]
    least_s: Callable[[Sequence[tuple[float, int]], Any], tuple[float, float]]
    gaining: Mapping[str, Implementation[Any, Any, Any]]


@dataclass(frozen=True)
class Strategy:
    """One way to make a kernel.

    groups, mapping: what it is for and who does what in parallel, for the reader of the docs.
    obstacles: why it cannot lower a cluster, one reason after the other, each found only where
    those before are none. implementations: by kind of chip. precedence: of several strategies that
    lower a cluster the highest is asked first, and its obstacle is the one that is told.
    has_anchor: whether one op does most of the work and reads its operands by asynchronous copies,
    so that others had better follow it than precede it. stages: those of its own kernels, where
    they have some, for clusters that no other strategy lowers. spans: the first and the last op of
    a chain that becomes one kernel only as a whole, as the two products of attention. is_general:
    whether it computes any group right that has its schedule, also one that it does not take by
    itself.
    """

    groups: str
    mapping: str
    obstacles: Callable[[Cluster], Iterator[str]]
    implementations: Mapping[str, Implementation[Any, Any, Any]]
    precedence: int = 0
    has_anchor: bool = False
    stages: Stages | None = None
    is_general: bool = False
    spans: Callable[[Dataflow], Iterator[tuple[ComputedOp, ComputedOp]]] = lambda _: iter(())

    @property
    def name(self) -> str:
        """The name of its file, which its schedules have too."""
        return next(iter(self.implementations.values())).schedule.strategy

    @property
    def has_stages(self) -> bool:
        """Whether its kernels have stages."""
        return self.stages is not None

    def accepts(self, cluster: Cluster) -> str | None:
        """Return ``None``, or the reason why the strategy does not lower ``cluster``."""
        return next(self.obstacles(cluster), None)
