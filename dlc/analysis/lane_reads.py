"""What the lanes of a warp read together: instructions and lines of the caches.

The index of some results is followed through the access maps of a cluster down to its inputs, in
numbers. So transpositions, strides, broadcasts, windows, paddings and the branches of
concatenations cost what their addresses say.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np
from xdsl.ir import SSAValue

from dlc.analysis.dataflow import Cluster
from dlc.analysis.element_profile import Read
from dlc.analysis.positions import Index, Places, opened, read_index, zero
from dlc.arch.fragments import WARP_LANES
from dlc.arch.memory import ACCESS_BYTES, LINE_BYTES
from dlc.core.memo import Memo
from dlc.dialects.graph.computed import ComputedOp
from dlc.ir.tensor import element_bytes, element_count, element_type, shape
from dlc.model.streaming import LaneReads

POSITIONS = 512
"""Neighbouring positions that are enough: a warp of the widest vectors."""

_MOST_VISITS = 256
"""Of values; a cluster with more is one whose addresses do not decide its time."""

Shapes = tuple[tuple[int, int], ...]
"""Of warps and blocks: elements of a lane, and how many neighbouring samples are warps of one
block, which fetch a line once.
"""


@dataclass(frozen=True)
class Reading:
    """How a kernel reads operands other than as its ops say.

    instead: by an op and the number of its operand another read, and the sizes of the reduction
    that it is for. orders: the axes of inputs in the order in which they are stored.
    """

    instead: Mapping[tuple[ComputedOp, int], tuple[Read, Sequence[int]]]
    orders: Mapping[SSAValue, Sequence[int]]


PLAIN = Reading({}, {})

_Counts = tuple[float, float, float]
"""Of a warp: loads of a lane, lines of all instructions, lines that are fetched once."""

_COUNTS = Memo[list[_Counts]]()


def lane_reads(
    cluster: Cluster,
    starts: Sequence[tuple[SSAValue, Index]],
    shapes: Shapes,
    known: Collection[ComputedOp] = (),
    reading: Reading = PLAIN,
) -> list[LaneReads]:
    """Return what a warp reads to compute some values, for different shapes of warps and blocks.

    starts: a value and where it is computed. Consecutive positions are those of a lane, then of the
    next lane; there are enough for the widest vector, or all that the tensor has. known: ops whose
    results are there already. reading: how operands are read.
    """
    walk = _Walk(cluster, known, reading)
    for value, index in starts:
        walk.visit(value, index)
    each = [read.counted(shapes) for read in walk.found]
    return [sum((reads[n] for reads in each), LaneReads()) for n in range(len(shapes))]


@dataclass(frozen=True)
class _InputRead:
    """Reads of an input of a shape, elements of so many bytes.

    scale: how many reads each stands for.
    """

    index: Index
    sizes: tuple[int, ...]
    bytes: int
    scale: float

    def counted(self, shapes: Shapes) -> list[LaneReads]:
        """Return what a warp reads, for each shape."""
        key = (tuple(axis.made for axis in self.index), self.sizes, self.bytes, shapes)
        counts = _COUNTS.answer(key, lambda: self._counts(shapes))
        return [LaneReads(*(float(count * self.scale) for count in each)) for each in counts]

    def _counts(self, shapes: Shapes) -> list[_Counts]:
        if self._is_outside():
            return [(0.0, 0.0, 0.0)] * len(shapes)
        places = self._places()
        return [_counts(places, self.bytes, vector, warps) for vector, warps in shapes]

    def _is_outside(self) -> bool:
        """Whether an axis alone says that nothing is read (of a concatenation, another part is)."""
        pairs = zip(self.index, self.sizes, strict=True)
        return any(axis.ends[0] >= size or axis.ends[1] < 0 for axis, size in pairs)

    def _places(self) -> Places:
        """Return flat places (sample, position, point), -1 where nothing is read: paddings, other
        branches.
        """
        arrays = [axis.places for axis in self.index]
        full = np.broadcast_shapes((1, 1, 1), *(array.shape for array in arrays))
        places, inside = np.zeros(full, np.int64), np.ones(full, bool)
        for array, size in zip(arrays, self.sizes, strict=True):
            places = places * size + array
            inside &= (array >= 0) & (array < size)
        return np.where(inside, places, -1)


def _counts(places: Places, bytes: int, vector: int, warps: int) -> _Counts:
    """Return what a warp reads whose lanes have ``vector`` neighbouring positions each, and that
    shares a block with the next samples.
    """
    samples, positions, points = places.shape
    vector = min(vector, positions)  # any vector divides a tensor without elements
    lanes = max(1, min(WARP_LANES, positions // vector))
    at = places[:, : lanes * vector].reshape(samples, -1, vector, points)
    steps = at - at[:, :, :1]
    instructions = at
    if not steps.any():
        instructions = at = at[:, :, :1]  # the same element for the whole vector
    elif ((steps == np.arange(vector)[:, np.newaxis]) | (at < 0).all(2, keepdims=True)).all():
        instructions = _wide(at, max(1, min(vector, ACCESS_BYTES // bytes)))
    loads = (instructions >= 0).sum() / (samples * instructions.shape[1])
    lines = _distinct(np.moveaxis(instructions, 1, -1) * bytes // LINE_BYTES)
    together = min(samples, warps)
    whole = samples // together * together  # the samples of whole blocks
    fetched = _distinct(at[:whole].reshape(whole // together, -1) * bytes // LINE_BYTES)
    return loads, lines / samples, fetched / whole


def _wide(at: Places, wide: int) -> Places:
    """Return where the loads of neighbours are: wide ones, if these begin at multiples of what is
    loaded, or all as far behind one, in which case there is one more.
    """
    before = at[:, :, 0] % wide
    if not before.any():
        return at[:, :, ::wide]
    if (before == before.flat[0]).all() and at.shape[2] // wide + 1 < at.shape[2]:
        first = at[:, :, ::wide] - before.flat[0]
        return np.concatenate([first, first[:, :, -1:] + wide], 2)
    return at


def _distinct(values: Places) -> int:
    """Return how many different numbers from 0 on there are along the last axis, added up."""
    ordered = np.sort(values, axis=-1)
    first = ordered[..., :1] >= 0
    others = (ordered[..., 1:] != ordered[..., :-1]) & (ordered[..., 1:] >= 0)
    return int(first.sum() + others.sum())


@dataclass
class _Walk:
    """Follows indices through a cluster. found: the reads of its inputs."""

    cluster: Cluster
    known: Collection[ComputedOp]
    reading: Reading
    found: list[_InputRead] = field(default_factory=list)
    _seen: set[tuple[SSAValue, tuple[int, ...]]] = field(default_factory=set)

    def visit(self, value: SSAValue, index: Index, scale: float = 1.0) -> None:
        """Record what is read where ``value`` is needed at ``index``."""
        at = value, tuple(axis.made for axis in index)
        if at in self._seen or len(self._seen) >= _MOST_VISITS:
            return
        self._seen.add(at)
        op = value.owner
        if isinstance(op, ComputedOp) and self.cluster.inner(value):
            if op not in self.known:
                self._visit_operands(op, index, scale)
        elif element_count(value) > 1:
            sizes, bytes = shape(value), element_bytes(element_type(value))
            order = self.reading.orders.get(value, range(len(sizes)))
            at = tuple(index[axis] for axis in order)
            stored = tuple(sizes[axis] for axis in order)
            self.found.append(_InputRead(at, stored, bytes, scale))

    def _visit_operands(self, op: ComputedOp, index: Index, scale: float) -> None:
        found = self.cluster.profile(op)
        operands = op.operands
        for read in found.reads:
            if read.reduced and found.reduction:
                own, sizes = self.reading.instead.get((op, read.operand), (read, found.reduction))
                if prod(sizes):
                    points, each = opened(index, sizes)
                    self.visit(operands[read.operand], read_index(own, points), scale * each)
            else:
                rest = [zero()] * len(found.reduction)
                self.visit(operands[read.operand], read_index(read, (*index, *rest)), scale)
