"""What the lanes of a warp read together: instructions and lines of the caches.

The index of some results is followed through the access maps of a cluster down to its inputs, in
numbers. So transpositions, strides, broadcasts, windows, paddings and the branches of
concatenations cost what their addresses say.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np
import numpy.typing as npt
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr

from dlc.analysis.dataflow import Cluster
from dlc.analysis.element_profile import Read, profile
from dlc.arch.fragments import WARP_LANES
from dlc.dialects.graph.computed import ComputedOp
from dlc.ir.tensor import element_bytes, element_count, element_type, shape
from dlc.model.streaming import LaneReads

LINE_BYTES = 128
LOAD_BYTES = 16
"""What a lane loads with one instruction at most."""

Places = npt.NDArray[np.int64]
Index = tuple[Places, ...]
"""For each axis of a tensor an array of axes (sample, position, point of a reduction)."""

POSITIONS = 512
"""Neighbouring positions that are enough: a warp of the widest vectors."""

_MOST_POINTS = 64
"""Points of a reduction that are looked at; the others are like them."""

_MOST_VISITS = 256
"""Of values; a cluster with more is one whose addresses do not decide its time."""


def lane_reads(
    cluster: Cluster,
    starts: Sequence[tuple[SSAValue, Index]],
    shapes: Sequence[tuple[int, int]],
    known: Collection[ComputedOp] = (),
) -> list[LaneReads]:
    """Return what a warp reads to compute some values, for different shapes of warps and blocks.

    starts: a value and where it is computed, arrays of axes (sample, position). Consecutive
    positions are those of a lane, then of the next lane; there are enough for the widest vector, or
    all that the tensor has. shapes: elements of a lane, and how many neighbouring samples are
    warps of one block, which fetch a line once. known: ops whose results are there already.
    """
    walk = _Walk(cluster, known)
    opened: dict[int, Index] = {}  # values that start at one index share what they read
    for value, index in starts:
        if id(index) not in opened:
            opened[id(index)] = tuple(axis[..., np.newaxis] for axis in index)
        walk.visit(value, opened[id(index)])
    return [
        sum((read.counted(vector, warps) for read in walk.found), LaneReads())
        for vector, warps in shapes
    ]


@dataclass(frozen=True)
class _InputRead:
    """Reads of an input: flat places (sample, position, point), -1 where nothing is read.

    scale: how many reads each stands for.
    """

    places: Places
    bytes: int
    scale: float

    def counted(self, vector: int, warps: int) -> LaneReads:
        """Return what a warp reads whose lanes have ``vector`` neighbouring positions each, and
        that shares a block with the next samples.
        """
        samples, positions, points = self.places.shape
        vector = min(vector, positions)  # any vector divides a tensor without elements
        lanes = max(1, min(WARP_LANES, positions // vector))
        at = self.places[:, : lanes * vector].reshape(samples, -1, vector, points)
        steps = at - at[:, :, :1]
        if not steps.any():
            at = at[:, :, :1]  # the same element for the whole vector
        elif ((steps == np.arange(vector)[:, np.newaxis]) | (at < 0).all(2, keepdims=True)).all():
            wide = max(1, min(vector, LOAD_BYTES // self.bytes))
            if not (at[:, :, 0] % wide).any():
                return self._of(at[:, :, ::wide], at, warps)
        return self._of(at, at, warps)

    def _of(self, instructions: Places, elements: Places, warps: int) -> LaneReads:
        samples = instructions.shape[0]
        loads = (instructions >= 0).sum() / (samples * instructions.shape[1])
        lines = _distinct(np.moveaxis(instructions, 1, -1) * self.bytes // LINE_BYTES)
        blocks = samples // min(samples, warps)
        fetched = _distinct(elements.reshape(blocks, -1) * self.bytes // LINE_BYTES)
        counts = (loads, lines / samples, fetched / samples)
        return LaneReads(*(float(count * self.scale) for count in counts))


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
    found: list[_InputRead] = field(default_factory=list)
    _seen: dict[tuple[object, ...], Index] = field(default_factory=dict)

    def visit(self, value: SSAValue, index: Index, scale: float = 1.0) -> None:
        """Record what is read where ``value`` is needed at ``index``."""
        key = (value, *map(id, index))
        if key in self._seen or len(self._seen) >= _MOST_VISITS:
            return
        self._seen[key] = index  # keeps the arrays, and so their identities, alive
        op = value.owner
        if isinstance(op, ComputedOp) and self.cluster.inner(value):
            if op not in self.known:
                self._visit_operands(op, index, scale)
        elif element_count(value) > 1:
            self.found.append(_input_read(value, index, scale))

    def _visit_operands(self, op: ComputedOp, index: Index, scale: float) -> None:
        found = profile(op)
        opened, each = _opened(index, found.reduction)
        for read in found.reads:
            if read.reduced and found.reduction:
                if prod(found.reduction):
                    self.visit(op.operands[read.operand], read_index(read, opened), scale * each)
            else:
                rest = [np.zeros((1, 1, 1), np.int64)] * len(found.reduction)
                self.visit(op.operands[read.operand], read_index(read, (*index, *rest)), scale)


def _opened(index: Index, reduction: Sequence[int]) -> tuple[Index, float]:
    """Return the index at some points of a reduction, with the index of the point, and how many
    points each of them stands for.
    """
    if not prod(reduction) or not reduction:
        return index, 1.0
    some = np.arange(min(prod(reduction), _MOST_POINTS))
    before = max((axis.shape[-1] for axis in index), default=1)

    def spread(axis: Places) -> Places:
        *outer, _, _ = axis.shape
        return np.broadcast_to(axis, (*outer, before, some.size)).reshape(*outer, -1)

    points = [axis.reshape(1, 1, 1, -1) for axis in np.unravel_index(some, reduction)]
    opened = [*(axis[..., np.newaxis] for axis in index), *points]
    return tuple(map(spread, opened)), prod(reduction) / some.size


def read_index(read: Read, dims: Index) -> Index:
    """Return where a read is. A place that data decide is taken to be the first."""
    symbols = [np.zeros((1, 1, 1), np.int64)] * read.map.num_symbols
    found: list[Places] = []
    for expr in read.map.results:
        if isinstance(expr, AffineDimExpr):
            found.append(dims[expr.position])
        else:
            place = expr.eval(dims, symbols)  # pyright: ignore[reportArgumentType]
            found.append(np.asarray(place, np.int64).reshape(np.shape(place) or (1, 1, 1)))
    return tuple(found)


def _input_read(value: SSAValue, index: Index, scale: float) -> _InputRead:
    """Return the read of an input; what is outside of it is not read (paddings, other branches)."""
    full = np.broadcast_shapes((1, 1, 1), *(axis.shape for axis in index))
    places, inside = np.zeros(full, np.int64), np.ones(full, bool)
    for axis, size in zip(index, shape(value), strict=True):
        places = places * size + axis
        inside &= (axis >= 0) & (axis < size)
    return _InputRead(np.where(inside, places, -1), element_bytes(element_type(value)), scale)
