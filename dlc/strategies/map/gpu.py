"""``map`` on a GPU: threads per block, elements per thread."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, prod

import numpy as np

from dlc.analysis.dataflow import Cluster
from dlc.analysis.lane_reads import POSITIONS, lane_reads
from dlc.analysis.positions import Index, axes
from dlc.analysis.role import Role
from dlc.analysis.traffic import least_work, traffic_bytes, work
from dlc.arch import GpuArch
from dlc.errors import CompileError
from dlc.ir.tensor import element_bytes, element_count, element_type, shape, tensor_bytes
from dlc.lowering.job import Job
from dlc.model.occupancy import BlockResources, resident_blocks
from dlc.model.streaming import LaneReads, Stream, stream_s
from dlc.model.upper_bound import gpu_bound, streaming_work
from dlc.strategies._implementation import Implementation
from dlc.strategies._key import size, sizes
from dlc.strategies._rated import Rated, Seconds
from dlc.strategies._schedule import Schedule
from dlc.strategies.map.lowering import lower_on_threads
from dlc.strategies.map.tile_work import TileWork, tile_works
from dlc.strategies.map.tiled import ACCESS_BYTES, lower_in_tiles
from dlc.strategies.map.windows import MOST_REGISTERS, WindowWork, is_direct, windows

_THREADS = (128, 256, 64, 512)
_VECTOR_BYTES = (16, 8, 4, 2, 1)
_REGISTERS = 40

UNTILED = (1, 1)
LEAST_ELEMENTS, MOST_ELEMENTS = 4, 32
"""Of a thread of a tile: so many are under way at a time."""
TILE_LOADS, TILE_STORES = 2.0, 1.0
"""Instructions of an element that comes from shared memory, and that goes there."""

UNEVEN_INSTRUCTIONS = 6.0
"""Of an element of a vector that goes over the ends of the last axis: its own index."""

_LOADS_AHEAD = 8
"""Loads that a thread has under way at a time."""


@dataclass(frozen=True)
class MapOnGpu(Schedule, strategy="map", target="gpu"):
    """A thread computes a few neighbouring elements of the results."""

    threads: int = size("threads per block")
    vector: int = size(
        "neighbouring elements of the result that a thread computes", default=1, most=16
    )
    columns: int = size(
        "neighbouring places of the axis before it that a thread computes them at: their windows "
        "are read together",
        default=1,
        most=16,
    )
    tile: tuple[int, int] = sizes(
        "positions of a block along the axis of the neighbours of inputs that lie turned, and "
        "along the last axis; these inputs go through shared memory. `[1, 1]`: no tile",
        2,
        default=UNTILED,
    )

    def check(self) -> None:
        if self.columns > 1 and self.tile != UNTILED:
            raise CompileError(f"columns = {self.columns} with a tile: windows have none")


@dataclass(frozen=True)
class MapWork:
    """What a ``map`` group does: result elements, length of their last axis, bytes of the widest,
    bytes read and written, scalar operations in units of an addition, those that no code can leave
    out, by the elements of a thread what a warp reads, windows that neighbours may share, the tiles
    that it may have, and whether there must be such windows, since they are those of a contraction.
    """

    points: int
    last_axis: int
    widest_bytes: int
    read_bytes: int
    written_bytes: int
    operations: float
    least_operations: float = 0.0
    reads: tuple[tuple[int, LaneReads], ...] = ((1, LaneReads(1.0, 1.0, 1.0)),)
    windows: tuple[WindowWork, ...] = ()
    tiles: tuple[TileWork, ...] = ()
    is_direct: bool = False

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
        raise CompileError(f"tile = {list(schedule.tile)} is none that fits: {allowed or 'none'}")

    def window_of(self, columns: int) -> WindowWork | None:
        """Return the window of threads with so many columns; where they do not fit, none."""
        return next((each for each in self.windows if each.positions == columns), None)

    def reads_of(self, vector: int, columns: int = 1) -> LaneReads:
        """Return what a warp reads; where the vector does not fit, threads have few elements."""
        window = self.window_of(columns)
        table = dict(window.reads if window else self.reads)
        return table.get(vector, table[min(table)])


def work_of(cluster: Cluster) -> MapWork:
    """Return the work of a cluster whose strategy is ``map``."""
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
    reads = lane_reads(cluster, starts, tuple((v, 1) for v in vectors))
    direct = is_direct(cluster)
    operations = work(cluster) + (least_work(cluster) if direct else 0.0)
    return MapWork(
        max(1, element_count(largest)),
        last_axis,
        widest,
        traffic_bytes(cluster) - written,
        written,
        operations,
        least_work(cluster),
        tuple(zip(vectors, reads, strict=True)),
        tuple(windows(cluster, tuple(vectors))),
        () if direct else tuple(tile_works(cluster)),
        direct,
    )


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
    for vector_bytes in _VECTOR_BYTES:
        vector = vector_bytes // widest_bytes
        if vector >= 1 and (not whole or last_axis % vector == 0):
            yield vector


def candidates(work: MapWork, _: GpuArch) -> Iterator[MapOnGpu]:
    """Yield the schedules of the space."""
    alone = () if work.is_direct else ((1, *work.vectors),)
    windows = ((each.positions, *(vector for vector, _ in each.reads)) for each in work.windows)
    for columns, *vectors in (*alone, *windows):
        for vector in vectors:
            if columns > 1 and work.last_axis % vector:
                continue
            for threads in _THREADS:
                schedule = MapOnGpu(threads, vector, columns)
                if _registers(work, schedule) <= MOST_REGISTERS:
                    yield schedule
    if work.widest_bytes > _VECTOR_BYTES[0]:
        yield MapOnGpu(_THREADS[0])
    for tile in work.tiles:
        for threads in _THREADS:
            if LEAST_ELEMENTS <= tile.elements / threads <= MOST_ELEMENTS:
                yield MapOnGpu(threads, tile.vector, tile=tile.tile)


def rate(work: MapWork, schedule: MapOnGpu, arch: GpuArch) -> Rated:
    """Return the bound and the latency of one schedule."""
    threads, tile = schedule.threads, work.tile_of(schedule)
    each = threads * schedule.vector * schedule.columns
    blocks = tile.blocks if tile else ceil(work.points / each)
    shared_bytes = tile.shared_bytes if tile else 0
    block = BlockResources(threads, _registers(work, schedule), shared_bytes)
    bytes = work.read_bytes + work.written_bytes
    kernel = streaming_work(work.operations, work.least_operations, bytes, blocks, block)
    return Rated(
        schedule, gpu_bound(kernel, arch), lambda: float(estimate(work, [schedule], arch)[0])
    )


def _registers(work: MapWork, schedule: MapOnGpu) -> int:
    window = work.window_of(schedule.columns)
    return window.registers(schedule.vector) if window else _REGISTERS


def _saved(work: MapWork, schedule: MapOnGpu) -> float:
    """Return the instructions of a result that another one of the thread has done."""
    window = work.window_of(schedule.columns)
    return window.saved_instructions(schedule.vector) if window else 0.0


def estimate(work: MapWork, schedules: Sequence[MapOnGpu], arch: GpuArch) -> Seconds:
    """Return the seconds of schedules."""
    tiled = [schedule.tile != UNTILED for schedule in schedules]
    plain = [schedule for schedule in schedules if schedule.tile == UNTILED]
    found = np.empty(len(schedules))
    found[np.logical_not(tiled)] = _estimate_plain(work, plain, arch) if plain else ()
    found[tiled] = [_estimate_tiled(work, s, arch) for s in schedules if s.tile != UNTILED]
    return found


def _estimate_tiled(work: MapWork, schedule: MapOnGpu, arch: GpuArch) -> float:
    tile, costs = work.tile_of(schedule), arch.costs
    assert tile is not None
    threads = np.array([schedule.threads], np.float64)
    shared = np.array([tile.shared_bytes], np.float64)
    fits = resident_blocks(threads, np.full_like(threads, _REGISTERS), shared, arch)
    each = tile.elements / schedule.threads
    operations = costs.operation_instructions * work.operations / work.points
    bringing = sum(costs.load_instructions / n + TILE_STORES for n in tile.input_vectors)
    kernel = Stream(
        tile.blocks,
        threads,
        fits,
        each * (bringing + operations + TILE_LOADS + costs.result_instructions / schedule.vector),
        2 * costs.thread_wait_clocks,
        tile.lines,
        tile.lines,
        work.read_bytes,
        work.written_bytes,
        tile.stored_bytes,
        chains=each,
    )
    return float(stream_s(kernel, arch)[0])


def _estimate_plain(work: MapWork, schedules: Sequence[MapOnGpu], arch: GpuArch) -> Seconds:
    costs = arch.costs
    found = [
        (s.threads, s.vector * s.columns, _registers(work, s), _saved(work, s)) for s in schedules
    ]
    threads, results, registers, saved = np.array(found, np.float64).T
    reads = [work.reads_of(each.vector, each.columns) for each in schedules]
    loads, lines, fetched = np.array([(r.loads, r.lines, r.fetched) for r in reads]).T
    blocks = np.ceil(work.points / (threads * results))
    fits = resident_blocks(threads, registers, 0 * threads, arch)
    each = costs.operation_instructions * work.operations / work.points - saved
    divided = [UNEVEN_INSTRUCTIONS if work.last_axis % s.vector else 0.0 for s in schedules]
    instructions = results * (each + costs.result_instructions + np.array(divided))
    loading = costs.loads_wait_clocks * np.ceil(loads / _LOADS_AHEAD)
    warps = blocks * threads / arch.warp_threads
    kernels = Stream(
        blocks,
        threads,
        fits,
        instructions + loads * costs.load_instructions,
        costs.thread_wait_clocks + loading,
        warps * lines,
        warps * fetched,
        work.read_bytes,
        work.written_bytes,
        work.written_bytes,
        chains=results,
    )
    return stream_s(kernels, arch)


def _lower(job: Job, schedule: MapOnGpu) -> None:
    if schedule.tile == UNTILED:
        lower_on_threads(job, schedule.threads, schedule.vector, schedule.columns)
    else:
        lower_in_tiles(job, schedule.threads, schedule.vector, schedule.tile)


IMPLEMENTATION = Implementation(
    MapOnGpu,
    work_of,
    candidates,
    rate,
    lambda _: "an element-wise group",
    _lower,
    estimate,
)
