"""What a thread of ``map`` saves that computes neighbouring results whose windows overlap."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import numpy as np

from dlc.analysis.contraction import gemm
from dlc.analysis.dataflow import Cluster
from dlc.analysis.lane_reads import POSITIONS, Reading, lane_reads
from dlc.analysis.positions import Index, axes
from dlc.analysis.role import Role
from dlc.analysis.sliding import Sliding, sliding
from dlc.analysis.weight_order import lane_order
from dlc.dialects.graph.computed import ContractionOp, ReductionOp
from dlc.ir.tensor import element_bytes, element_type, shape
from dlc.model.streaming import LaneReads

_COLUMNS = (2, 4, 7, 8)
"""Neighbouring results of a thread: sizes of images are multiples of 7, or of powers of two."""

_REGISTERS = 20
"""Of a thread beside its sums, its line and its taps, as the assembler gives them."""

_INNER_AHEAD = 4
"""Factors of a tap that are loaded ahead of their use."""

MOST_REGISTERS = 140
"""Of a thread: with more an SM has fewer than 14 warps, and waits for each line."""

_MOST_PRODUCTS = 128
"""For a result: of more, matrix instructions are faster whatever else they cost."""

_NARROW = 4
"""Rows or columns from which on one thread for each result reads the same again and again: only
neighbours that read together are offered.
"""

_CONVERSION = 1.0
"""Instructions to convert an element that is not in the type in which it is computed."""


_UNPACKED_BYTES, _UNPACKING = 4, 1.3
"""What a thread loads at once that the assembler unpacks before it converts it, and the
instructions of each element; of wider vectors the conversion picks its half. Counted in the machine
code of depthwise convolutions.
"""


@dataclass(frozen=True)
class WindowWork:
    """What a thread does that has some neighbouring positions of a window.

    positions: their number. places: along the line that their windows cover together. taps: of a
    window along it. points: of a window. inner: the part of these that is at one place, channels of
    a group. is_shared: whether these are the same for all results at a place. bytes: of an element.
    reads: by the elements of a thread along the last axis what a warp reads.
    """

    positions: int
    places: int
    taps: int
    points: int
    inner: int
    is_shared: bool
    bytes: int
    reads: tuple[tuple[int, LaneReads], ...]

    @property
    def rows(self) -> int:
        """The lines of a window, each read under a condition of its own where the image is padded:
        its loads wait before those of the next one.
        """
        return max(1, self.points // (self.taps * self.inner))

    def registers(self, vector: int) -> int:
        """Return the registers of a thread: sums in 32 bits, a line and the taps in their type."""
        line = self.places * (self.inner if self.is_shared else vector)
        factors = self.taps * min(self.inner, _INNER_AHEAD) * vector
        held = (line + factors) * self.bytes / 4
        return int(_REGISTERS + vector * self.positions + held)

    def saved_instructions(self, vector: int, of_addition: float) -> float:
        """Return the instructions of a result that another one has done already: conversions of
        what windows share, and of the factor of each tap.
        """
        if self.bytes >= 4:
            return 0.0
        together = vector if self.is_shared else self.inner
        line = 1 - self.places / (self.positions * self.taps) / together
        saved = _CONVERSION * self.points * (line + 1 - 1 / self.positions)
        if vector * self.bytes != _UNPACKED_BYTES:
            return saved
        return saved - _UNPACKING * self.points * (1 - line + 1 / self.positions)


def windows(cluster: Cluster, vectors: tuple[int, ...]) -> Iterator[WindowWork]:
    """Yield what a thread does for each number of positions that it may have."""
    found = _window(cluster)
    if found is None:
        return
    op, slide = found
    sizes = shape(op.results[0])
    some = tuple(v for v in vectors if slide.is_shared or slide.channels(v) == v)
    for positions in _COLUMNS if some else ():
        if sizes[slide.axis] % positions == 0:
            yield WindowWork(
                positions,
                slide.places(positions),
                slide.taps,
                prod(op.domain.reduction),
                prod(slide.reduction[n] for n in slide.inner),
                slide.is_shared,
                element_bytes(element_type(op.operands[slide.operand])),
                tuple(zip(some, _reads(cluster, op, slide, positions, some), strict=True)),
            )


def may_be_alone(op: ContractionOp) -> bool:
    """Whether threads may do a contraction alone: each with few products, and either of few rows or
    columns or of many groups, whose windows are read together.
    """
    product = gemm(op)
    if product.k_size > _MOST_PRODUCTS and product.points:
        return False
    return _is_narrow(op) or (product.batch_size > 1 and sliding(op) is not None)


def needs_windows(cluster: Cluster) -> bool:
    """Whether threads that do the contractions of a cluster alone must have several neighbours."""
    contractions = [op for op in cluster.ops if isinstance(op, ContractionOp)]
    return not all(map(_is_narrow, contractions))


def _is_narrow(op: ContractionOp) -> bool:
    product = gemm(op)
    return not product.points or min(product.m_size, product.n_size) < _NARROW


def _window(cluster: Cluster) -> tuple[ReductionOp, Sliding] | None:
    """Return the only window of a cluster, if all that is computed of it are elements at the same
    places.
    """
    found = [op for op in cluster.ops if isinstance(op, ReductionOp)]
    if len(found) != 1:
        return None
    (op,) = found
    slide = sliding(op)
    sizes = shape(op.results[0])
    after = cluster.after(found) - {op}
    if slide is None or any(shape(v) != sizes for v in cluster.results):
        return None
    plain = all(
        cluster.roles[each] is Role.ELEMENTWISE and shape(each.results[0]) == sizes
        for each in after
    )
    return (op, slide) if plain else None


def _reads(
    cluster: Cluster, op: ReductionOp, slide: Sliding, positions: int, vectors: tuple[int, ...]
) -> list[LaneReads]:
    shapes = tuple((vector, 1) for vector in vectors)
    sizes = shape(op.results[0])
    first, *others = (_warps(sizes, slide.axis, positions, n) for n in range(positions))
    window = lane_reads(
        cluster, [(op.results[0], first)], shapes, reading=_reading(cluster, op, slide, positions)
    )
    starts = [(v, index) for v in cluster.results for index in (first, *others)]
    rest = lane_reads(cluster, starts, shapes, known=(op,))
    return [a + b for a, b in zip(window, rest, strict=True)]


def _reading(cluster: Cluster, op: ReductionOp, slide: Sliding, positions: int) -> Reading:
    """Return how a thread reads: a line in place of each window, and weights as they are packed."""
    operands = cluster.flow.operands(cluster.flow.position[op])
    orders = {
        operand.value: order
        for number, operand in enumerate(operands)
        if operand.is_weight and (order := lane_order(op, number))
    }
    return Reading({(op, slide.operand): slide.line(positions)}, orders)


def _warps(sizes: tuple[int, ...], axis: int, positions: int, place: int) -> Index:
    """Return the results number ``place`` of the threads of two warps in the midst of a result."""
    threads = [n // positions if a == axis else n for a, n in enumerate(sizes)]
    count = prod(threads)
    some = min(count, POSITIONS)
    starts = [min(count * part // 3 // some * some, count - some) for part in (1, 2)]
    flat = np.array(starts)[:, np.newaxis] + np.arange(some)
    index = list(np.unravel_index(flat, threads))
    index[axis] = index[axis] * positions + place
    return axes(("windows", sizes, axis, positions, place), index)
