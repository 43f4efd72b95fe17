"""What a ``map`` group does on a GPU, whatever its schedule."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import gcd, prod

import numpy as np

from dlc.analysis.dataflow import Cluster
from dlc.analysis.lane_reads import POSITIONS, lane_reads
from dlc.analysis.positions import Index, axes
from dlc.analysis.role import Role
from dlc.analysis.traffic import least_work, traffic_bytes, work
from dlc.analysis.turned_reads import Turn, turn_of
from dlc.arch.memory import ACCESS_BYTES, MOVED_BYTES
from dlc.errors import CompileError
from dlc.ir.tensor import element_bytes, element_count, element_type, shape, tensor_bytes
from dlc.model.streaming import LaneReads
from dlc.strategies.map.patch_work import PatchWork, patches
from dlc.strategies.map.schedule import UNTILED, MapOnGpu
from dlc.strategies.map.strip_work import StripWork, strips
from dlc.strategies.map.tile_work import TileWork, tile_works
from dlc.strategies.map.windows import WindowWork, needs_windows, windows

Together = WindowWork | StripWork | PatchWork

VECTOR_BYTES = MOVED_BYTES[::-1]
"""Of the neighbours that a thread may have, most first."""
REGISTERS = 40
"""Of a thread that shares no windows."""


@dataclass(frozen=True)
class MapWork:
    """What a ``map`` group does: result elements, length of their last axis, bytes of the widest,
    bytes read and written, scalar operations in units of an addition, those that no code can leave
    out, by the elements of a thread what a warp reads, what threads do that have several columns,
    the tiles that it may have, and whether there must be such windows, since a thread alone reads
    too much.
    """

    points: int
    last_axis: int
    widest_bytes: int
    read_bytes: int
    written_bytes: int
    operations: float
    least_operations: float = 0.0
    reads: tuple[tuple[int, LaneReads], ...] = ((1, LaneReads(1.0, 1.0, 1.0)),)
    together: tuple[Together, ...] = ()
    tiles: tuple[TileWork, ...] = ()
    needs_windows: bool = False

    @property
    def vectors(self) -> list[int]:
        """The neighbouring elements that a thread may have, most first."""
        return [vector for vector, _ in self.reads if vector * self.widest_bytes <= ACCESS_BYTES]

    def tile_of(self, schedule: MapOnGpu) -> TileWork | None:
        """Return what a tile of a schedule does; raises CompileError for one that does not fit."""
        if schedule.tile == UNTILED:
            return None
        for each in self.tiles:
            if (each.tile, each.vector) == (schedule.tile, schedule.vector):
                return each
        allowed = ", ".join(f"{list(t.tile)} with vector = {t.vector}" for t in self.tiles)
        why = f"use {allowed}" if allowed else "no input lies turned, so use tile = [1, 1]"
        raise CompileError(f"tile = {list(schedule.tile)} does not fit the group; {why}")

    def together_of(self, columns: int) -> Together | None:
        """Return what threads with so many columns do; where they do not fit, nothing."""
        return next((each for each in self.together if each.positions == columns), None)

    def check_columns(self, schedule: MapOnGpu) -> None:
        """Raise CompileError for columns and a vector that no thread of the group can have."""
        own = self.together_of(schedule.columns)
        if schedule.columns == 1 or (own and schedule.vector in dict(own.reads)):
            return
        allowed = ", ".join(
            f"columns = {each.positions} with vector = {' or '.join(map(str, dict(each.reads)))}"
            for each in self.together
        )
        raise CompileError(
            f"columns = {schedule.columns} with vector = {schedule.vector} does not fit the group; "
            f"use {allowed or 'columns = 1'}"
        )

    def registers_of(self, schedule: MapOnGpu) -> int:
        """Return the registers that a thread probably takes."""
        own = self.together_of(schedule.columns)
        return own.registers(schedule.vector) if own else REGISTERS

    def reads_of(self, vector: int, columns: int = 1) -> LaneReads:
        """Return what a warp reads; where the vector does not fit, threads have few elements."""
        own = self.together_of(columns)
        table = dict(own.reads if own else self.reads)
        return table.get(vector, table[min(table)])


def work_of(cluster: Cluster) -> MapWork:
    """Return the work of a cluster whose strategy is ``map``."""
    cluster = cluster.alone
    results = cluster.results
    largest = max(results, key=element_count)
    last_axis = (shape(largest) or (1,))[-1]
    widest = max(element_bytes(element_type(v)) for v in results)
    written = sum(map(tensor_bytes, results))
    vectors = [*_vectors(widest, last_axis, Role.WINDOW in cluster.kinds)] or [1]
    if 1 not in vectors:
        vectors.append(1)
    places = {shape(v): _warps(shape(v)) for v in results}
    starts = [(v, places[shape(v)]) for v in results]
    counted = lane_reads(cluster, starts, tuple((v, 1) for v in vectors))
    reads = _in_units(last_axis, dict(zip(vectors, counted, strict=True)))
    needs_others, turn = needs_windows(cluster), turn_of(cluster)
    return MapWork(
        max(1, element_count(largest)),
        last_axis,
        widest,
        traffic_bytes(cluster) - written,
        written,
        work(cluster),
        least_work(cluster),
        tuple(reads.items()),
        tuple(_together(cluster, turn, tuple(vectors))),
        tuple(tile_works(cluster, turn)) if turn is not None and not needs_others else (),
        needs_others,
    )


def _together(cluster: Cluster, turn: Turn | None, vectors: tuple[int, ...]) -> Iterator[Together]:
    yield from windows(cluster, vectors)
    if turn is not None:
        yield from strips(cluster, turn, vectors)
    yield from patches(cluster, vectors)


def _in_units(last_axis: int, reads: dict[int, LaneReads]) -> dict[int, LaneReads]:
    """Return what a warp reads where lines end among the neighbours of a thread, which reads those
    that are in a line all or none together.
    """
    found = dict(reads)
    for vector, own in reads.items():
        unit = gcd(last_axis, vector)
        if 1 < unit < vector and unit in reads and own.loads:
            loads = min(own.loads, reads[unit].loads * (vector // unit))
            found[vector] = LaneReads(loads, own.lines * loads / own.loads, own.fetched)
    return found


@lru_cache(1024)
def _warps(shape: tuple[int, ...]) -> Index:
    """Return the places of two warps in the midst of a result; of an empty one, its first place."""
    sizes = [max(1, n) for n in shape] or [1]
    count = prod(sizes)
    positions = min(count, POSITIONS)
    starts = [min(count * part // 3 // positions * positions, count - positions) for part in (1, 2)]
    flat = np.array(starts)[:, np.newaxis] + np.arange(positions)
    return axes(("warps", shape), np.unravel_index(flat, sizes))


def _vectors(widest_bytes: int, last_axis: int, whole: bool) -> Iterator[int]:
    """Yield the elements that a thread may have: they take at most 16 bytes, and where they are to
    be ``whole`` divide the last axis.
    """
    for vector_bytes in VECTOR_BYTES:
        vector = vector_bytes // widest_bytes
        if vector >= 1 and (not whole or last_axis % vector == 0):
            yield vector
