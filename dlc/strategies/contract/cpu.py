"""``contract`` on a CPU: the register tile."""

from collections.abc import Iterator
from dataclasses import replace
from math import ceil, hypot

from dlc.analysis.dataflow import Cluster
from dlc.analysis.role import Role
from dlc.arch import CpuArch
from dlc.model.contraction import Contraction
from dlc.model.upper_bound import cpu_bound
from dlc.strategies._implementation import Implementation
from dlc.strategies._loop_nest import computing_s, moving_s, start_s
from dlc.strategies._rated import Rated
from dlc.strategies.contract.cpu_lowering import lower
from dlc.strategies.contract.cpu_schedule import ContractOnCpu
from dlc.strategies.contract.register_tile import RegisterTile
from dlc.strategies.contract.work import describe, work_of

_VECTORS = (2, 3, 1, 4)

_SCATTER_CLOCKS = 1.0
"""To store a result by itself, where those of neighbouring lanes are no neighbours in memory: 1.0
to 1.4 for 1x1 convolutions of MobileNet-v2 in channels-first order, on one core of a Xeon.
"""

_LEAST_TILES = 4
"""Tiles below each other that are worth the rhs once more."""


def _obstacle(cluster: Cluster) -> str | None:
    """Return why a core cannot have what a cluster needs: it finishes a tile of a few columns."""
    if Role.ROW in cluster.kinds:
        return "a row reduction does not join a contraction on a CPU"
    return None


def candidates(work: Contraction, arch: CpuArch) -> Iterator[ContractOnCpu]:
    """Yield the register tiles that leave registers for one row of loads and a broadcast.

    Rows divide the row loop evenly, but for the last tile.
    """
    lanes = arch.vector_bytes // work.compute_bytes
    loop = min(work.row_loop, 512)
    for rows in sorted({ceil(loop / tiles) for tiles in range(1, loop + 1)}, reverse=True):
        for vectors in _VECTORS:
            if RegisterTile(rows, vectors, lanes).registers > arch.vector_registers:
                continue
            tile = rows, vectors * lanes
            together, ahead = _rows_together(work, tile, arch), _asks_ahead(work, tile, arch)
            for cores in (True, False) if arch.cores > 1 else (False,):
                yield ContractOnCpu(tile, lanes, cores, together, ahead)


def _rows_together(work: Contraction, tile: tuple[int, int], arch: CpuArch) -> int:
    """Return how many rows of the lhs stay in half of a core's cache while all columns pass; 0
    where all do, where there is one block of columns, or where only a few tiles would.
    """
    rows = arch.l2_bytes // 2 // max(1, work.k * work.compute_bytes)
    if work.row_loop < work.m or work.m <= rows or work.n <= tile[1]:
        return 0
    return rows if rows >= _LEAST_TILES * tile[0] else 0


def _asks_ahead(work: Contraction, tile: tuple[int, int], arch: CpuArch) -> bool:
    """Return whether the rhs of the next columns is worth asking for: where several tiles are
    multiplied by the same columns before the next ones come.
    """
    rows, columns = tile
    return _streams(work, arch) and work.m > rows and work.n >= 2 * columns


def _streams(work: Contraction, arch: CpuArch) -> bool:
    """Return whether all rows pass by each block of columns, of more than a core's cache holds."""
    rhs_bytes = work.batch * work.n * work.k * work.compute_bytes
    return work.row_loop == work.m and rhs_bytes > arch.l2_bytes


def rate(work: Contraction, schedule: ContractOnCpu, arch: CpuArch) -> Rated:
    """Return the bound and the latency of one schedule.

    Tails are padded to whole tiles. What is before and after the contraction is computed in loops
    of its own, while tensors are moved; an lhs that is padded or computed is written and read
    again.
    """
    (m, n), lanes = schedule.tile, schedule.lanes
    tiles = work.batch * ceil(work.m / m) * ceil(work.n / n)
    cores = min(arch.cores, tiles) if schedule.cores else 1
    clocks = _row_clocks(work, m, n // lanes, lanes, arch) * work.batch * work.k
    if not work.adjacent and work.together == 1:
        clocks += _SCATTER_CLOCKS * work.batch * work.row_loop * work.n
    compute_s = clocks * work.m / work.row_loop / cores / arch.clock_hz
    other_s = computing_s(_operations_around(work), cores, arch)
    staged = 2 * work.lhs_bytes if work.guarded or work.lhs_inside else 0
    bytes = work.global_bytes
    begin_s = start_s(cores, arch, _regions(work, n))
    flops = 2.0 * work.batch * work.m * work.k * ceil(work.n / lanes) * lanes
    bound = cpu_bound(flops, bytes, work.compute_bytes, cores, arch)
    rows = ceil(work.row_loop / ceil(work.row_loop / m))  # as the lowering evens them out
    violation = schedule.register_tile(rows).violation(arch, work.compute_bytes)
    bound = replace(bound, violation=violation)
    memory_s = moving_s(bytes + staged, cores, arch)
    return Rated(schedule, bound, lambda: begin_s + compute_s + hypot(other_s, memory_s))


def _regions(work: Contraction, columns: int) -> int:
    """Return how many loops are spread over the cores: the lhs written first, whole tiles, the last
    columns.
    """
    written = work.guarded or work.lhs_inside
    return written + (work.n >= columns) + (work.n % columns > 0)


def _operations_around(work: Contraction) -> float:
    """Return the scalar operations of the prologue and the epilogue."""
    before = work.lhs_operations * work.batch * work.m * work.k
    return before + work.operations * work.batch * work.m * work.n


def _row_clocks(work: Contraction, rows: int, vectors: int, lanes: int, arch: CpuArch) -> float:
    """Return the clocks of one step of the reduction for all tiles along one row loop."""
    streams = _streams(work, arch)
    whole, rest = divmod(ceil(work.n / lanes), vectors)
    heights = ((rows, work.row_loop // rows), (work.row_loop % rows, 1))
    widths = ((vectors, whole), (rest, 1))
    return sum(
        h_count * w_count * RegisterTile(h, w, lanes).step_clocks(arch, streams)
        for h, h_count in heights
        for w, w_count in widths
        if h and w
    )


IMPLEMENTATION = Implementation(
    ContractOnCpu, work_of, candidates, rate, describe, lower, obstacle=_obstacle
)
