"""What a thread of ``map`` reads that has all places of a short axis along which inputs lie."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import numpy as np

from dlc.analysis.dataflow import Cluster
from dlc.analysis.lane_reads import lane_reads
from dlc.analysis.positions import Index, axes
from dlc.analysis.turned_reads import Turn, turn_of
from dlc.arch.fragments import WARP_LANES
from dlc.dialects.graph.computed import ReductionOp
from dlc.model.streaming import LaneReads

_MOST_PLACES = 8
"""Of the axis: a warp that reads more has each lane in a line of its own."""

_REGISTERS = 24
"""Of a thread beside the elements that it reads, as the assembler gives them."""


@dataclass(frozen=True)
class StripWork:
    """What a thread does that has all places of an axis.

    positions: along that axis. bytes: of all inputs that lie along it, at each place. reads: by the
    neighbours of a result that a thread has at each place what a warp reads.
    """

    positions: int
    bytes: int
    reads: tuple[tuple[int, LaneReads], ...]

    rows = 1
    """All loads are on their way together."""

    def registers(self, vector: int) -> int:
        """Return the registers of a thread: what it reads, and a vector of the result."""
        return _REGISTERS + (self.positions + 1) * vector * self.bytes // 4

    def saved_instructions(self, vector: int, of_addition: float) -> float:
        """Return the instructions of a result that another one of the thread has done: none."""
        return 0.0


def strip_of(cluster: Cluster, places: int, vector: int) -> Turn | None:
    """Return how the inputs of a cluster lie, where threads may have so many places of the axis
    along which they lie, all that it has, and so many neighbours of the result at each.
    """
    turn = turn_of(cluster) if 1 < places <= _MOST_PLACES else None
    if turn is None or not _may_have(cluster, turn, places, vector):
        return None
    return turn


def _may_have(cluster: Cluster, turn: Turn, places: int, vector: int) -> bool:
    if any(isinstance(op, ReductionOp) for op in cluster.ops):
        return False
    whole = turn.sizes[turn.axis] == places and turn.sizes[-1] % vector == 0
    return whole and all(map(turn.is_dense, turn.inputs))


def strips(cluster: Cluster, turn: Turn, vectors: tuple[int, ...]) -> Iterator[StripWork]:
    """Yield what a thread does that has all places of the axis along which inputs lie.

    turn: how they lie.
    """
    places = turn.sizes[turn.axis]
    if not 1 < places <= _MOST_PLACES:
        return
    some = [v for v in vectors if _may_have(cluster, turn, places, v)]
    if some:
        bytes = sum(each.bytes for each in turn.inputs)
        yield StripWork(places, bytes, tuple((v, _reads(cluster, turn, v)) for v in some))


def _reads(cluster: Cluster, turn: Turn, vector: int) -> LaneReads:
    count = vector * turn.sizes[turn.axis]
    starts = [(value, _warps(turn, count)) for value in cluster.results]
    return lane_reads(cluster, starts, ((count, 1),))[0]


def _warps(turn: Turn, count: int) -> Index:
    """Return the results of two warps in the midst of a result, where each thread has ``count``:
    places of the axis of the inputs next to each other.
    """
    order = [a for n, group in enumerate(turn.groups) if n != turn.axis for a in group]
    order += turn.groups[turn.axis]
    sizes = [turn.shape[a] for a in order]
    total = prod(sizes)
    some = min(total, WARP_LANES * count)
    starts = [min(total * part // 3 // some * some, total - some) for part in (1, 2)]
    flat = np.array(starts)[:, np.newaxis] + np.arange(some)
    found = dict(zip(order, np.unravel_index(flat, sizes), strict=True))
    index = [found.get(a, np.zeros_like(flat)) for a in range(len(turn.shape))]
    return axes(("strips", turn.shape, tuple(order), count), index)
