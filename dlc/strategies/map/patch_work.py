"""What a thread of ``map`` does that reads once what its results of a resized tensor share."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from dlc.analysis.dataflow import Cluster
from dlc.analysis.role import Role
from dlc.arch.fragments import WARP_LANES
from dlc.arch.memory import ACCESS_BYTES, LINE_BYTES
from dlc.dialects.graph.computed import ReductionOp
from dlc.dialects.graph.resample import ResampleOp
from dlc.ir.tensor import element_bytes, element_type, shape
from dlc.lowering.patch import MOST_PLACES
from dlc.model.streaming import LaneReads

_COLUMNS = (2, 4)
"""Neighbouring lines of the result of which a thread has some places each."""

_REGISTERS = 16
"""Of a thread beside its sums and its patch, as the assembler gives them."""

_READ_INSTRUCTIONS = 3.0
"""Of a place of a patch: its address, which may be the nearest one, and its conversion; assumed."""


@dataclass(frozen=True)
class PatchWork:
    """What a thread does that has ``positions`` lines of some neighbours each.

    patches: by the neighbours, the places of its patch. taps: of a result. cost: of one, in units
    of an addition, when each result does it for itself. reads: by the neighbours what a warp reads.
    """

    positions: int
    patches: tuple[tuple[int, int], ...]
    taps: int
    cost: int
    reads: tuple[tuple[int, LaneReads], ...]

    rows = 1
    """All loads are on their way together."""

    def registers(self, vector: int) -> int:
        """Return the registers of a thread: sums and patch in 32 bits."""
        return _REGISTERS + vector * self.positions + dict(self.patches)[vector]

    def saved_instructions(self, vector: int, of_addition: float) -> float:
        """Return the instructions of a result that another one has done, or the compiler, since
        factors are known for each: all but a multiply-add for each tap, and the reading of a part
        of the patch.
        """
        places = dict(self.patches)[vector] / (vector * self.positions)
        return of_addition * self.cost * self.taps - self.taps - _READ_INSTRUCTIONS * places


def patches(cluster: Cluster, vectors: tuple[int, ...]) -> Iterator[PatchWork]:
    """Yield what a thread does for each number of lines that it may have."""
    found = [op for op in cluster.ops if isinstance(op, ReductionOp)]
    op = found[0] if len(found) == 1 else None
    if not isinstance(op, ResampleOp) or not _is_alone(cluster, op):
        return
    for positions in _COLUMNS:
        sides = [_sides(op, positions, vector) for vector in vectors]
        some = [(v, x) for v, x in zip(vectors, sides, strict=True) if x and prod(x) <= MOST_PLACES]
        if some:
            yield PatchWork(
                positions,
                tuple((vector, prod(side)) for vector, side in some),
                prod(op.domain.reduction),
                cluster.profile(op).reduction_cost,
                tuple((vector, _reads(op, side)) for vector, side in some),
            )


def _is_alone(cluster: Cluster, op: ResampleOp) -> bool:
    """Whether all else that is computed of a resized tensor are elements at the same places."""
    sizes, after = shape(op.output), cluster.after([op]) - {op}
    same = all(shape(each.results[0]) == sizes for each in after)
    plain = all(cluster.roles[each] is Role.ELEMENTWISE for each in after)
    return plain and same and all(shape(value) == sizes for value in cluster.results)


def _sides(op: ResampleOp, positions: int, vector: int) -> list[int]:
    """Return the sides of the patch of a thread, the last one along the last axis; nothing where
    threads have no such neighbours.
    """
    sizes = shape(op.output)
    counts = {len(sizes) - 2: positions, len(sizes) - 1: vector}
    along = op.along()
    if len(sizes) < 2 or any(sizes[axis] % count for axis, count in counts.items()):
        return []
    if not all(each.steps_evenly(counts.get(each.axis, 1)) for each in along):
        return []
    plain = [n for axis, n in counts.items() if axis not in {each.axis for each in along}]
    return [*plain, *(each.places(counts.get(each.axis, 1)) for each in along)]


def _reads(op: ResampleOp, sides: list[int]) -> LaneReads:
    """Return what a warp reads: of each line of a patch what is inside at once, and the ends."""
    *lines, last = sides
    bytes = element_bytes(element_type(op.x))
    wide = -(-last * bytes // ACCESS_BYTES)
    touched = WARP_LANES * max(1, last - 2) * bytes / LINE_BYTES + 1
    loads = prod(lines) * (wide + 2)
    return LaneReads(loads, loads * touched, prod(lines) * touched)
