"""What a ``row`` group does, as the model of the chip asks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np
from xdsl.ir import SSAValue

from dlc.analysis.dataflow import Cluster
from dlc.analysis.element_profile import profile
from dlc.analysis.lane_reads import POSITIONS, lane_reads
from dlc.analysis.positions import Axis, Index, axes, read_index, zero
from dlc.analysis.role import Role, RowSpace
from dlc.analysis.traffic import least_work, traffic_bytes, work
from dlc.arch.fragments import WARP_LANES
from dlc.arch.memory import ACCESS_BYTES, SECTOR_BYTES
from dlc.dialects.graph.computed import ComputedOp
from dlc.errors import CompileError
from dlc.ir.tensor import element_bytes, element_count, element_type, shape, tensor_bytes
from dlc.model.streaming import LaneReads
from dlc.strategies.row.schedule import ACROSS, ALONG, RowOnGpu

_VECTORS = (8, 4, 2, 1)
_POSITIONS = 4
"""Of a row that are looked at where lanes go across rows."""

ACROSS_LANES = (4, 8, 16, 32)

BLOCK_ROWS = (4, 8, 2, 1)
"""Rows of a block, where each has a warp."""


@dataclass(frozen=True)
class RowWork:
    """What a ``row`` group does: rows, their length, whether a row is stored contiguously,
    reductions, how often a row is gone through, bytes of the widest element, bytes read and
    written, bytes of the sectors that stores touch, scalar operations, those that no code can leave
    out, by elements of a thread and rows of a block what a warp reads of a row, and by rows of a
    thread and teams of a block what it reads where lanes go across rows, whether a row may be
    cut in parts, the bytes of a row of what reductions are made of, if they are gone through
    again and at all, those of a row of all tensors that have its elements, bytes of the narrowest
    element of these, whether the elements of a row lie side by side, and how many inputs have an
    element for each of a row, the same for all rows.
    """

    rows: int
    length: int
    contiguous: bool
    reductions: int
    passes: int
    widest_bytes: int
    read_bytes: int
    written_bytes: int
    stored_bytes: int
    operations: float
    least_operations: float = 0.0
    reads: tuple[tuple[tuple[int, int], LaneReads], ...] = (((1, 1), LaneReads(1.0, 1.0, 1.0)),)
    across: tuple[tuple[tuple[int, int], LaneReads], ...] = ()
    may_split: bool = False
    feeding_bytes: int = 0
    made_of_bytes: int = 0
    element_bytes: int = 0
    narrowest_bytes: int = 1
    is_dense: bool = True
    weights: int = 0

    @property
    def across_vectors(self) -> list[int]:
        """The rows that a thread may take at a time where lanes go across them, most first."""
        return list(dict.fromkeys(vector for (vector, _), _ in self.across))

    def check(self, schedule: RowOnGpu) -> None:
        """Raise CompileError for keys that do not fit how rows lie and how often they are read."""
        allowed = self.across_vectors
        if schedule.across and not allowed:
            raise CompileError(
                f'lanes = "{ACROSS}" is for rows whose elements lie apart; '
                f'these are stored in order, so use lanes = "{ALONG}"'
            )
        if schedule.across and schedule.vector not in allowed:
            raise CompileError(
                f"vector = {schedule.vector} rows do not lie side by side for one access; use "
                + " or ".join(map(str, allowed))
            )
        if schedule.packed and not self.may_pack(schedule.rows):
            raise CompileError(
                f"packed = true: {schedule.rows} rows of {self.length} elements are no whole "
                f"pieces of {ACCESS_BYTES} bytes, one after the other in memory; take more "
                "rows, or packed = false"
            )
        if schedule.keeps(self.length) and not self.is_dense:
            raise CompileError(
                f"vector = {schedule.vector}, cluster = {schedule.cluster}: the elements of a row "
                f"do not lie side by side; use cluster = 1 and a vector that divides {self.length}"
            )
        if schedule.held and not self.feeding_bytes:
            raise CompileError(
                "held = true is for rows that are stored in order and gone through more than once; "
                "these are not, so use held = false"
            )

    def may_pack(self, rows: int) -> bool:
        """Whether so many rows are whole pieces of each tensor that has all elements of rows."""
        whole = rows * self.length * self.narrowest_bytes % ACCESS_BYTES == 0
        return whole and self.is_dense and self.element_bytes > 0

    def reads_of(self, vector: int, rows: int, teams: int = 0) -> LaneReads:
        """Return what a warp reads in one step along its row, or across those of ``teams``."""
        if teams:
            lanes = max((n for n in ACROSS_LANES if n <= teams), default=ACROSS_LANES[0])
            return dict(self.across)[vector, lanes].times(WARP_LANES / lanes)
        table = dict(self.reads)
        return table.get((vector, rows), table.get((vector, 1), table[1, 1]))


def vectors(work: RowWork) -> list[int]:
    """Return the elements that a thread may take at a time, most first."""
    return _vectors(work.widest_bytes, work.length, work.contiguous)


def line_vectors(work: RowWork) -> list[int]:
    """Return the elements of lines that divide no row, most first: for rows that are kept."""
    return _line_vectors(work.widest_bytes, work.length, work.is_dense and work.made_of_bytes > 0)


def _line_vectors(widest_bytes: int, length: int, may: bool) -> list[int]:
    def fits(vector: int) -> bool:
        return may and vector * widest_bytes <= ACCESS_BYTES and length % vector > 0

    return [vector for vector in _VECTORS if fits(vector)]


def _vectors(widest_bytes: int, length: int, contiguous: bool) -> list[int]:
    def fits(vector: int) -> bool:
        return contiguous and vector * widest_bytes <= ACCESS_BYTES and length % vector == 0

    return [vector for vector in _VECTORS if vector == 1 or fits(vector)]


def work_of(cluster: Cluster) -> RowWork:
    """Return the work of a cluster whose strategy is ``row``."""
    reductions = [op for op in cluster.ops if cluster.facts(op).role is Role.ROW]
    space = cluster.facts(reductions[0]).rows
    assert space is not None
    rows, length = max(1, prod(space.squeezed)), prod(space.shape[a] for a in space.axes)
    contiguous = len(space.shape) - 1 in space.axes
    values = [
        v for v in (*cluster.inputs, *cluster.results) if element_count(v) >= prod(space.shape)
    ]
    full = [v for v in values if shape(v) == space.shape]
    widest = max((element_bytes(element_type(v)) for v in values), default=1)
    written = sum(map(tensor_bytes, cluster.results))
    elements = [v for v in cluster.results if shape(v) == space.shape]
    shapes = [(v, 1) for v in _vectors(widest, length, contiguous)]
    if not contiguous:  # neighbouring rows have neighbouring elements in a line
        shapes += [(1, rows) for rows in BLOCK_ROWS if rows > 1]
    made_of = _made_of_bytes(cluster, space, reductions) if contiguous else 0
    passes = len(reductions) + bool(elements)
    is_dense = min(space.axes) == len(space.shape) - len(space.axes)
    lines = [(v, 1) for v in _line_vectors(widest, length, is_dense and made_of > 0)]
    reads = {
        **_along(cluster, space, reductions, elements, shapes, _sample(space)),
        **_along(cluster, space, reductions, elements, lines, _sample_lines(space)),
    }
    return RowWork(
        rows,
        max(1, length),
        contiguous,
        len(reductions),
        passes,
        widest,
        traffic_bytes(cluster) - written,
        written,
        written if contiguous else sum(map(_scattered_bytes, elements)) + written,
        work(cluster),
        least_work(cluster),
        tuple(reads.items()),
        tuple(_across(cluster, space, reductions, elements, widest)) if not contiguous else (),
        not elements and cluster.after(reductions).isdisjoint(reductions),
        made_of if passes > 1 else 0,
        made_of,
        sum(map(tensor_bytes, full)) // rows,
        min((element_bytes(element_type(v)) for v in full), default=1),
        is_dense,
        sum(_is_weight(value, space) for value in cluster.inputs),
    )


def _is_weight(value: SSAValue, space: RowSpace) -> bool:
    """Whether a tensor has an element for each of a row, the same for all rows."""
    inner = tuple(space.shape[axis] for axis in sorted(space.axes))
    return element_count(value) == prod(inner) and shape(value)[-len(inner) :] == inner


def _along(
    cluster: Cluster,
    space: RowSpace,
    reductions: Sequence[ComputedOp],
    elements: Sequence[SSAValue],
    shapes: Sequence[tuple[int, int]],
    sample: tuple[Index, Index],
) -> dict[tuple[int, int], LaneReads]:
    """Return what a warp reads of a sample of rows, by elements of a thread and rows of a block."""
    starts = _starts(space, reductions, elements, *sample) if shapes else []
    reads = [lane_reads(cluster, [start], tuple(shapes), reductions) for start in starts]
    return {
        s: sum(each, LaneReads()) for s, each in zip(shapes, zip(*reads, strict=True), strict=False)
    }


def _made_of_bytes(cluster: Cluster, space: RowSpace, reductions: Sequence[ComputedOp]) -> int:
    """Return the bytes of a row of the inputs that reductions are made of."""
    inputs = [v for v in cluster.inputs if shape(v) == space.shape]
    needed = set[SSAValue]()
    todo = list(reductions)
    seen = set[ComputedOp](todo)
    while todo:
        op = todo.pop()
        needed.update(op.operands)
        for producer in cluster.flow.producers(op):
            if producer in cluster.members and producer not in seen:
                seen.add(producer)
                todo.append(producer)
    rows = max(1, prod(space.squeezed))
    return sum(tensor_bytes(v) for v in inputs if v in needed) // rows


def _across(
    cluster: Cluster,
    space: RowSpace,
    reductions: Sequence[ComputedOp],
    elements: Sequence[SSAValue],
    widest: int,
) -> Iterator[tuple[tuple[int, int], LaneReads]]:
    """Yield what a warp reads whose lanes go across rows, by rows of a thread and lanes."""
    last = max(space.axes)
    neighbours = prod(n for a, n in enumerate(space.shape) if a > last)
    for vector in _vectors(widest, neighbours, True):
        for lanes in ACROSS_LANES:
            starts = _starts(space, reductions, elements, *_sample_across(space, vector * lanes))
            shape = ((vector, 1),)
            reads = [lane_reads(cluster, [start], shape, reductions)[0] for start in starts]
            yield (vector, lanes), sum(reads, LaneReads())


def _scattered_bytes(value: SSAValue) -> int:
    """Return the bytes of the sectors of a tensor that no two lanes of a warp share."""
    return element_count(value) * SECTOR_BYTES - tensor_bytes(value)


def _starts(
    space: RowSpace,
    reductions: Sequence[ComputedOp],
    elements: Sequence[SSAValue],
    outer: Index,
    inner: Index,
) -> list[tuple[SSAValue, Index]]:
    """Return what some rows read first at some positions: the reductions' operands, the results."""
    found: list[tuple[SSAValue, Index]] = []
    for op in reductions:
        own = profile(op)
        all_axes = len(own.parallel) == len(space.shape)
        parallel = _merged(space, outer, [zero()] * len(inner)) if all_axes else outer
        for read in own.reads:
            if read.reduced:
                found.append((op.operands[read.operand], read_index(read, (*parallel, *inner))))
    return [*found, *((v, _merged(space, outer, inner)) for v in elements)]


@lru_cache(1024)
def _sample(space: RowSpace) -> tuple[Index, Index]:
    """Return where rows in the midst are along the axes that stay, and positions of a row along the
    reduced ones.
    """
    sizes = [max(1, space.shape[a]) for a in sorted(space.axes)]
    kept = [max(1, n) for n in space.squeezed]
    rows, length = prod(kept), prod(sizes)
    few = min(rows, max(BLOCK_ROWS))
    first = rows // 2 // few * few
    outer = np.unravel_index(np.arange(first, first + few), kept) if kept else ()
    some = min(length, POSITIONS)
    start = length // 2 // some * some if length > some else 0
    inner = np.unravel_index(np.arange(start, start + some), sizes)
    return (
        axes(("rows", space), [axis[:, np.newaxis] for axis in outer]),
        axes(("along rows", space), [axis[np.newaxis] for axis in inner]),
    )


@lru_cache(1024)
def _sample_lines(space: RowSpace) -> tuple[Index, Index]:
    """Return rows in the midst, and positions of each from the start of a line on."""
    sizes = [max(1, space.shape[a]) for a in sorted(space.axes)]
    kept = [max(1, n) for n in space.squeezed]
    rows, length = prod(kept), prod(sizes)
    few, widest = min(rows, max(BLOCK_ROWS)), max(_VECTORS)
    numbers = rows // 2 + np.arange(few) - few // 2
    first = -numbers * length % widest
    some = max(1, min(length - widest, POSITIONS) // widest * widest)
    places = (first[:, np.newaxis] + np.arange(some)) % length
    outer = np.unravel_index(numbers, kept) if kept else ()
    return (
        axes(("rows of lines", space), [axis[:, np.newaxis] for axis in outer]),
        axes(("along lines", space), np.unravel_index(places, sizes)),
    )


@lru_cache(1024)
def _sample_across(space: RowSpace, count: int) -> tuple[Index, Index]:
    """Return neighbouring rows in the midst, and a few positions of them."""
    sizes = [max(1, space.shape[a]) for a in sorted(space.axes)]
    kept = [max(1, n) for n in space.squeezed]
    rows, length = prod(kept), prod(sizes)
    some = min(rows, count)
    first = rows // 2 // some * some if rows > some else 0
    outer = np.unravel_index(np.arange(first, first + some), kept) if kept else ()
    few = min(length, _POSITIONS)
    inner = np.unravel_index(np.arange(length // 2, length // 2 + few) % length, sizes)
    return (
        axes(("rows across", space, count), [axis[np.newaxis] for axis in outer]),
        axes(("positions across", space), [axis[:, np.newaxis] for axis in inner]),
    )


def _merged(space: RowSpace, outer: Sequence[Axis], inner: Sequence[Axis]) -> Index:
    """Return an index into the shape of the rows."""
    kept, reduced = iter(outer), iter(inner)
    return tuple(next(reduced if a in space.axes else kept) for a in range(len(space.shape)))
